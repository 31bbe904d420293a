//! One broken pack: an edit of the base pack and what must be said about it.

use serde::Deserialize;

/// One broken pack.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What a person got wrong.
    pub(crate) mistake: String,
    /// The edits that break the base pack.
    pub(crate) edits: Vec<Edit>,
    /// Compiled for this tenant.
    pub(crate) tenant: Option<String>,
    /// Everything that must be said, in order.
    pub(crate) expect: Vec<Expected>,
}

/// One edit: the first `find` in `file` becomes `replace`; without `find`, `replace` is the whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    pub(crate) file: String,
    pub(crate) find: Option<String>,
    pub(crate) replace: Option<String>,
}

/// One diagnostic.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    pub(crate) code: String,
    /// `tools.yaml:12`
    pub(crate) at: String,
    /// A part of the message.
    pub(crate) says: String,
}
