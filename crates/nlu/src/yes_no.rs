//! Yes, no, or neither.
use crate::Language;
use serde::{Deserialize, Serialize};

/// The closed lists of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lexicon {
    /// What counts as yes.
    pub yes: Vec<String>,
    /// What counts as no.
    pub no: Vec<String>,
}

impl Lexicon {
    /// The lists of a language.
    #[must_use]
    pub fn standard(_language: Language) -> Lexicon {
        Lexicon { yes: Vec::new(), no: Vec::new() }
    }
}

/// Which way an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Neither, or both.
    Neither,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Which way it goes.
    pub polarity: Polarity,
    /// Nothing but lexicon words, politeness, emoji and punctuation.
    pub is_plain: bool,
    /// It also asks something.
    pub has_question: bool,
    /// It sets a condition.
    pub has_condition: bool,
    /// It corrects something.
    pub changes: bool,
}

/// Reads an answer.
#[must_use]
pub fn read(_text: &str, _lexicon: &Lexicon, _language: Language) -> Answer {
    Answer { polarity: Polarity::Neither, is_plain: false, has_question: false, has_condition: false, changes: false }
}
