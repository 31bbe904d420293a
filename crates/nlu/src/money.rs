//! Amounts of money: `R$ 1.500,00`, `mil e quinhentos reais`, `$20`, `twenty bucks`, `2k reais`.
//!
//! Invariant: a negative amount stays negative and a zero stays zero, so that a rule can refuse it by name.
//! A bare number with exactly the currency's decimal places (`150,50`) is an amount in the context's currency.
//! Deliberately absent: conversion, ranges, and amounts with more places than the currency has.

use rust_decimal::Decimal;

use crate::Context;
use crate::lexicon::Cat;
use crate::number::{self, Number};
use crate::page::Page;
use crate::value::{Currency, Money};

/// An amount and one past its last token.
pub(crate) struct Amount {
    pub(crate) money: Money,
    pub(crate) end: usize,
}

/// Above this multiplier people say "de" before the currency: `um milhão de reais`.
const NEEDS_OF: i64 = 1_000_000;

/// The amount that starts here.
pub(crate) fn read(page: &Page<'_>, at: usize, ctx: &Context) -> Option<Amount> {
    let signed = number::minus(page, at);
    let start = signed.unwrap_or(at);
    let mut amount =
        with_symbol(page, start, ctx).or_else(|| with_word(page, start, ctx)).or_else(|| bare(page, start, ctx))?;
    if signed.is_some() {
        amount.money.minor = amount.money.minor.checked_neg()?;
    }
    Some(amount)
}

/// `R$ 1.500`, `USD 20`, `R$ -5`, `R$ 50 reais`.
fn with_symbol(page: &Page<'_>, at: usize, ctx: &Context) -> Option<Amount> {
    let (currency, after) = symbol(page, at, ctx)?;
    let signed = number::minus(page, after);
    let number = number::read(page, signed.unwrap_or(after)).filter(|number| !number.is_weak)?;
    let mut money = Money::from_major(number.value, currency)?;
    let mut end = number.end;
    if let Some((word, after_word)) = currency_word(page, end, ctx).filter(|(word, _)| *word == currency) {
        let _ = word;
        end = after_word;
    }
    if number.value.scale() == 0
        && let Some((cents, after_cents)) = minor_part(page, end, currency)
    {
        money.minor = money.minor.checked_add(cents)?;
        end = after_cents;
    }
    if signed.is_some() {
        money.minor = money.minor.checked_neg()?;
    }
    Some(Amount { money, end })
}

/// `20 dólares`, `cento e vinte reais e cinquenta centavos`, `50 centavos`.
fn with_word(page: &Page<'_>, at: usize, ctx: &Context) -> Option<Amount> {
    let number = number::read(page, at)?;
    if let Some(minor) = page.sense(number.end, Cat::Minor) {
        let cents = whole(number.value).filter(|_| !is_odd_article(page, at, &number))?;
        return Some(Amount { money: Money::new(cents, ctx.currency), end: number.end + minor.len });
    }
    let is_large = number.value >= Decimal::from(NEEDS_OF / 2);
    let of = page.sense(number.end, Cat::Of).filter(|_| is_large && (at..number.end).any(|i| page.is(i, Cat::Scale)));
    let (currency, after) = currency_word(page, number.end + of.map_or(0, |of| of.len), ctx)?;
    let (value, after) = scaled(page, number.value, after)?;
    let mut money = Money::from_major(value, currency)?;
    let mut end = after;
    if let Some((cents, after_cents)) = minor_part(page, after, currency).filter(|_| value.scale() == 0) {
        money.minor = money.minor.checked_add(cents)?;
        end = after_cents;
    }
    Some(Amount { money, end })
}

/// `150,50`: exactly as many places as the currency has, and nothing after it that makes it something else.
fn bare(page: &Page<'_>, at: usize, ctx: &Context) -> Option<Amount> {
    let number = number::read(page, at)?;
    let places = usize::try_from(ctx.currency.exponent()).ok()?;
    let is_other = [Cat::Measure, Cat::Unit, Cat::Meridiem, Cat::Minor].into_iter().any(|cat| page.is(number.end, cat))
        || currency_word(page, number.end, ctx).is_some();
    if places == 0 || number.places != Some(places) || is_other {
        return None;
    }
    let money = Money::from_major(number.value, ctx.currency)?;
    Some(Amount { money, end: number.end })
}

/// `a cent` is English for nothing in particular.
fn is_odd_article(page: &Page<'_>, at: usize, number: &Number) -> bool {
    number.is_weak && matches!(page.word(at), "a" | "an")
}

