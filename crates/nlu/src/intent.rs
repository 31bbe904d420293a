//! What a person wants, learned from a pack's own examples in a few milliseconds.
//!
//! Word and letter-group features, hashed; a multinomial logistic regression with a class for "none of these"; the
//! nearest example as second opinion; and a temperature found on held-out examples, so that 700 means about 70 % right.
//! Invariants: the same examples always give the same classifier and the same confidences on every machine (no library
//! floating-point functions, fixed order, fixed seed); text with nothing known in it scores low.
//! Deliberately absent: weights from elsewhere, and values: amounts, dates and ids are masked before anything is learned.

mod calibrate;
mod features;
mod mask;
mod maths;
mod memory;
mod model;
mod spelling;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use features::{Features, Vocabulary};
use memory::{Memory, Nearest};
use model::Model;
use spelling::Speller;

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
    speller: Speller,
    brain: Brain,
    temperature: f32,
}

/// Everything that is learned from one set of examples, before calibration.
#[derive(Debug, Clone, PartialEq)]
struct Brain {
    vocabulary: Vocabulary,
    model: Model,
    memory: Memory,
}

/// An example as features and the index of its label; the index after the last label is "none of these".
#[derive(Debug, Clone)]
struct Sample {
    label: usize,
    words: Features,
}

impl Classifier {
    /// Learns from examples; empty texts teach nothing. Without examples every text gets an empty answer.
    #[must_use]
    pub fn train(examples: &[Example<'_>]) -> Classifier {
        let mut labels: Vec<String> = examples.iter().map(|example| example.label.to_owned()).collect();
        labels.sort();
        labels.dedup();
        let samples: Vec<Sample> = examples
            .iter()
            .filter_map(|example| {
                let label = labels.binary_search_by(|label| label.as_str().cmp(example.label)).ok()?;
                let words = Features::of(&mask::words(example.text));
                (!words.is_empty()).then_some(Sample { label, words })
            })
            .collect();
        let speller = Speller::of(examples.iter().map(|example| example.text));
        let background = features::background(&samples);
        let temperature = calibrate::temperature(&samples, &background, labels.len());
        let brain = Brain::learn(&samples, &background, labels.len());
        Classifier { labels, speller, brain, temperature }
    }

    /// Every label with its confidence, best first; the confidences add up to 1000 at most, the rest is "none of these".
    #[must_use]
    pub fn classify(&self, text: &str) -> Vec<Scored> {
        let mut words = mask::words(text);
        words.iter_mut().for_each(|word| self.speller.correct(word));
        let shares = self.brain.look(&Features::of(&words)).shares(self.temperature);
        let mut scored: Vec<Scored> = self
            .labels
            .iter()
            .zip(shares)
            .map(|(label, share)| Scored { label: label.clone(), confidence: per_mille(share) })
            .collect();
        scored.sort_by(|a, b| b.confidence.cmp(&a.confidence).then_with(|| a.label.cmp(&b.label)));
        scored
    }
}

impl Brain {
    fn learn(samples: &[Sample], background: &[Features], labels: usize) -> Brain {
        let vocabulary = Vocabulary::of(samples, background);
        let memory = Memory::of(samples, &vocabulary);
        let model = Model::fit(samples, background, labels, &vocabulary);
        Brain { vocabulary, model, memory }
    }

    /// Everything the brain sees in a text, before a temperature turns it into shares.
    fn look(&self, features: &Features) -> Look {
        let vector = self.vocabulary.vector(features);
        Look {
            scores: self.model.scores(&vector),
            nearest: self.memory.nearest(&vector),
            trust: self.vocabulary.trust(features),
        }
    }
}

/// What a brain sees in one text.
#[derive(Debug, Clone)]
struct Look {
    scores: Vec<f32>,
    nearest: Nearest,
    trust: f32,
}

impl Look {
    /// One share per label, "none of these" last; they add up to one.
    fn shares(&self, temperature: f32) -> Vec<f32> {
        let mut shares: Vec<f32> = self.scores.iter().map(|score| score / temperature).collect();
        maths::softmax(&mut shares);
        memory::blend(&mut shares, &self.nearest);
        features::shrink(&mut shares, self.trust);
        shares
    }
}

fn per_mille(share: f32) -> u16 {
    // The share is between zero and one, so the cast neither wraps nor loses its sign.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1000 first")]
    let value = (share * 1000.0).clamp(0.0, 1000.0).round() as u16;
    value
}
