//! Fills the structs of `raw` from a YAML tree, and notes every mistake instead of stopping at the first.
//!
//! Invariant: a key no struct knows is always noted, never ignored; a value that does not fit is noted once, at its
//! own place, and costs only the entry it is in.
//! Deliberately absent: guessing types. A field says what it is; the tree only has texts.

use std::cell::RefCell;
use std::fmt;

use countersign_nlu::Span;
use serde::de::value::{BorrowedStrDeserializer, U32Deserializer};
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::diagnostic::did_you_mean;
use crate::yaml::{Entry, Node, NodeKind};

/// The name by which [`crate::raw::Spanned`] asks for its place.
pub(crate) const SPANNED: &str = "$spanned";

/// A mistake and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) code: &'static str,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Where mistakes are noted.
#[derive(Debug, Default)]
pub(crate) struct Sink(RefCell<Vec<Mistake>>);

impl Sink {
    fn note(&self, mistake: Mistake) {
        self.0.borrow_mut().push(mistake);
    }
}

/// What serde passes around: a mistake that is still to be noted, or a mark that it has been.
#[derive(Debug)]
pub(crate) enum Problem {
    Noted,
    New { span: Option<Span>, message: String, help: Option<String> },
}

impl Problem {
    fn at(span: Span, message: String, help: Option<String>) -> Self {
        Problem::New { span: Some(span), message, help }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Noted => f.write_str("noted"),
            Problem::New { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Problem::New { span: None, message: message.to_string(), help: None }
    }

    fn missing_field(field: &'static str) -> Self {
        Problem::custom(format!("the key `{field}` is missing"))
    }
}

/// Reads a whole file. Entries that do not fit are left out; each has a mistake.
pub(crate) fn read<T: de::DeserializeOwned>(node: &Node) -> (Option<T>, Vec<Mistake>) {
    let sink = Sink::default();
    let reader = Reader { node, place: Span { start: node.span.start, end: node.span.start }, sink: &sink };
    let value = reader.noted(T::deserialize);
    (value.ok(), sink.0.into_inner())
}

/// A place in the tree.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'n> {
    node: &'n Node,
    /// What a mistake about this whole value points at: its key where there is one.
    place: Span,
    sink: &'n Sink,
}

impl<'n> Reader<'n> {
    /// Runs a reader of this value; a new mistake is noted here, where its place is known.
    fn noted<T>(self, run: impl FnOnce(Self) -> Result<T, Problem>) -> Result<T, Problem> {
        run(self).map_err(|problem| {
            if let Problem::New { span, message, help } = problem {
                let span = span.unwrap_or_else(|| self.own_place());
                self.sink.note(Mistake { code: "pack/shape", span, message, help });
            }
            Problem::Noted
        })
    }

    /// The words of a scalar; for anything longer, its key.
    fn own_place(self) -> Span {
        match &self.node.kind {
            NodeKind::Scalar { text, .. } if !text.is_empty() => self.node.span,
            NodeKind::Scalar { .. } | NodeKind::List(_) | NodeKind::Map(_) => self.place,
        }
    }

    fn wanted(self, what: &str) -> Problem {
        let found = match &self.node.kind {
            NodeKind::Scalar { .. } if self.node.is_null() => "nothing".to_owned(),
            NodeKind::Scalar { text, .. } => format!("`{text}`"),
            NodeKind::List(_) => "a list".to_owned(),
            NodeKind::Map(_) => "a mapping".to_owned(),
        };
        Problem::at(self.own_place(), format!("expected {what}, found {found}"), None)
    }

    fn text(self, what: &str) -> Result<&'n str, Problem> {
        match &self.node.kind {
            NodeKind::Scalar { text, .. } if !self.node.is_null() => Ok(text),
            NodeKind::Scalar { .. } | NodeKind::List(_) | NodeKind::Map(_) => Err(self.wanted(what)),
        }
    }

    fn number<T: std::str::FromStr>(self) -> Result<T, Problem> {
        let text = self.text("a whole number")?;
        text.parse().map_err(|_| self.wanted("a whole number in range"))
    }

    fn entries(self) -> Result<&'n [Entry], Problem> {
        match &self.node.kind {
            NodeKind::Map(entries) => Ok(entries),
            NodeKind::Scalar { .. } | NodeKind::List(_) => Err(self.wanted("a mapping")),
        }
    }

    fn map<V: Visitor<'n>>(self, known: Option<&[&str]>, visitor: V) -> Result<V::Value, Problem> {
        let entries = self.entries()?;
        let is_known = |entry: &&Entry| known.is_none_or(|known| known.contains(&entry.key.as_str()));
        for entry in entries.iter().filter(|entry| !is_known(entry)) {
            self.unknown(entry, known.unwrap_or_default());
        }
        let entries = entries.iter().filter(is_known);
        visitor.visit_map(Entries { entries, value: None, sink: self.sink })
    }

    fn unknown(self, entry: &Entry, known: &[&str]) {
        let links = ["depends_on", "excludes", "overrides", "requires_rule", "then_rule", "after"];
        let is_rule = known.contains(&"forbid");
        let help = if is_rule && links.contains(&entry.key.as_str()) {
            "rules are a flat list: no rule names another; state the whole condition in this rule".to_owned()
        } else {
            did_you_mean(&entry.key, known.iter().copied())
                .unwrap_or_else(|| format!("known here: {}", known.join(", ")))
        };
        let message = format!("unknown key `{}`", entry.key);
        self.sink.note(Mistake { code: "pack/unknown_key", span: entry.key_span, message, help: Some(help) });
    }
}