/// `75 USD million`: a scale after the currency belongs to the number before it.
fn scaled(page: &Page<'_>, value: Decimal, at: usize) -> Option<(Decimal, usize)> {
    match page.sense(at, Cat::Scale).filter(|scale| scale.number >= NEEDS_OF) {
        Some(scale) => Some((value.checked_mul(Decimal::from(scale.number))?.normalize(), at + scale.len)),
        None => Some((value, at)),
    }
}

/// `e cinquenta centavos` after whole units; also `15 reais e 50` where the two digits end the clause.
fn minor_part(page: &Page<'_>, at: usize, currency: Currency) -> Option<(i64, usize)> {
    let start = page.skip(at, Cat::Joiner);
    let cents = number::read(page, start).filter(|cents| !cents.is_weak)?;
    let value = whole(cents.value).filter(|value| *value < 10_i64.pow(currency.exponent()))?;
    if let Some(minor) = page.sense(cents.end, Cat::Minor) {
        return Some((value, cents.end + minor.len));
    }
    let ends = page.token(cents.end).is_none()
        || matches!(page.word(cents.end), "." | "!" | "?") && !page.touches_next(cents.end);
    let is_pair = value >= 10 && (page.is_word(start) || page.word(start).len() == 2) && currency.exponent() == 2;
    (ends && is_pair).then_some((value, cents.end))
}

fn whole(value: Decimal) -> Option<i64> {
    if value.scale() == 0 { i64::try_from(value.mantissa()).ok() } else { None }
}

/// A symbol or a code before a number.
fn symbol(page: &Page<'_>, at: usize, ctx: &Context) -> Option<(Currency, usize)> {
    // `A $ 20` is a preposition and a sign, and the sign of `Mex$ 20` is another country's.
    let is_apart = |len: usize| (at..at + len - 1).any(|i| !page.touches_next(i));
    let hangs_on = at > 0 && page.touches_previous(at) && page.is_word(at - 1);
    if let Some(sense) = page.sense(at, Cat::CurrencySymbol) {
        if is_apart(sense.len) || (hangs_on && !page.is_word(at)) {
            return None;
        }
        return Some((meant(sense.value, ctx)?, at + sense.len));
    }
    let listed = page.sense(at, Cat::Currency).filter(|sense| sense.len == 1 && page.word(at).len() == 3);
    match listed {
        Some(sense) => Some((Currency::parse(page.word(at)).filter(|code| code.code() == sense.value)?, at + 1)),
        None => code(page, at).map(|currency| (currency, at + 1)),
    }
}

/// A currency word, symbol or code after a number.
fn currency_word(page: &Page<'_>, at: usize, ctx: &Context) -> Option<(Currency, usize)> {
    let glued = page.sense(at, Cat::CurrencySymbol).filter(|sign| sign.len > 1 && page.touches_previous(at));
    match page.sense(at, Cat::Currency).or(glued) {
        Some(sense) => Some((meant(sense.value, ctx)?, at + sense.len)),
        None => code(page, at).map(|currency| (currency, at + 1)),
    }
}

/// ISO codes of moving money that are rare enough to be no word when written in capitals.
const CODES: [&str; 32] = [
    "AED", "ARS", "AUD", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP", "GHS", "HKD",
    "ILS", "INR", "JPY", "KES", "MXN", "NGN", "NOK", "PEN", "PLN", "SEK", "SGD", "TRY", "TZS", "UGX", "USD", "ZAR",
];

fn code(page: &Page<'_>, at: usize) -> Option<Currency> {
    let raw = page.raw(at);
    CODES.binary_search(&raw).is_ok().then(|| Currency::parse(raw)).flatten()
}

/// A bare dollar sign is the context's money where that is written with one, else US dollars.
fn meant(value: &str, ctx: &Context) -> Option<Currency> {
    if value != "USD_OR_LOCAL" {
        return Currency::parse(value);
    }
    let is_dollar =
        matches!(ctx.currency.code(), "CAD" | "AUD" | "MXN" | "ARS" | "CLP" | "COP" | "HKD" | "SGD" | "NZD");
    // Brazilians drop the R of R$; in English text the same sign is a dollar.
    let is_real = ctx.currency == Currency::BRL && ctx.language == crate::Language::Pt;
    Some(if is_dollar || is_real { ctx.currency } else { Currency::USD })
}
