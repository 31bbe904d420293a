//! A person's own words: in quotes, after a cue ("dizendo que"), or after a colon.
//!
//! Invariant: the result is the exact bytes the person wrote, only trimmed at the ends.
//! Deliberately absent: rewriting of any kind.

use crate::text::{self, Token};
use crate::value::{Found, Kind, Span, Value};

/// The person's own words: inside quotes first, else after the first cue, else after the first colon.
///
/// Single quotes count only around words, never as apostrophes; a colon inside a time or a web address is none.
#[must_use]
pub fn after_cue(text: &str, cues: &[String]) -> Option<Found> {
    let tokens = text::tokens(text);
    let after = cue_end(&tokens, cues);
    let start = match after {
        Some(at) => skip_marks(text, at),
        None => 0,
    };
    let rest = text.get(start..)?;
    if let Some((from, to)) = quoted(rest) {
        return found(text, start + from, start + to);
    }
    if after.is_some() {
        return found(text, start, text.len());
    }
    let colon = colon(&tokens)?;
    found(text, colon, text.len())
}

/// The byte after the first cue that stands in the text; on equal start the longest cue.
fn cue_end(tokens: &[Token], cues: &[String]) -> Option<usize> {
    let cues: Vec<Vec<String>> =
        cues.iter().map(|cue| text::tokens(cue).into_iter().map(|t| t.text).collect()).collect();
    (0..tokens.len()).find_map(|at| {
        let standing = cues.iter().filter(|cue| !cue.is_empty() && stands(tokens, at, cue)).map(Vec::len).max()?;
        tokens.get(at + standing - 1).map(|token| token.span.end as usize)
    })
}

fn stands(tokens: &[Token], at: usize, cue: &[String]) -> bool {
    cue.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == *word))
}

/// Spaces, a colon, a comma or a dash between a cue and the words.
fn skip_marks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | '–' | '—'));
    at + rest.len() - trimmed.len()
}

/// The inside of the first pair of quotes, as byte offsets.
fn quoted(text: &str) -> Option<(usize, usize)> {
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let is_inside_word = before.is_some_and(char::is_alphanumeric);
        let closing = match c {
            '"' => Some('"'),
            '“' | '„' | '”' => Some('”'),
            '«' => Some('»'),
            '\'' | '‘' if !is_inside_word => Some(if c == '\'' { '\'' } else { '’' }),
            _ => None,
        };
        if let Some(closing) = closing {
            let from = at + c.len_utf8();
            if let Some(to) = close(text, from, closing).filter(|to| *to > from) {
                return Some((from, to));
            }
        }
        before = Some(c);
    }
    None
}

/// Where the closing quote stands; a single one must end a word and not sit inside one.
fn close(text: &str, from: usize, closing: char) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.char_indices()
        .find(|(at, c)| {
            let is_close = *c == closing || (closing == '”' && matches!(c, '"' | '“'));
            let next = rest.get(at + c.len_utf8()..).and_then(|tail| tail.chars().next());
            is_close && (!matches!(closing, '\'' | '’') || next.is_none_or(|n| !n.is_alphanumeric()))
        })
        .map(|(at, _)| from + at)
}

/// The byte after the first colon that separates.
fn colon(tokens: &[Token]) -> Option<usize> {
    tokens.iter().enumerate().find_map(|(at, token)| {
        let next = tokens.get(at + 1)?;
        let is_tight = token.touches(next);
        (token.text == ":" && !is_tight).then_some(token.span.end as usize)
    })
}

fn found(text: &str, from: usize, to: usize) -> Option<Found> {
    let raw = text.get(from..to)?;
    let words = raw.trim();
    if words.is_empty() {
        return None;
    }
    let start = from + (raw.len() - raw.trim_start().len());
    Some(Found { kind: Kind::Text, value: Value::text(words), span: Span::new(start, start + words.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn own_words() {
        let cues = ["dizendo", "dizendo que", "avisando", "saying"].map(str::to_owned);
        for (text, wanted) in [
            ("manda pra ela dizendo que o boleto vence hoje", Some("o boleto vence hoje")),
            ("manda dizendo: Olá,  Ana! ", Some("Olá,  Ana!")),
            ("manda dizendo \"Olá, Ana\" agora", Some("Olá, Ana")),
            ("avisa com a mensagem “chego já”", Some("chego já")),
            ("send a note saying I'm late, it's raining", Some("I'm late, it's raining")),
            ("note: see you at 8", Some("see you at 8")),
            ("mensagem: 'não esquece'", Some("não esquece")),
            ("às 20:30", None),
            ("veja https://example.com", None),
            ("don't forget the kids' toys", None),
            ("dizendo", None),
            ("", None),
            ("\"\"", None),
        ] {
            let found = after_cue(text, &cues);
            assert_eq!(found.as_ref().and_then(|f| f.value.as_text()), wanted, "{text}");
            if let Some(found) = found {
                assert_eq!(Some(found.span.of(text)), wanted, "{text}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_bytes_are_exact(text in "[a-z \"'“”:,ãé]{0,40}|\\PC{0,30}", cue in "[a-z]{1,3}|\\PC{0,3}") {
            if let Some(found) = after_cue(&text, &[cue]) {
                prop_assert_eq!(Some(found.span.of(&text)), found.value.as_text());
            }
        }
    }
}
