//! Text as the readers see it: folded letters, and tokens that remember where they came from.
//!
//! Invariants: [`fold`] is idempotent; token spans are on character boundaries, in order and disjoint.
//! Deliberately absent: stemming, and mapping of letters of one script to another (a Cyrillic `а` is no Latin `a`).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;

use crate::value::Span;

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenKind {
    /// Letters, with apostrophes between them.
    Word,
    /// ASCII digits after folding.
    Digits,
    /// One mark or symbol, emoji included.
    Mark,
}

/// A piece of text: a word, a run of digits, or one mark.
///
/// `R$1500` is `r`, `$`, `1500`; `segunda-feira` is two words, because a hyphen between letters only joins them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The folded letters.
    pub text: String,
    /// Where it stands in the original text.
    pub span: Span,
    /// What it is made of.
    pub kind: TokenKind,
}

impl Token {
    /// True for a run of letters.
    #[must_use]
    pub fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    /// True if `next` starts where this one ends.
    #[must_use]
    pub fn touches(&self, next: &Token) -> bool {
        self.span.end == next.span.start
    }
}

/// How often folding is repeated until nothing changes; two rounds suffice for all of Unicode 16, four is slack.
const FOLD_ROUNDS_MAX: usize = 4;

/// Lower case, without accents, compatibility forms unified, invisible characters removed, spaces collapsed.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return collapse(text.chars().map(|c| c.to_ascii_lowercase()));
    }
    let mut now = fold_once(text);
    for _ in 0..FOLD_ROUNDS_MAX {
        let next = fold_once(&now);
        if next == now {
            break;
        }
        now = next;
    }
    now
}

/// Every word, number and mark of a text, in order; the length of the text is the caller's bound.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(text.len() / 4);
    let mut open: Option<(usize, TokenKind)> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let class = classify(c);
        if class == Class::Attached {
            continue;
        }
        let kind = class.kind();
        if let Some((start, was)) = open {
            let joins = kind == Some(was) && was != TokenKind::Mark;
            let apostrophe = was == TokenKind::Word
                && is_apostrophe(c)
                && chars.peek().is_some_and(|(_, next)| classify(*next) == Class::Letter);
            if joins || apostrophe {
                continue;
            }
            push(&mut out, text, start, at, was);
            open = None;
            let hyphen = was == TokenKind::Word
                && is_dash(c)
                && chars.peek().is_some_and(|(_, next)| classify(*next) == Class::Letter);
            if hyphen {
                continue;
            }
        }
        if let Some(kind) = kind {
            open = Some((at, kind));
        }
    }
    if let Some((start, was)) = open {
        push(&mut out, text, start, text.len(), was);
    }
    out
}

/// Removes what nobody can see (control and zero-width characters) and trims; keeps case, accents and line breaks.
#[must_use]
pub fn scrub(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c == '\n' || !is_invisible(*c)).collect();
    kept.trim().to_owned()
}

fn push(out: &mut Vec<Token>, text: &str, start: usize, end: usize, kind: TokenKind) {
    let raw = text.get(start..end).unwrap_or_default();
    let trimmed = raw.trim_end_matches(|c: char| is_attached(c) && is_invisible(c) && c != '\u{FE0F}');
    let folded = fold(trimmed);
    if !folded.is_empty() {
        out.push(Token { text: folded, span: Span::new(start, start + trimmed.len()), kind });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Mark,
    Space,
    /// Belongs to whatever stands before it: accents, variation selectors, skin tones, joiners.
    Attached,
}

impl Class {
    fn kind(self) -> Option<TokenKind> {
        match self {
            Class::Letter => Some(TokenKind::Word),
            Class::Digit => Some(TokenKind::Digits),
            Class::Mark => Some(TokenKind::Mark),
            Class::Space | Class::Attached => None,
        }
    }
}

fn classify(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Digit,
            _ if c.is_ascii_whitespace() => Class::Space,
            _ if c.is_ascii_control() => Class::Attached,
            _ => Class::Mark,
        };
    }
    if is_attached(c) {
        Class::Attached
    } else if c.is_whitespace() {
        Class::Space
    } else if is_digit(c) {
        Class::Digit
    } else if c.is_alphabetic() && !is_folded_to_mark(c) {
        Class::Letter
    } else {
        Class::Mark
    }
}

/// Digits of other shapes (full-width, mathematical) that mean an ASCII digit; superscripts are notes, not numbers.
fn is_digit(c: char) -> bool {
    if matches!(c, '²' | '³' | '¹' | '\u{2070}'..='\u{2089}') {
        return false;
    }
    let (mut count, mut digit) = (0, false);
    decompose_compatible(c, |part| {
        count += 1;
        digit = part.is_ascii_digit();
    });
    count == 1 && digit
}

