//! The types of the expression language and the names an expression may read.
//!
//! Invariant: money carries its currency in the type, so amounts of different currencies never meet.
//! Deliberately absent: floats, functions, any type that a [`Value`] cannot hold.

use std::collections::BTreeMap;
use std::fmt;

use countersign_nlu::{Currency, Value};

/// Deepest type that a value is compared against; deeper ones never fit, which blocks.
const TYPE_DEPTH_MAX: usize = 16;

/// What a name, a field or an expression holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Yes or no.
    Bool,
    /// A whole number.
    Int,
    /// An exact fraction.
    Decimal,
    /// An amount of one currency.
    Money(Currency),
    /// Text, an id, a phone.
    Text,
    /// A calendar day.
    Date,
    /// A time of day.
    Time,
    /// A point in time.
    Instant,
    /// A length of time.
    Duration,
    /// Several values of one type.
    List(Box<Type>),
    /// Named values.
    Record(BTreeMap<String, Type>),
    /// A value that may be absent; reading it while it is absent cannot be decided.
    Optional(Box<Type>),
}

impl Type {
    /// The type without its `Optional` wrappers: what a successful read gives.
    #[must_use]
    pub fn plain(&self) -> &Type {
        let mut plain = self;
        while let Type::Optional(inner) = plain {
            plain = inner;
        }
        plain
    }

    /// True for whole numbers and fractions.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Decimal)
    }

    /// True if `<` makes sense.
    pub(super) fn is_ordered(&self) -> bool {
        match self {
            Type::Int
            | Type::Decimal
            | Type::Money(_)
            | Type::Text
            | Type::Date
            | Type::Time
            | Type::Instant
            | Type::Duration => true,
            Type::Bool | Type::List(_) | Type::Record(_) | Type::Optional(_) => false,
        }
    }

    /// True if `==` makes sense: scalars and lists of scalars.
    pub(super) fn is_equatable(&self) -> bool {
        match self {
            Type::List(element) => element.plain().is_scalar(),
            Type::Bool
            | Type::Int
            | Type::Decimal
            | Type::Money(_)
            | Type::Text
            | Type::Date
            | Type::Time
            | Type::Instant
            | Type::Duration
            | Type::Record(_)
            | Type::Optional(_) => self.is_scalar(),
        }
    }

    /// True for a single value, as opposed to a list or a record.
    pub(super) fn is_scalar(&self) -> bool {
        self.is_ordered() || matches!(self, Type::Bool)
    }

    /// The one type that both fit into, if there is one: int widens to decimal, a number may become money.
    pub(super) fn join(&self, other: &Type) -> Option<Type> {
        match (self.plain(), other.plain()) {
            (a, b) if a == b => Some(a.clone()),
            (Type::Int, Type::Decimal) | (Type::Decimal, Type::Int) => Some(Type::Decimal),
            (money @ Type::Money(_), number) | (number, money @ Type::Money(_)) if number.is_number() => {
                Some(money.clone())
            }
            (Type::List(a), Type::List(b)) => a.join(b).map(|element| Type::List(Box::new(element))),
            (_, _) => None,
        }
    }

    /// True if the value is of this type; a whole number also fits a decimal.
    pub(super) fn fits(&self, value: &Value) -> bool {
        fits(self, value, TYPE_DEPTH_MAX)
    }
}

fn fits(ty: &Type, value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match (ty, value) {
        (Type::Optional(inner), value) => matches!(value, Value::Null) || fits(inner, value, depth),
        (Type::Money(currency), Value::Money(money)) => money.currency == *currency,
        (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Decimal, Value::Decimal(_) | Value::Int(_))
        | (Type::Text, Value::Text(_))
        | (Type::Date, Value::Date(_))
        | (Type::Time, Value::Time(_))
        | (Type::Instant, Value::Instant(_))
        | (Type::Duration, Value::Duration(_)) => true,
        (Type::List(element), Value::List(values)) => values.iter().all(|value| fits(element, value, depth)),
        (Type::Record(fields), Value::Record(values)) => {
            fields.iter().all(|(name, ty)| fits(ty, values.get(name).unwrap_or(&Value::Null), depth))
        }
        (_, _) => false,
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Decimal => f.write_str("decimal"),
            Type::Money(currency) => write!(f, "money({})", currency.code()),
            Type::Text => f.write_str("text"),
            Type::Date => f.write_str("date"),
            Type::Time => f.write_str("time"),
            Type::Instant => f.write_str("instant"),
            Type::Duration => f.write_str("duration"),
            Type::List(element) => write!(f, "list({element})"),
            Type::Record(_) => f.write_str("record"),
            Type::Optional(inner) => write!(f, "optional({inner})"),
        }
    }
}

/// The names an expression may read, with their types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope(BTreeMap<String, Type>);

impl Scope {
    /// A scope without names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same scope with one more name; a name given twice keeps the last type.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, ty: Type) -> Self {
        self.insert(name, ty);
        self
    }

    /// Adds a name; a name given twice keeps the last type.
    pub fn insert(&mut self, name: impl Into<String>, ty: Type) {
        self.0.insert(name.into(), ty);
    }

    /// The type of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Type> {
        self.0.get(name)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl From<BTreeMap<String, Type>> for Scope {
    fn from(names: BTreeMap<String, Type>) -> Self {
        Self(names)
    }
}
