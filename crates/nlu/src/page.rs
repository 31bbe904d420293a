//! A text with its tokens and every meaning the lexicon knows for each: what all readers work on.
//!
//! Invariant: built once per reading, never changed; positions are token indices, spans are bytes of the text.
//! Deliberately absent: any decision; a page only answers "could the words at this place mean that?".

use crate::language::Language;
use crate::lexicon::{Cat, Entry, Lexicon};
use crate::text::{self, Token, TokenKind};
use crate::value::Span;

/// A text, its tokens and what they may mean.
pub(crate) struct Page<'t> {
    /// The original.
    pub(crate) text: &'t str,
    /// Its tokens.
    pub(crate) tokens: Vec<Token>,
    /// Its words.
    pub(crate) lexicon: &'static Lexicon,
    /// True if an e-mail address may be in it.
    pub(crate) has_address: bool,
    entries: Vec<&'static [Entry]>,
}

/// One meaning of the words at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sense {
    /// The lexicon's value, or nothing.
    pub(crate) value: &'static str,
    /// The lexicon's value as a number, or zero.
    pub(crate) number: i64,
    /// How many tokens it covers; at least one.
    pub(crate) len: usize,
}

impl<'t> Page<'t> {
    pub(crate) fn new(text: &'t str, language: Language) -> Page<'t> {
        let lexicon = Lexicon::of(language);
        let tokens = text::tokens(text);
        let entries = tokens.iter().map(|token| lexicon.starting_with(&token.text)).collect();
        Page { text, tokens, lexicon, has_address: text.contains('@'), entries }
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The longest phrase of a section that starts here.
    pub(crate) fn sense(&self, at: usize, cat: Cat) -> Option<Sense> {
        let entries = self.entries.get(at)?;
        entries.iter().find(|entry| entry.cat == cat && self.continues(at + 1, &entry.rest)).map(|entry| Sense {
            value: &entry.value,
            number: entry.number,
            len: entry.rest.len() + 1,
        })
    }

    /// True if a phrase of the section starts here.
    pub(crate) fn is(&self, at: usize, cat: Cat) -> bool {
        self.sense(at, cat).is_some()
    }

    /// True if no typed value can start with the word here, as far as the lexicon goes.
    pub(crate) fn is_plain(&self, at: usize) -> bool {
        let Some(entries) = self.entries.get(at) else { return true };
        !entries.iter().any(|entry| {
            matches!(
                entry.cat,
                Cat::AgoBefore
                    | Cat::Ahead
                    | Cat::Article
                    | Cat::Cardinal
                    | Cat::Clock
                    | Cat::Currency
                    | Cat::CurrencySymbol
                    | Cat::Day
                    | Cat::DayCue
                    | Cat::Half
                    | Cat::IdPrefix
                    | Cat::LastBefore
                    | Cat::Minus
                    | Cat::Month
                    | Cat::NextBefore
                    | Cat::Ordinal
                    | Cat::Period
                    | Cat::Quarter
                    | Cat::Scale
                    | Cat::ThisBefore
                    | Cat::TimeCue
                    | Cat::WeakCardinal
                    | Cat::WeakWeekday
                    | Cat::Weekday
                    | Cat::WeekdayOrOrdinal
            )
        })
    }

    /// Skips one phrase of the section, if it stands here.
    pub(crate) fn skip(&self, at: usize, cat: Cat) -> usize {
        self.sense(at, cat).map_or(at, |sense| at + sense.len)
    }

    /// The length of the phrase of a section that ends just before `at`, if there is one.
    pub(crate) fn before(&self, at: usize, cat: Cat) -> Option<usize> {
        // Cues are at most four words; a longer phrase before a value is never one.
        (1..=4.min(at)).find(|back| self.sense(at - back, cat).is_some_and(|sense| sense.len == *back))
    }

    pub(crate) fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    /// The folded text at a place, or nothing.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    pub(crate) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(crate) fn is_digits(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Digits)
    }

    pub(crate) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Word)
    }

    /// True if this token and the next stand together without a space.
    pub(crate) fn touches_next(&self, at: usize) -> bool {
        match (self.tokens.get(at), self.tokens.get(at + 1)) {
            (Some(left), Some(right)) => left.touches(right),
            (Some(_) | None, None) | (None, Some(_)) => false,
        }
    }

    /// True if this token and the one before stand together without a space.
    pub(crate) fn touches_previous(&self, at: usize) -> bool {
        at > 0 && self.touches_next(at - 1)
    }

    /// True if a mark stands between digits, as in `20.30` or `8:15`.
    pub(crate) fn touches_digits(&self, at: usize) -> bool {
        at > 0 && self.is_digits(at - 1) && self.touches_previous(at) && self.is_digits(at + 1) && self.touches_next(at)
    }

    /// The original words of one token.
    pub(crate) fn raw(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.span.of(self.text))
    }

    /// The bytes from token `from` up to, not including, token `to`.
    pub(crate) fn span(&self, from: usize, to: usize) -> Span {
        let start = self.tokens.get(from).map_or(0, |token| token.span.start);
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.span.end);
        Span { start, end: end.max(start) }
    }

    fn continues(&self, at: usize, rest: &[Box<str>]) -> bool {
        rest.iter().enumerate().all(|(i, word)| self.tokens.get(at + i).is_some_and(|token| token.text == **word))
    }
}
