//! The temperature that makes confidences honest, found on examples the model has not seen.

use super::features::Features;
use super::{Brain, Look, Sample, maths};

/// Held-out parts; each is predicted by a model trained on the others.
const FOLDS: usize = 3;
/// Larger sets are stable enough for one fold, and three would take seconds.
const FOLDS_LARGE: usize = 1;
/// From here on a set is large.
const LARGE: usize = 1500;
/// Fewer examples than this per label teach nothing about being wrong.
const EXAMPLES_MIN: usize = 4;
/// Tried in this order; the first of equals wins.
const TEMPERATURES: [f32; 13] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 1.15, 1.3, 1.5, 1.8, 2.2, 2.8];

/// The temperature with the least surprise on held-out examples; one if there are too few to tell.
pub(super) fn temperature(samples: &[Sample], background: &[Features], labels: usize) -> f32 {
    if labels == 0 || samples.len() < labels * EXAMPLES_MIN {
        return 1.0;
    }
    let folds = if samples.len() > LARGE { FOLDS_LARGE } else { FOLDS };
    let mut cases: Vec<(usize, Look)> = Vec::new();
    for fold in 0..folds {
        let (held, kept): (Vec<_>, Vec<_>) = deal(samples).partition(|(place, _)| place % FOLDS.max(folds) == fold);
        let kept: Vec<Sample> = kept.into_iter().map(|(_, sample)| sample.clone()).collect();
        let (held_none, kept_none): (Vec<_>, Vec<_>) =
            background.iter().cloned().enumerate().partition(|(place, _)| place % FOLDS.max(folds) == fold);
        let kept_none: Vec<Features> = kept_none.into_iter().map(|(_, words)| words).collect();
        let brain = Brain::learn(&kept, &kept_none, labels);
        let known = held.into_iter().map(|(_, sample)| (sample.label, sample.words.clone()));
        // A few strangers keep "none of these" honest without outvoting the pack's own examples.
        let strangers = held_none.into_iter().take(labels.max(4)).map(|(_, words)| (labels, words));
        cases.extend(known.chain(strangers).map(|(label, words)| (label, brain.look(&words))));
    }
    let mut best = (f32::MAX, 1.0);
    for temperature in TEMPERATURES {
        let surprise: f32 = cases.iter().map(|(label, look)| surprise(look, *label, temperature)).sum();
        if surprise < best.0 {
            best = (surprise, temperature);
        }
    }
    best.1
}

/// Samples with their place inside their own label, so that every fold holds some of each.
fn deal(samples: &[Sample]) -> impl Iterator<Item = (usize, &Sample)> {
    let mut seen: Vec<usize> = Vec::new();
    samples.iter().map(move |sample| {
        if seen.len() <= sample.label {
            seen.resize(sample.label + 1, 0);
        }
        let place = seen.get(sample.label).copied().unwrap_or(0);
        if let Some(count) = seen.get_mut(sample.label) {
            *count += 1;
        }
        (place, sample)
    })
}

fn surprise(look: &Look, label: usize, temperature: f32) -> f32 {
    let share = look.shares(temperature).get(label).copied().unwrap_or(0.0);
    -maths::ln(share.max(1e-4))
}
