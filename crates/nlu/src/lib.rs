//! Reads text without a network: typed values, each with the span it was read from.
//!
//! The code that reads a message and the code that checks an argument or a reply are the same code, so what the
//! sensor can understand is exactly what the gates can verify.

// What things mean.
pub mod value;
// Words of each language, and a text with its words' meanings.
mod lexicon;
mod page;
// Letters, tokens and their places.
pub mod text;
// Languages and how to tell them apart.
pub mod language;
// Countries.
pub mod region;
// Readers of one kind of value each, and the pass that joins them.
pub mod boleto;
pub mod claim;
pub mod consent;
pub mod date;
mod duration;
mod email;
mod extract;
pub mod format;
pub mod govern;
pub mod id;
pub mod intent;
mod money;
pub mod name;
mod number;
pub mod ordinal;
mod phone;
mod time;
pub mod verbatim;
pub mod yes_no;

pub use extract::extract;
pub use language::Language;
pub use region::Region;
pub use value::{Currency, Found, Kind, Money, Span, Value};

use jiff::civil::DateTime;

/// What a reader knows besides the text: where and when it was said.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Context {
    /// Local calendar time of the event.
    pub now: DateTime,
    /// The language the text is read in.
    pub language: Language,
    /// The money meant where none is named.
    pub currency: Currency,
    /// The country: phone numbers, order of day and month.
    pub region: Region,
}
