//! Brazilian payment slips (boletos de cobrança): the 44-digit barcode and the 47-digit line people type.
//!
//! Invariant: what [`encode`] writes, [`parse_barcode`] and [`parse_line`] read back.
//! A valid line proves little: three remainders share the check digit 1, so some wrong digits pass. Compare the decoded
//! amount and date with the bank's record, never trust check digits alone.
//! Deliberately absent: issuing. A slip is payable only once a bank has registered it.

use std::fmt;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde::{Deserialize, Serialize};

/// Digits of a barcode.
pub const BARCODE_DIGITS: usize = 44;
/// Digits of a typed line.
pub const LINE_DIGITS: usize = 47;
/// Digits of the field each bank lays out as it likes.
pub const FREE_FIELD_DIGITS: usize = 25;
/// The largest amount ten digits of cents can hold.
pub const AMOUNT_MINOR_MAX: i64 = 9_999_999_999;
/// Digits of a utility or tax slip's line, which has another layout.
const UTILITY_DIGITS: usize = 48;
/// Banks treat a factor as at most this many days old.
const WINDOW_BACK_DAYS: i64 = 3000;
/// Banks treat a factor as at most this many days ahead.
const WINDOW_AHEAD_DAYS: i64 = 5500;
/// Factors run from 1000 to 9999 and start again.
const CYCLE_DAYS: i64 = 9000;

/// What a slip says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// Three-digit bank code.
    pub bank: u16,
    /// Due date; none if the slip carries no factor.
    pub due: Option<Date>,
    /// Cents; zero means an open amount.
    pub amount_minor: i64,
    /// 25 digits laid out by the bank.
    pub free_field: String,
}

/// 44 digits whose general check digit is right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Barcode(String);

impl Barcode {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Barcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why digits are not a slip, or a slip cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoletoError {
    /// Not the number of digits a line or barcode has.
    WrongLength,
    /// A utility or tax slip (48 digits, leading 8): a different product.
    NotBilling,
    /// The currency digit is not 9, the real.
    WrongCurrency,
    /// A field of the line fails its own check digit; fields count from 1.
    WrongField(u8),
    /// The general check digit is wrong.
    WrongDigit,
    /// The free field is not 25 digits.
    WrongFreeField,
    /// The bank code has more than three digits.
    WrongBank,
    /// The amount is negative or has more than ten digits.
    WrongAmount,
    /// The date cannot be written as a factor, or the factor lies outside the payable window.
    WrongDate,
}

impl fmt::Display for BoletoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoletoError::WrongLength => f.write_str("expected 47 digits of a line or 44 of a barcode"),
            BoletoError::NotBilling => f.write_str("a utility or tax slip, not a boleto de cobrança"),
            BoletoError::WrongCurrency => f.write_str("the currency digit is not 9"),
            BoletoError::WrongField(field) => write!(f, "field {field} has a wrong check digit"),
            BoletoError::WrongDigit => f.write_str("the general check digit is wrong"),
            BoletoError::WrongFreeField => f.write_str("the free field must be 25 digits"),
            BoletoError::WrongBank => f.write_str("the bank code must have three digits"),
            BoletoError::WrongAmount => f.write_str("the amount must be between zero and ten digits of cents"),
            BoletoError::WrongDate => f.write_str("the due date is outside what a factor can say"),
        }
    }
}

impl std::error::Error for BoletoError {}

/// The barcode of a slip; fails if a part does not fit its digits.
pub fn encode(slip: &Slip) -> Result<Barcode, BoletoError> {
    let is_digits = slip.free_field.bytes().all(|b| b.is_ascii_digit());
    if slip.free_field.len() != FREE_FIELD_DIGITS || !is_digits {
        return Err(BoletoError::WrongFreeField);
    }
    if slip.bank > 999 {
        return Err(BoletoError::WrongBank);
    }
    if !(0..=AMOUNT_MINOR_MAX).contains(&slip.amount_minor) {
        return Err(BoletoError::WrongAmount);
    }
    let factor = slip.due.map_or(Ok(0), factor_of)?;
    let head = format!("{:03}9", slip.bank);
    let tail = format!("{factor:04}{:010}{}", slip.amount_minor, slip.free_field);
    let check = mod11(&format!("{head}{tail}"));
    Ok(Barcode(format!("{head}{check}{tail}")))
}

