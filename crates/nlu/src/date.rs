//! Calendar days.
use crate::{Context, Span};

/// Where a text looks like a date but names a day that does not exist.
#[must_use]
pub fn malformed(_text: &str, _ctx: &Context) -> Option<Span> {
    None
}
