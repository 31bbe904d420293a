//! Words for types: `money`, `date`, `text?`.

use countersign_kernel::expr::Type;
use countersign_nlu::{Currency, Kind};

use super::Lowerer;
use crate::raw::Text;

/// The words for what a person or planner can say.
const KINDS: [(&str, Kind); 11] = [
    ("number", Kind::Number),
    ("money", Kind::Money),
    ("date", Kind::Date),
    ("time", Kind::Time),
    ("duration", Kind::Duration),
    ("phone", Kind::Phone),
    ("email", Kind::Email),
    ("id", Kind::Id),
    ("name", Kind::Name),
    ("text", Kind::Text),
    ("flag", Kind::Flag),
];

/// The words for what a system of record can hold.
const TYPES: [&str; 9] = ["text", "int", "decimal", "money", "date", "time", "instant", "duration", "bool"];

/// The word for a kind.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    KINDS.iter().find(|(_, known)| *known == kind).map_or("ordinal", |(name, _)| name)
}

/// The kind a word names.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    KINDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
}

/// What a value of a kind is in an expression. A number may be a fraction, so it is a decimal there.
pub(crate) fn expr_type(kind: Kind, currency: Currency) -> Type {
    match kind {
        Kind::Number => Type::Decimal,
        Kind::Ordinal => Type::Int,
        Kind::Money => Type::Money(currency),
        Kind::Date => Type::Date,
        Kind::Time => Type::Time,
        Kind::Duration => Type::Duration,
        Kind::Phone | Kind::Email | Kind::Id | Kind::Name | Kind::Text => Type::Text,
        Kind::Flag => Type::Bool,
    }
}

impl Lowerer<'_, '_> {
    /// The kind of a slot or argument.
    pub(super) fn kind(&mut self, file: &str, written: &Text) -> Option<Kind> {
        let found = kind_of(&written.value);
        if found.is_none() {
            self.unknown("pack/unknown_type", "type", file, written, KINDS.iter().map(|(name, _)| *name));
        }
        found
    }

    /// The type of a field or parameter; a `?` says that it may be absent.
    pub(super) fn field_type(&mut self, file: &str, written: &Text) -> Option<Type> {
        let word = written.value.strip_suffix('?').unwrap_or(&written.value);
        let plain = match word {
            "text" => Type::Text,
            "int" => Type::Int,
            "decimal" => Type::Decimal,
            "money" => Type::Money(self.currency),
            "date" => Type::Date,
            "time" => Type::Time,
            "instant" => Type::Instant,
            "duration" => Type::Duration,
            "bool" => Type::Bool,
            _ => {
                self.unknown("pack/unknown_type", "type", file, written, TYPES.into_iter());
                return None;
            }
        };
        Some(if word.len() < written.value.len() { Type::Optional(Box::new(plain)) } else { plain })
    }
}
