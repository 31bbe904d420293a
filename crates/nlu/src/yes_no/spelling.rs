//! Small mistakes an answer may have: stretched letters, and, for a no only, one wrong letter in a long word.
//!
//! A yes is a closed list: `confirma` is one letter from `confirmo` and may be the question handed back.

use std::borrow::Cow;

/// Shorter words are too close to other words for a wrong letter to be forgiven.
const TYPO_LETTERS_MIN: usize = 6;

/// True if a token is a stretched single word of the list.
pub(super) fn is_stretch_of_any(token: &str, phrases: &[Cow<'_, str>]) -> bool {
    if !is_stretched(token) {
        return false;
    }
    let squeezed = squeeze(token);
    single(phrases).any(|word| squeeze(word) == squeezed)
}

/// True if a token is a slightly misspelt single word of the list.
pub(super) fn is_typo_of_any(token: &str, phrases: &[Cow<'_, str>]) -> bool {
    token.len() >= TYPO_LETTERS_MIN && token.is_ascii() && single(phrases).any(|word| is_typo(token, word))
}

fn single<'p>(phrases: &'p [Cow<'_, str>]) -> impl Iterator<Item = &'p Cow<'p, str>> {
    phrases.iter().filter(|phrase| !phrase.contains(' '))
}

/// Three equal letters in a row, or two at the end: `siiim`, `okk`.
fn is_stretched(token: &str) -> bool {
    let letters: Vec<char> = token.chars().collect();
    let ends_double = letters.len() > 2 && letters.last() == letters.iter().rev().nth(1);
    letters.iter().all(|c| c.is_alphabetic())
        && (ends_double || letters.windows(3).any(|run| matches!(run, [a, b, c] if a == b && b == c)))
}

fn squeeze(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}

/// One letter changed, added or dropped, but never the first: a different start is a different word.
fn is_typo(token: &str, word: &str) -> bool {
    word.len() >= TYPO_LETTERS_MIN
        && word.len().abs_diff(token.len()) <= 1
        && word.chars().next() == token.chars().next()
        && strsim::levenshtein(token, word) <= 1
}
