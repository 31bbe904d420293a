//! A multinomial logistic regression, trained by stochastic gradient steps in a fixed order.

use super::features::{Features, Vector, Vocabulary};
use super::{Sample, maths};

/// Passes over the examples; large sets need fewer to see enough of each.
const EPOCHS: usize = 24;
const EPOCHS_LARGE: usize = 10;
/// From here on a set is large.
const LARGE: usize = 2000;
/// First step size; it falls towards a tenth over the passes.
const STEP: f32 = 6.0;
/// Pull towards zero per pass.
const DECAY: f32 = 0.02;

/// Weights by row and label, and one bias per label; "none of these" is the last label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    classes: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Model {
    pub(super) fn fit(samples: &[Sample], background: &[Features], labels: usize, vocabulary: &Vocabulary) -> Model {
        let classes = labels + 1;
        let none = background.iter().map(|words| (labels, vocabulary.vector(words)));
        let known = samples.iter().map(|sample| (sample.label, vocabulary.vector(&sample.words)));
        let rows: Vec<(usize, Vector)> = known.chain(none).collect();
        let mut model = Model { classes, weights: vec![0.0; vocabulary.rows() * classes], bias: vec![0.0; classes] };
        let epochs = if rows.len() > LARGE { EPOCHS_LARGE } else { EPOCHS };
        let stride = stride(rows.len());
        let mut scores = vec![0.0; classes];
        for epoch in 0..epochs {
            let step = step_size(epoch, epochs);
            for i in 0..rows.len() {
                let Some((label, vector)) = rows.get((i * stride + epoch) % rows.len()) else { continue };
                model.score(vector, &mut scores);
                maths::softmax(&mut scores);
                model.learn(vector, *label, &scores, step);
            }
            for weight in &mut model.weights {
                *weight *= 1.0 - DECAY;
            }
        }
        model
    }

    /// One score per label and one for "none of these".
    pub(super) fn scores(&self, vector: &Vector) -> Vec<f32> {
        let mut scores = vec![0.0; self.classes];
        self.score(vector, &mut scores);
        scores
    }

    fn score(&self, vector: &Vector, scores: &mut [f32]) {
        scores.copy_from_slice(&self.bias);
        for (row, value) in vector {
            let Some(weights) = self.weights.get(row * self.classes..(row + 1) * self.classes) else { continue };
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += value * weight;
            }
        }
    }

    fn learn(&mut self, vector: &Vector, label: usize, shares: &[f32], step: f32) {
        let error = |class: usize, share: f32| if class == label { 1.0 - share } else { -share };
        for (class, (bias, share)) in self.bias.iter_mut().zip(shares).enumerate() {
            *bias += 0.02 * step * error(class, *share);
        }
        for (row, value) in vector {
            let Some(weights) = self.weights.get_mut(row * self.classes..(row + 1) * self.classes) else { continue };
            for (class, (weight, share)) in weights.iter_mut().zip(shares).enumerate() {
                *weight += step * value * error(class, *share);
            }
        }
    }
}

fn step_size(epoch: usize, epochs: usize) -> f32 {
    let left = epochs.saturating_sub(epoch);
    #[expect(clippy::cast_precision_loss, reason = "a few dozen passes")]
    let share = left as f32 / epochs.max(1) as f32;
    STEP * (0.1 + 0.9 * share)
}

/// A step through the examples that visits each once per pass and does not follow their order.
fn stride(len: usize) -> usize {
    const PRIMES: [usize; 4] = [7919, 6007, 4001, 1009];
    PRIMES.into_iter().find(|prime| len == 0 || !len.is_multiple_of(*prime)).unwrap_or(1)
}
