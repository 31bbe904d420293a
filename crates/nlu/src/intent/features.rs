//! Texts as hashed features, weighted by how rare they are among a pack's examples.
//!
//! Three sorts: words, pairs of words, and groups of three and four letters inside a word, which forgive typing
//! mistakes and missing accents.

use std::collections::BTreeMap;

use super::Sample;
use super::mask;
use crate::language::Language;
use crate::lexicon::{Cat, Lexicon, WRITTEN};

/// Buckets features are hashed into; a pack with 150 examples fills about one in twenty.
const BUCKETS: usize = 1 << 16;
/// Seeds our own hash: fixed, so that a classifier is the same everywhere.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
/// How much a feature of each sort counts.
const WORD_WEIGHT: f32 = 1.0;
const PAIR_WEIGHT: f32 = 0.6;
const LETTERS_WEIGHT: f32 = 0.4;
/// Features no example has still lengthen a text's vector, but less: a new name must not drown a known wish.
const UNKNOWN_WEIGHT: f32 = 0.35;
/// A word counts as known if at least this share of its letter groups is.
const KNOWN_LETTERS: f32 = 0.6;
/// A background sentence this close to an example would teach that the example is "none of these".
const BACKGROUND_OVERLAP_MAX: f32 = 0.5;

/// A text as features: each bucket once with its weight, and what every single word contributed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Features {
    /// Sorted by bucket.
    all: Vec<(u16, f32)>,
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq)]
struct Word {
    bucket: u16,
    letters: Vec<u16>,
    /// Function words and masked values say little about whether a text is known.
    is_content: bool,
}

impl Features {
    pub(super) fn of(words: &[String]) -> Features {
        let mut all: Vec<(u16, f32)> = Vec::with_capacity(words.len() * 12);
        let mut parts = Vec::with_capacity(words.len());
        let mut last = "^";
        for word in words {
            let bucket = hash(&[b"w", word.as_bytes()]);
            all.push((bucket, WORD_WEIGHT));
            all.push((hash(&[b"p", last.as_bytes(), b" ", word.as_bytes()]), PAIR_WEIGHT));
            let letters = if word.starts_with('<') || word == "?" { Vec::new() } else { letter_groups(word) };
            all.extend(letters.iter().map(|bucket| (*bucket, LETTERS_WEIGHT)));
            parts.push(Word { bucket, letters, is_content: is_content(word) });
            last = word;
        }
        all.sort_unstable_by_key(|(bucket, _)| *bucket);
        all.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.max(next.1);
            }
            is_same
        });
        Features { all, words: parts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The sentences of "none of these" that are not close to any example.
pub(super) fn background(samples: &[Sample]) -> Vec<Features> {
    let mut owners: Vec<(u16, usize)> = samples
        .iter()
        .enumerate()
        .flat_map(|(at, sample)| sample.words.all.iter().map(move |(bucket, _)| (*bucket, at)))
        .collect();
    owners.sort_unstable();
    include_str!("../../lexicons/background.txt")
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| Features::of(&mask::words(line)))
        .filter(|sentence| closest(sentence, &owners, samples.len()) < BACKGROUND_OVERLAP_MAX)
        .collect()
}

/// The largest share of a sentence's features that one example has too; `owners` lists who has which bucket, sorted.
fn closest(sentence: &Features, owners: &[(u16, usize)], samples: usize) -> f32 {
    let total: f32 = sentence.all.iter().map(|(_, weight)| weight).sum();
    let mut shared = vec![0.0_f32; samples];
    for (bucket, weight) in &sentence.all {
        let from = owners.partition_point(|(other, _)| other < bucket);
        for (_, at) in owners.iter().skip(from).take_while(|(other, _)| other == bucket) {
            if let Some(sum) = shared.get_mut(*at) {
                *sum += weight;
            }
        }
    }
    shared.into_iter().fold(0.0, f32::max) / total.max(f32::MIN_POSITIVE)
}

/// A text as a unit vector over the rows a vocabulary knows.
pub(super) type Vector = Vec<(usize, f32)>;

/// Which buckets occur in the examples, and how telling each is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vocabulary {
    /// Bucket to row plus one; zero is unknown.
    rows: Vec<u32>,
    /// By row: rarer features weigh more.
    rarity: Vec<f32>,
    /// By row: seen in an example, not only in the background.
    is_in_scope: Vec<bool>,
    unknown_rarity: f32,
}

impl Vocabulary {
    pub(super) fn of(samples: &[Sample], background: &[Features]) -> Vocabulary {
        let mut counts: BTreeMap<u16, (u32, bool)> = BTreeMap::new();
        for sample in samples {
            for (bucket, _) in &sample.words.all {
                let entry = counts.entry(*bucket).or_default();
                *entry = (entry.0 + 1, true);
            }
        }
        for sentence in background {
            for (bucket, _) in &sentence.all {
                counts.entry(*bucket).or_default().0 += 1;
            }
        }
        let total = to_f32(samples.len() + background.len());
        let mut vocabulary = Vocabulary {
            rows: vec![0; BUCKETS],
            rarity: Vec::with_capacity(counts.len()),
            is_in_scope: Vec::with_capacity(counts.len()),
            unknown_rarity: rarity(total, 1.0) * UNKNOWN_WEIGHT,
        };
        for (row, (bucket, (count, is_in_scope))) in counts.into_iter().enumerate() {
            if let Some(slot) = vocabulary.rows.get_mut(usize::from(bucket)) {
                *slot = u32::try_from(row + 1).unwrap_or(0);
            }
            vocabulary.rarity.push(rarity(total, to_f32(usize::try_from(count).unwrap_or(1))));
            vocabulary.is_in_scope.push(is_in_scope);
        }
        vocabulary
    }

