//! The two functions the classifier needs beyond plain arithmetic, written with plain arithmetic.
//!
//! The platform's `exp` may differ in the last bit from machine to machine, and a replay must not.

/// e to the power of `x`, good to about six digits; saturates far from zero.
pub(super) fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0);
    let halvings = 7;
    // e^x = (e^(x/128))^128, and near zero a short series is exact enough.
    let small = x / 128.0;
    let mut power = 1.0 + small * (1.0 + small * (0.5 + small * (1.0 / 6.0 + small * (1.0 / 24.0))));
    for _ in 0..halvings {
        power *= power;
    }
    power
}

/// The natural logarithm of a positive number, by Newton's steps on [`exp`].
pub(super) fn ln(x: f32) -> f32 {
    let x = x.max(1e-12);
    // Halve or double into [0.5, 2) first, where few steps suffice.
    let mut scaled = x;
    let mut twos = 0.0_f32;
    while scaled >= 2.0 {
        scaled *= 0.5;
        twos += 1.0;
    }
    while scaled < 0.5 {
        scaled *= 2.0;
        twos -= 1.0;
    }
    let mut y = scaled - 1.0;
    for _ in 0..5 {
        let e = exp(y);
        y += 2.0 * (scaled - e) / (scaled + e);
    }
    y + twos * std::f32::consts::LN_2
}

/// Scores to shares that add up to one.
pub(super) fn softmax(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp(*score - top);
        sum += *score;
    }
    for score in scores.iter_mut() {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_to_the_library() {
        for x in [-20.0_f32, -3.0, -0.5, 0.0, 0.1, 1.0, 7.5] {
            assert!((exp(x) - x.exp()).abs() <= 1e-3 * x.exp(), "{x}");
        }
        for x in [1e-6_f32, 0.1, 0.9, 1.0, 2.0, 50.0, 12_345.0] {
            assert!((ln(x) - x.ln()).abs() < 1e-3, "{x}");
        }
        let mut shares = [1.0, 2.0, 3.0];
        softmax(&mut shares);
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6 && shares[2] > shares[1]);
    }
}
