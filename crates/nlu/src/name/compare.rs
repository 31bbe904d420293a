//! How close a said name is to a known one.

use serde::{Deserialize, Serialize};

use crate::text::{self, TokenKind};

/// How close a said name is to a known one, closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closeness {
    /// The same, but for case, accents and spacing.
    Exact,
    /// Some of its whole words: "joao" for "João Silva".
    Part,
    /// The same or a part, but for a typing mistake or another spelling of the same sound: "Anna Sousa" for "Ana Souza".
    Near,
}

/// Words this long may have two wrong letters; shorter ones at most one.
const TWO_ERRORS_LETTERS: usize = 8;
/// Both words must have at least this many letters for any wrong letter, and one of them one more.
const ONE_ERROR_LETTERS: usize = 3;

/// How close `said` is to `candidate`, if at all.
///
/// Particles ("da", "de") alone never match, and initials are no words.
#[must_use]
pub fn resembles(candidate: &str, said: &str) -> Option<Closeness> {
    let (known, said) = (words(candidate), words(said));
    if said.is_empty() || known.is_empty() {
        return None;
    }
    if known == said {
        return Some(Closeness::Exact);
    }
    let said: Vec<&String> = said.iter().filter(|word| !is_particle(word)).collect();
    if said.is_empty() {
        return None;
    }
    if said.iter().all(|word| word.len() > 1 && known.contains(word)) {
        return Some(Closeness::Part);
    }
    let mut free: Vec<&String> = known.iter().collect();
    for word in said {
        let at = free.iter().position(|other| is_near(other, word))?;
        free.remove(at);
    }
    Some(Closeness::Near)
}

fn words(name: &str) -> Vec<String> {
    text::tokens(name).into_iter().filter(|token| token.kind != TokenKind::Mark).map(|token| token.text).collect()
}

fn is_particle(word: &str) -> bool {
    matches!(word, "da" | "de" | "do" | "das" | "dos" | "e" | "van" | "von" | "der" | "del" | "la")
}

fn is_near(known: &str, said: &str) -> bool {
    if known == said || sound(known) == sound(said) {
        return known.len() > 1 && said.len() > 1;
    }
    let (short, long) =
        (known.chars().count().min(said.chars().count()), known.chars().count().max(said.chars().count()));
    if sound(known).chars().next() != sound(said).chars().next() {
        return false;
    }
    let errors_max = match (short, long) {
        (_, _) if short >= TWO_ERRORS_LETTERS => 2,
        (ONE_ERROR_LETTERS.., _) if long > ONE_ERROR_LETTERS => 1,
        (_, _) => 0,
    };
    errors_max > 0 && strsim::osa_distance(known, said) <= errors_max
}

/// Spellings of one sound made equal: double letters, s/z, i/y, c/k, v/w, ph, th, silent h.
fn sound(word: &str) -> String {
    let word = word.replace("ph", "f").replace("th", "t").replace("ck", "k");
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        let c = match c {
            'z' => 's',
            'y' => 'i',
            'c' | 'q' => 'k',
            'w' => 'v',
            other => other,
        };
        if c != 'h' && !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}
