//! A mistake in an expression: a stable code, the bytes it is about, what was expected.
//!
//! Invariant: every code is listed in [`CODES`], so the reference page can be checked against it.
//! Deliberately absent: rendering. The pack crate moves the span into its file and draws it.

use std::fmt;

use countersign_nlu::Span;

/// Every code a [`Fault`] can carry.
pub const CODES: &[&str] = &[
    "expr/too_long",
    "expr/too_deep",
    "expr/too_many_parts",
    "expr/syntax",
    "expr/text",
    "expr/number",
    "expr/no_null",
    "expr/no_division",
    "expr/unknown_name",
    "expr/unknown_field",
    "expr/not_a_record",
    "expr/unknown_function",
    "expr/argument_count",
    "expr/argument",
    "expr/type",
    "expr/currency",
    "expr/money_and_number",
    "expr/too_many_places",
    "expr/empty_list",
    "expr/constant",
    "expr/pattern",
];

/// One mistake in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A stable code, one of [`CODES`].
    pub code: &'static str,
    /// The bytes of the source it is about.
    pub span: Span,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// What to write instead, where there is a good guess.
    pub help: Option<String>,
}

impl Fault {
    /// A fault without advice.
    pub(super) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), help: None }
    }

    /// The same fault with advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for Fault {}

/// The known name nearest to a wrong one, if it is near enough to be meant.
pub(super) fn nearest<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // One slip in three characters: `amonut` finds `amount`, `day` does not find `due`.
    let slips_max = (wrong.len() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(slips, _)| *slips <= slips_max)
        .min()
        .map(|(_, name)| name)
}
