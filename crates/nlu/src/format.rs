//! Values as people read them, in each language's own spelling.
//!
//! Invariant: what is written here is read back by `extract` as the same value (held by `written_values_read_back`).
//! Deliberately absent: words around a value, and rounding; a value is shown exactly.

use jiff::civil::{Date, Time};
use rust_decimal::Decimal;

use crate::language::Language;
use crate::lexicon::Lexicon;
use crate::value::{Currency, Money};

/// An amount: `R$ 1.500,00` in Portuguese, `R$1,500.00` or `$20.00` in English; a currency without a sign by its code.
#[must_use]
pub fn money(money: Money, language: Language) -> String {
    let places = usize::try_from(money.currency.exponent()).unwrap_or(2);
    let digits = format!("{:0>width$}", money.minor.unsigned_abs(), width = places + 1);
    let (whole, cents) = digits.split_at_checked(digits.len() - places).unwrap_or((&digits, ""));
    let sign = if money.minor < 0 { "-" } else { "" };
    let symbol = symbol(&money.currency, language);
    let is_spaced = language != Language::En || symbol.len() == 3 && symbol.chars().all(char::is_alphabetic);
    let gap = if is_spaced { " " } else { "" };
    let mut out = format!("{sign}{symbol}{gap}{}", grouped(whole, language));
    if places > 0 {
        out.push(decimal(language));
        out.push_str(cents);
    }
    out
}

/// A day: `20/11/2026` in Portuguese, `20 Nov 2026` in English.
#[must_use]
pub fn date(date: Date, language: Language) -> String {
    match language {
        Language::En => {
            let month = usize::try_from(date.month() - 1).ok().and_then(|at| MONTHS_EN.get(at)).unwrap_or(&"");
            format!("{} {month} {:04}", date.day(), date.year())
        }
        Language::Pt | Language::Sw => format!("{:02}/{:02}/{:04}", date.day(), date.month(), date.year()),
        Language::Tr => format!("{:02}.{:02}.{:04}", date.day(), date.month(), date.year()),
    }
}

/// A time of day on the 24-hour clock: `20:30`; seconds only if there are any.
#[must_use]
pub fn time(time: Time, _language: Language) -> String {
    match time.second() {
        0 => format!("{:02}:{:02}", time.hour(), time.minute()),
        second => format!("{:02}:{:02}:{second:02}", time.hour(), time.minute()),
    }
}

/// A number with the language's separators: `1.500,5` in Portuguese, `1,500.5` in English.
#[must_use]
pub fn number(number: Decimal, language: Language) -> String {
    let text = number.normalize().abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if number.is_sign_negative() && !number.is_zero() { "-" } else { "" };
    let mut out = format!("{sign}{}", grouped(whole, language));
    if !fraction.is_empty() {
        out.push(decimal(language));
        out.push_str(fraction);
    }
    out
}

/// The English month names of dates; other languages write dates in digits.
const MONTHS_EN: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn decimal(language: Language) -> char {
    match language {
        Language::Tr => ',',
        Language::En | Language::Pt | Language::Sw => Lexicon::of(language).decimal,
    }
}

fn grouped(digits: &str, language: Language) -> String {
    let mark = if decimal(language) == ',' { '.' } else { ',' };
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(mark);
        }
        out.push(digit);
    }
    out
}

/// A currency's sign, or its code; outside English a dollar is always `US$`, because `$` may mean local money.
fn symbol(currency: &Currency, language: Language) -> &str {
    match (currency.code(), language) {
        ("BRL", _) => "R$",
        ("USD", Language::En) => "$",
        ("USD", Language::Pt | Language::Sw | Language::Tr) => "US$",
        ("EUR", _) => "€",
        ("GBP", _) => "£",
        ("TRY", _) => "₺",
        ("KES", _) => "KSh",
        (code, _) => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Found, Kind, Region, Value, extract};
    use jiff::civil::date as day;
    use proptest::prelude::*;

    #[test]
    fn amounts() {
        for (minor, currency, pt, en) in [
            (150_000, Currency::BRL, "R$ 1.500,00", "R$1,500.00"),
            (2000, Currency::USD, "US$ 20,00", "$20.00"),
            (5, Currency::BRL, "R$ 0,05", "R$0.05"),
            (-5000, Currency::BRL, "-R$ 50,00", "-R$50.00"),
            (0, Currency::EUR, "€ 0,00", "€0.00"),
            (123_456_789, Currency::KES, "KSh 1.234.567,89", "KSh 1,234,567.89"),
            (1500, Currency::parse("JPY").expect("a code"), "JPY 1.500", "JPY 1,500"),
        ] {
            assert_eq!(money(Money::new(minor, currency), Language::Pt), pt);
            assert_eq!(money(Money::new(minor, currency), Language::En), en);
        }
    }

    #[test]
    fn days_times_numbers() {
        assert_eq!(date(day(2026, 11, 20), Language::Pt), "20/11/2026");
        assert_eq!(date(day(2026, 1, 2), Language::En), "2 Jan 2026");
        assert_eq!(time(Time::constant(20, 30, 0, 0), Language::Pt), "20:30");
        assert_eq!(time(Time::constant(8, 5, 9, 0), Language::En), "08:05:09");
        assert_eq!(number(Decimal::new(15005, 1), Language::Pt), "1.500,5");
        assert_eq!(number(Decimal::new(-1_500_000, 0), Language::En), "-1,500,000");
        assert_eq!(number(Decimal::new(-0, 0), Language::En), "0");
    }

    fn read(text: &str, language: Language) -> Vec<(Kind, Value)> {
        let (currency, region) = match language {
            Language::Pt => (Currency::BRL, Region::BR),
            Language::En | Language::Sw | Language::Tr => (Currency::USD, Region::US),
        };
        let ctx = Context { now: day(2026, 11, 15).at(10, 0, 0, 0), language, currency, region };
        extract(text, &ctx).into_iter().map(|Found { kind, value, .. }| (kind, value)).collect()
    }

    fn languages() -> impl Strategy<Value = Language> {
        prop_oneof![Just(Language::Pt), Just(Language::En)]
    }

    fn currencies() -> impl Strategy<Value = Currency> {
        prop_oneof![
            Just(Currency::BRL),
            Just(Currency::USD),
            Just(Currency::EUR),
            Just(Currency::GBP),
            Just(Currency::KES),
            Just(Currency::TRY)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn written_values_read_back(
            minor in -1_000_000_000_000_i64..1_000_000_000_000,
            currency in currencies(),
            days in 0..75_000_i64,
            hour in 0..24_i8,
            minute in 0..60_i8,
            whole in -1_000_000_i64..1_000_000,
            language in languages(),
        ) {
            let amount = Money::new(minor, currency);
            prop_assert_eq!(read(&money(amount, language), language), vec![(Kind::Money, Value::Money(amount))]);
            let date_value = day(1990, 1, 1).checked_add(jiff::Span::new().days(days)).expect("a day");
            prop_assert_eq!(read(&date(date_value, language), language), vec![(Kind::Date, Value::Date(date_value))]);
            let time_value = Time::constant(hour, minute, 0, 0);
            prop_assert_eq!(read(&time(time_value, language), language), vec![(Kind::Time, Value::Time(time_value))]);
            let written = number(Decimal::from(whole), language);
            prop_assert_eq!(read(&written, language), vec![(Kind::Number, Value::Int(whole))]);
        }
    }
}
