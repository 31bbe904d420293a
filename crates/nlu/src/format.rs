//! Values as people read them.
use crate::{Language, Money};
use jiff::civil::{Date, Time};
use rust_decimal::Decimal;

/// An amount: `R$ 1.500,00`, `$20.00`.
#[must_use]
pub fn money(_money: Money, _language: Language) -> String {
    String::new()
}

/// A day: `20/11/2026`, `20 Nov 2026`.
#[must_use]
pub fn date(_date: Date, _language: Language) -> String {
    String::new()
}

/// A time of day: `20:30`.
#[must_use]
pub fn time(_time: Time, _language: Language) -> String {
    String::new()
}

/// A number with the language's separators.
#[must_use]
pub fn number(_number: Decimal, _language: Language) -> String {
    String::new()
}
