//! The examples themselves: how close a text is to the nearest of each label.

use super::Sample;
use super::features::{Vector, Vocabulary};

/// Below this likeness an example says nothing, at full likeness nearly everything.
const ECHO_FROM: f32 = 0.4;
/// What an exact repetition of an example is worth against the model's own opinion.
const ECHO_MAX: f32 = 0.95;
/// Below this likeness to every example a text is probably about something else.
const STRANGER_BELOW: f32 = 0.22;

/// Which examples have which feature.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Memory {
    labels: Vec<usize>,
    /// By row: (example, value).
    postings: Vec<Vec<(u32, f32)>>,
}

/// The most alike example, and the most alike one with another label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearest {
    label: Option<usize>,
    likeness: f32,
    rival: f32,
}

impl Memory {
    pub(super) fn of(samples: &[Sample], vocabulary: &Vocabulary) -> Memory {
        let mut postings = vec![Vec::new(); vocabulary.rows()];
        for (example, sample) in samples.iter().enumerate() {
            let example = u32::try_from(example).unwrap_or(u32::MAX);
            for (row, value) in vocabulary.vector(&sample.words) {
                if let Some(list) = postings.get_mut(row) {
                    list.push((example, value));
                }
            }
        }
        Memory { labels: samples.iter().map(|sample| sample.label).collect(), postings }
    }

    pub(super) fn nearest(&self, vector: &Vector) -> Nearest {
        let mut likeness = vec![0.0_f32; self.labels.len()];
        for (row, value) in vector {
            for (example, other) in self.postings.get(*row).map_or(&[][..], Vec::as_slice) {
                if let Some(sum) = usize::try_from(*example).ok().and_then(|at| likeness.get_mut(at)) {
                    *sum += value * other;
                }
            }
        }
        let mut best = Nearest { label: None, likeness: 0.0, rival: 0.0 };
        for (label, likeness) in self.labels.iter().zip(likeness) {
            if best.label == Some(*label) {
                best.likeness = best.likeness.max(likeness);
            } else if likeness > best.likeness {
                best = Nearest { label: Some(*label), likeness, rival: best.likeness };
            } else {
                best.rival = best.rival.max(likeness);
            }
        }
        best
    }
}

/// Moves shares towards the label of a near example, or towards "none of these" where nothing is near.
pub(super) fn blend(shares: &mut [f32], seen: &Nearest) {
    let lead = (seen.likeness - seen.rival).max(0.0);
    let echo = ((seen.likeness - ECHO_FROM) / (1.0 - ECHO_FROM)).clamp(0.0, 1.0) * ECHO_MAX * (lead * 4.0).min(1.0);
    let strange = (1.0 - seen.likeness / STRANGER_BELOW).clamp(0.0, 1.0);
    let none = shares.len().saturating_sub(1);
    for (label, share) in shares.iter_mut().enumerate() {
        *share *= (1.0 - echo) * (1.0 - strange);
        if Some(label) == seen.label {
            *share += echo * (1.0 - strange);
        }
        if label == none {
            *share += strange;
        }
    }
}