/// The entries of a mapping, one by one.
struct Entries<'n, I: Iterator<Item = &'n Entry>> {
    entries: I,
    value: Option<&'n Entry>,
    sink: &'n Sink,
}

impl<'n, I: Iterator<Item = &'n Entry>> MapAccess<'n> for Entries<'n, I> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'n>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry);
        seed.deserialize(Key { entry }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'n>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let entry = self.value.take().ok_or(Problem::Noted)?;
        let reader = Reader { node: &entry.value, place: entry.key_span, sink: self.sink };
        reader.noted(|reader| seed.deserialize(reader))
    }
}

/// The key of an entry, with its place if it is asked for.
struct Key<'n> {
    entry: &'n Entry,
}

impl<'n> Deserializer<'n> for Key<'n> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_borrowed_str(&self.entry.key)
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(self, name: &'static str, visitor: V) -> Result<V::Value, Problem> {
        if name == SPANNED {
            let value = BorrowedStrDeserializer::new(&self.entry.key);
            return visitor.visit_seq(Place { span: self.entry.key_span, at: 0, value: Some(value) });
        }
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'n>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The items of a list, one by one.
struct Items<'n> {
    items: std::slice::Iter<'n, Node>,
    sink: &'n Sink,
}

impl<'n> SeqAccess<'n> for Items<'n> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        let Some(node) = self.items.next() else { return Ok(None) };
        let place = match &node.kind {
            NodeKind::Map(entries) => entries.first().map_or(node.span, |entry| entry.key_span),
            NodeKind::Scalar { .. } | NodeKind::List(_) => node.span,
        };
        Reader { node, place, sink: self.sink }.noted(|reader| seed.deserialize(reader)).map(Some)
    }
}

/// The three parts of a spanned value: start, end, the value itself.
struct Place<D> {
    span: Span,
    at: u8,
    value: Option<D>,
}

impl<'n, D: Deserializer<'n, Error = Problem>> SeqAccess<'n> for Place<D> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        self.at += 1;
        let number = |n: u32| -> U32Deserializer<Problem> { n.into_deserializer() };
        match self.at {
            1 => seed.deserialize(number(self.span.start)).map(Some),
            2 => seed.deserialize(number(self.span.end)).map(Some),
            _ => self.value.take().map(|value| seed.deserialize(value)).transpose(),
        }
    }
}

impl<'n> Deserializer<'n> for Reader<'n> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        match &self.node.kind {
            NodeKind::Scalar { .. } => visitor.visit_borrowed_str(self.text("a value")?),
            NodeKind::List(_) => self.deserialize_seq(visitor),
            NodeKind::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.text("`true` or `false`")? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.wanted("`true` or `false`")),
        }
    }

    fn deserialize_u8<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_u8(self.number()?)
    }

    fn deserialize_u32<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_u32(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_i32<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_i32(self.number()?)
    }

    fn deserialize_i64<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_i64(self.number()?)
    }

    fn deserialize_str<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_borrowed_str(self.text("a text")?)
    }

    fn deserialize_string<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(self, name: &'static str, visitor: V) -> Result<V::Value, Problem> {
        if name == SPANNED {
            return visitor.visit_seq(Place { span: self.own_place(), at: 0, value: Some(self) });
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        match &self.node.kind {
            NodeKind::List(items) => visitor.visit_seq(Items { items: items.iter(), sink: self.sink }),
            NodeKind::Scalar { .. } | NodeKind::Map(_) => Err(self.wanted("a list")),
        }
    }

    fn deserialize_map<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.map(None, visitor)
    }

    fn deserialize_struct<V: Visitor<'n>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        self.map(Some(fields), visitor)
    }

    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let text = self.text(&format!("one of {}", variants.join(", ")))?;
        if !variants.contains(&text) {
            let help = did_you_mean(text, variants.iter().copied());
            let message = format!("expected one of {}, found `{text}`", variants.join(", "));
            return Err(Problem::at(self.node.span, message, help));
        }
        visitor.visit_enum(BorrowedStrDeserializer::new(text))
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'n>>
        i8 i16 i128 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}