/// The line people type, with its printed dots and spaces.
#[must_use]
pub fn line_of(barcode: &Barcode) -> String {
    let part = |from: usize, to: usize| barcode.0.get(from..to).unwrap_or_default();
    let first = format!("{}{}", part(0, 4), part(19, 24));
    let fields = [first, part(24, 34).to_owned(), part(34, 44).to_owned()];
    let mut out = String::with_capacity(LINE_DIGITS + 7);
    for field in &fields {
        let (left, right) = field.split_at_checked(5).unwrap_or((field, ""));
        out.push_str(&format!("{left}.{right}{} ", mod10(field)));
    }
    out.push_str(&format!("{} {}", part(4, 5), part(5, 19)));
    out
}

/// Reads a typed line; anything that is no digit is ignored. `today` decides which cycle the due date is in.
pub fn parse_line(line: &str, today: Date) -> Result<Slip, BoletoError> {
    let digits = digits_of(line);
    if digits.len() == UTILITY_DIGITS && digits.starts_with('8') {
        return Err(BoletoError::NotBilling);
    }
    if digits.len() != LINE_DIGITS {
        return Err(BoletoError::WrongLength);
    }
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    for (number, from, to) in [(1, 0, 9), (2, 10, 20), (3, 21, 31)] {
        if part(to, to + 1) != mod10(part(from, to)).to_string() {
            return Err(BoletoError::WrongField(number));
        }
    }
    let rebuilt = [part(0, 4), part(32, 33), part(33, 47), part(4, 9), part(10, 20), part(21, 31)].concat();
    parse_barcode(&rebuilt, today)
}

/// Reads a barcode; `today` decides which cycle the due date is in.
pub fn parse_barcode(barcode: &str, today: Date) -> Result<Slip, BoletoError> {
    let digits = digits_of(barcode);
    if digits.len() != BARCODE_DIGITS {
        return Err(BoletoError::WrongLength);
    }
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    if digits.starts_with('8') {
        return Err(BoletoError::NotBilling);
    }
    if part(3, 4) != "9" {
        return Err(BoletoError::WrongCurrency);
    }
    if part(4, 5) != mod11(&[part(0, 4), part(5, 44)].concat()).to_string() {
        return Err(BoletoError::WrongDigit);
    }
    Ok(Slip {
        bank: part(0, 3).parse().map_err(|_| BoletoError::WrongBank)?,
        due: due_of(part(5, 9), today)?,
        amount_minor: part(9, 19).parse().map_err(|_| BoletoError::WrongAmount)?,
        free_field: part(19, 44).to_owned(),
    })
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn base() -> Date {
    date(1997, 10, 7)
}

fn days_since_base(day: Date) -> i64 {
    (day - base()).get_days().into()
}

/// 1000 is 2000-07-03 and again 2025-02-22; earlier days have no factor.
fn factor_of(due: Date) -> Result<i64, BoletoError> {
    let days = days_since_base(due);
    match days {
        ..1000 => Err(BoletoError::WrongDate),
        1000..=9999 => Ok(days),
        _ => Ok((days - 1000) % CYCLE_DAYS + 1000),
    }
}

fn due_of(factor: &str, today: Date) -> Result<Option<Date>, BoletoError> {
    if factor.starts_with('0') {
        return Ok(None);
    }
    let factor: i64 = factor.parse().map_err(|_| BoletoError::WrongDate)?;
    let now = days_since_base(today);
    // The window is 500 days shorter than a cycle, so at most one candidate fits it.
    let cycles = (now - WINDOW_BACK_DAYS - factor + CYCLE_DAYS - 1).div_euclid(CYCLE_DAYS).max(0);
    let days = factor + cycles * CYCLE_DAYS;
    if days < now - WINDOW_BACK_DAYS || days > now + WINDOW_AHEAD_DAYS {
        return Err(BoletoError::WrongDate);
    }
    base().checked_add(days.days()).map(Some).map_err(|_| BoletoError::WrongDate)
}

/// Weights 2, 1, 2, 1... from the right, digits of each product added.
fn mod10(digits: &str) -> u32 {
    let weighted = digits.bytes().rev().zip([2, 1].into_iter().cycle());
    let sum: u32 = weighted.map(|(b, weight)| u32::from(b - b'0') * weight).map(|p| p / 10 + p % 10).sum();
    (10 - sum % 10) % 10
}

/// Weights 2 to 9 from the right; 0, 10 and 11 all become 1, so the digit is never 0.
fn mod11(digits: &str) -> u32 {
    let weighted = digits.bytes().rev().zip((2..=9).cycle());
    let sum: u32 = weighted.map(|(b, weight)| u32::from(b - b'0') * weight).sum();
    match 11 - sum % 11 {
        10 | 11 => 1,
        digit => digit,
    }
}

#[cfg(test)]
mod tests;