    pub(super) fn rows(&self) -> usize {
        self.rarity.len()
    }

    fn row(&self, bucket: u16) -> Option<usize> {
        let slot = *self.rows.get(usize::from(bucket))?;
        usize::try_from(slot).ok()?.checked_sub(1)
    }

    /// The unit vector of a text; unknown features only add to its length.
    pub(super) fn vector(&self, features: &Features) -> Vector {
        let mut vector = Vector::with_capacity(features.all.len());
        let mut square = 0.0_f32;
        for (bucket, weight) in &features.all {
            let row = self.row(*bucket);
            let scale = row.and_then(|row| self.rarity.get(row)).copied().unwrap_or(self.unknown_rarity);
            let value = weight * scale;
            square += value * value;
            if let Some(row) = row {
                vector.push((row, value));
            }
        }
        let length = square.sqrt().max(f32::MIN_POSITIVE);
        for (_, value) in &mut vector {
            *value /= length;
        }
        vector
    }

    /// How far the words of a text are known at all, from zero to one.
    pub(super) fn trust(&self, features: &Features) -> f32 {
        trust(self.coverage(features))
    }

    /// The share of content words some example has, by word or by most of its letters.
    fn coverage(&self, features: &Features) -> f32 {
        let (mut known, mut total) = (0.0, 0.0);
        for word in &features.words {
            let weight = if word.is_content { 1.0 } else { 0.25 };
            total += weight;
            known += weight * self.familiarity(word);
        }
        if total > 0.0 { known / total } else { 0.0 }
    }

    fn familiarity(&self, word: &Word) -> f32 {
        let is_known =
            |bucket: u16| self.row(bucket).and_then(|row| self.is_in_scope.get(row)).copied().unwrap_or(false);
        if is_known(word.bucket) {
            return 1.0;
        }
        let known = to_f32(word.letters.iter().filter(|bucket| is_known(**bucket)).count());
        let share = known / to_f32(word.letters.len().max(1));
        if share >= KNOWN_LETTERS { share } else { 0.0 }
    }
}

/// Gives the shares of a text with few known words to "none of these", the last one.
pub(super) fn shrink(shares: &mut [f32], trust: f32) {
    let Some((none, labels)) = shares.split_last_mut() else { return };
    for share in labels {
        *none += *share * (1.0 - trust);
        *share *= trust;
    }
}

/// No trust below a tenth of known words, full trust from six tenths on.
fn trust(coverage: f32) -> f32 {
    ((coverage - 0.1) / 0.45).clamp(0.0, 1.0)
}

fn rarity(total: f32, count: f32) -> f32 {
    super::maths::ln(1.0 + total / count)
}

#[expect(clippy::cast_precision_loss, reason = "counts of examples and words, far below 2^24")]
fn to_f32(count: usize) -> f32 {
    count as f32
}

fn is_content(word: &str) -> bool {
    let is_small = |language: Language| {
        Lexicon::of(language).starting_with(word).iter().any(|entry| {
            entry.rest.is_empty() && matches!(entry.cat, Cat::Common | Cat::Article | Cat::Polite | Cat::Filler)
        })
    };
    !word.starts_with('<') && word != "?" && word.chars().count() > 1 && !WRITTEN.into_iter().any(is_small)
}

/// Groups of three and four letters, with the ends of the word marked.
fn letter_groups(word: &str) -> Vec<u16> {
    let mut marked: Vec<char> = Vec::with_capacity(word.len() + 2);
    marked.push('^');
    marked.extend(word.chars().take(24));
    marked.push('$');
    let mut out = Vec::with_capacity(marked.len() * 2);
    for size in [3, 4] {
        for group in marked.windows(size) {
            let mut buffer = [0_u8; 16];
            let mut len = 0;
            for c in group {
                if let Some(rest) = buffer.get_mut(len..) {
                    len += if rest.len() >= 4 { c.encode_utf8(rest).len() } else { 0 };
                }
            }
            out.push(hash(&[b"l", buffer.get(..len).unwrap_or_default()]));
        }
    }
    out
}

/// FNV-1a with a seed and a final mix, cut to the number of buckets.
fn hash(parts: &[&[u8]]) -> u16 {
    let mut state = 0xCBF2_9CE4_8422_2325_u64 ^ SEED;
    for byte in parts.iter().flat_map(|part| part.iter()) {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    state ^= state >> 32;
    state = state.wrapping_mul(SEED);
    u16::try_from(state >> 48).unwrap_or(0)
}
