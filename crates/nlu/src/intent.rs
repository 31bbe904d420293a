//! What a person wants, learned from a pack's examples.
use serde::{Deserialize, Serialize};

/// One sentence and what it wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example<'e> {
    /// The intent.
    pub label: &'e str,
    /// What a person might say.
    pub text: &'e str,
}

/// An intent and how sure we are, in 1/1000.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scored {
    /// The intent.
    pub label: String,
    /// 0 to 1000.
    pub confidence: u16,
}

/// A trained classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    labels: Vec<String>,
}

impl Classifier {
    /// Learns from examples.
    #[must_use]
    pub fn train(examples: &[Example<'_>]) -> Classifier {
        let mut labels: Vec<String> = examples.iter().map(|e| e.label.to_owned()).collect();
        labels.sort();
        labels.dedup();
        Classifier { labels }
    }

    /// Every label with its confidence, best first.
    #[must_use]
    pub fn classify(&self, _text: &str) -> Vec<Scored> {
        self.labels.iter().map(|label| Scored { label: label.clone(), confidence: 0 }).collect()
    }
}