fn is_folded_to_mark(c: char) -> bool {
    let mut letter = false;
    decompose_compatible(c, |part| letter |= part.is_alphabetic());
    !letter
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{02BC}')
}

/// Every character people use as a hyphen or minus.
pub(crate) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}')
}

fn is_attached(c: char) -> bool {
    is_accent(c) || matches!(c, '\u{1F3FB}'..='\u{1F3FF}') || (is_invisible(c) && !c.is_whitespace())
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

fn is_invisible(c: char) -> bool {
    match c {
        _ if c.is_whitespace() => false,
        '\u{00AD}'
        | '\u{034F}'
        | '\u{061C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => true,
        _ => c.is_control(),
    }
}

fn fold_once(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_invisible(*c) && !matches!(c, '\u{1F3FB}'..='\u{1F3FF}'));
    let plain = shown.nfkd().filter(|c| !is_accent(*c) && !is_invisible(*c)).flat_map(char::to_lowercase);
    let mut mapped = String::with_capacity(text.len());
    for c in plain {
        if !is_accent(c) {
            push_plain(&mut mapped, c);
        }
    }
    collapse(mapped.nfc())
}

/// Letters and marks that have no decomposition but one obvious plain spelling.
fn push_plain(out: &mut String, c: char) {
    match c {
        'ı' => out.push('i'),
        'ø' => out.push('o'),
        'ł' => out.push('l'),
        'đ' | 'ð' => out.push('d'),
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{02BC}' | '\u{00B4}' | '\u{2032}' => out.push('\''),
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{00AB}' | '\u{00BB}' | '\u{2033}' => out.push('"'),
        _ if is_dash(c) => out.push('-'),
        _ => out.push(c),
    }
}

fn collapse(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else if !c.is_control() {
            if gap {
                out.push(' ');
                gap = false;
            }
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_fold(text: &str, wanted: &str) {
        assert_eq!(fold(text), wanted, "{text:?}");
    }

    #[test]
    fn folding() {
        check_fold("  Amanhã,\tÀS 8H ", "amanha, as 8h");
        check_fold("ＳＩＭ", "sim");
        check_fold("𝐬𝐢𝐦", "sim");
        check_fold("s\u{200B}i\u{200D}m", "sim");
        check_fold("a\u{0303}", "a");
        check_fold("İstanbul ılık", "istanbul ilik");
        check_fold("“sim”", "\"sim\"");
        check_fold("−5 – 6", "-5 - 6");
        check_fold("👍🏽", "👍");
        check_fold("2º ½ ﬁm", "2o 1⁄2 fim");
        check_fold("", "");
        check_fold("हिन्दी", "हिन्दी");
    }

    fn check_tokens(text: &str, wanted: &[&str]) {
        let found: Vec<String> = tokens(text).into_iter().map(|t| t.text).collect();
        assert_eq!(found, wanted, "{text:?}");
    }

    #[test]
    fn splitting() {
        check_tokens("R$1.500,00!", &["r", "$", "1", ".", "500", ",", "00", "!"]);
        check_tokens("segunda-feira às 20h30", &["segunda", "feira", "as", "20", "h", "30"]);
        check_tokens("don’t BOL-1001", &["don't", "bol", "-", "1001"]);
        check_tokens("ok👍🏽👍", &["ok", "👍", "👍"]);
        check_tokens("2º 1️⃣", &["2", "o", "1"]);
        check_tokens(" \u{200B} ", &[]);
        check_tokens("'sim'", &["'", "sim", "'"]);
    }

    #[test]
    fn spans_point_at_the_original() {
        let text = "às 8h da manhã";
        let spans: Vec<&str> = tokens(text).iter().map(|t| t.span.of(text)).collect();
        assert_eq!(spans, ["às", "8", "h", "da", "manhã"]);
    }

    #[test]
    fn scrubbing_keeps_what_is_visible() {
        assert_eq!(scrub(" Olá\u{200B},\nAna\u{0007} "), "Olá,\nAna");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn spans_are_ordered_and_on_boundaries(text in any::<String>()) {
            let mut last = 0;
            for token in tokens(&text) {
                prop_assert!(token.span.start >= last && token.span.end > token.span.start);
                prop_assert!(text.get(token.span.start as usize..token.span.end as usize).is_some());
                prop_assert!(!token.text.is_empty());
                last = token.span.end;
            }
        }
    }
}
