//! Reads text without a network: typed values, each with the span it was read from.
//!
//! The code that reads a message and the code that checks an argument or a reply are the same code, so what the
//! sensor can understand is exactly what the gates can verify.
//!
//! ```
//! use countersign_nlu::{Context, Currency, Kind, Language, Region, extract, name, yes_no};
//!
//! let ctx = Context {
//!     now: "2026-11-15T10:00:00".parse()?,
//!     language: Language::Pt,
//!     currency: Currency::BRL,
//!     region: Region::BR,
//! };
//! let text = "quero um boleto de 150 reais para a Ana, vence sexta";
//! let found = extract(text, &ctx);
//! assert_eq!(found.iter().map(|f| f.kind).collect::<Vec<_>>(), [Kind::Money, Kind::Date]);
//! assert_eq!(found[1].span.of(text), "sexta");
//!
//! let taken: Vec<_> = found.iter().map(|f| f.span).collect();
//! let who = name::after_cue(text, &["para a".to_owned()], &taken, Language::Pt);
//! assert_eq!(who.and_then(|f| f.value.as_text().map(str::to_owned)).as_deref(), Some("Ana"));
//!
//! let lexicon = yes_no::Lexicon::standard(Language::Pt);
//! assert!(yes_no::read("sim, por favor!", &lexicon, Language::Pt).is_plain);
//! assert!(!yes_no::read("acho que sim", &lexicon, Language::Pt).is_plain);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: spans are bytes on character boundaries; results are the same on every machine (no hash maps, no floats
//! in results); unknown is nothing, never a guess.
//! A new language is one file in `lexicons/` and two lines in `lexicon.rs`.
//! Deliberately absent: clocks, files, network, model weights.

// What things mean.
pub mod value;

// Letters, tokens and their places.
pub mod text;

// The words of each language.
mod lexicon;

// A text with what its words may mean: what every reader works on.
mod page;

// Languages and how to tell them apart.
pub mod language;

// Countries, as far as reading depends on them.
pub mod region;

// Numbers in digits and words.
mod number;

// Amounts.
mod money;

// Calendar days.
pub mod date;

// Times of day.
mod time;

// Lengths of time.
mod duration;

// Phone numbers as E.164.
mod phone;

// E-mail addresses.
mod email;

// Codes such as BOL-1001.
pub mod id;

// Positions in a list.
pub mod ordinal;

// One pass over a text with all readers.
mod extract;

// Names: finding and comparing.
pub mod name;

// A person's own words.
pub mod verbatim;

// Yes, no, or neither.
pub mod yes_no;

// Stop, and "a person please".
pub mod consent;

// Business, small talk, spam, abuse; moods and topics.
pub mod govern;

// Claims that something was done.
pub mod claim;

// What a person wants, learned from examples.
pub mod intent;

// Values as people read them.
pub mod format;

// Brazilian payment slips.
pub mod boleto;

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
