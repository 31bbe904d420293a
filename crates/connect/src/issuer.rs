//! Issues payment slips (boletos): the port behind `native: boleto.issue`, one issuer for trials, one that lies.
//!
//! Invariant: the same request gives the same slip, so a resend that runs again writes the same digits.
//! Deliberately absent: a bank. [`LocalIssuer`] computes valid digits that no bank has registered, so nobody can pay
//! them; a production issuer is a registered provider behind the same trait.

use countersign_nlu::boleto::{self, FREE_FIELD_DIGITS, Slip};
use countersign_nlu::{Currency, Money};
use jiff::ToSpan;
use jiff::civil::Date;

/// What to issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRequest {
    /// Our own number of the slip, such as `BOL-1001`.
    pub reference: String,
    /// How much.
    pub amount: Money,
    /// Until when.
    pub due: Date,
}

/// What was issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// The line people type.
    pub line: String,
    /// The 44 digits of the barcode.
    pub barcode: String,
}

/// Issues slips. It runs inside the call's transaction: an error undoes the whole call.
pub trait Issuer: Send + Sync {
    /// Issues one slip.
    ///
    /// # Errors
    /// Says why nothing was issued.
    fn issue(&self, request: &IssueRequest) -> Result<Issued, String>;
}

/// Computes slips without a bank, for trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalIssuer {
    /// Three-digit bank code.
    pub bank: u16,
}

impl Issuer for LocalIssuer {
    fn issue(&self, request: &IssueRequest) -> Result<Issued, String> {
        if request.amount.currency != Currency::BRL {
            return Err(format!("a boleto is in BRL, not in {}", request.amount.currency.code()));
        }
        if request.amount.minor <= 0 {
            return Err("a boleto needs a positive amount".to_owned());
        }
        let slip = Slip {
            bank: self.bank,
            due: Some(request.due),
            amount_minor: request.amount.minor,
            free_field: free_field(&request.reference)?,
        };
        let barcode = boleto::encode(&slip).map_err(|error| error.to_string())?;
        Ok(Issued { line: boleto::line_of(&barcode), barcode: barcode.as_str().to_owned() })
    }
}

/// The bank's own 25 digits: our reference number, padded.
fn free_field(reference: &str) -> Result<String, String> {
    let digits: String = reference.chars().filter(char::is_ascii_digit).collect();
    if digits.is_empty() || digits.len() > FREE_FIELD_DIGITS {
        return Err(format!("the reference `{reference}` needs 1 to {FREE_FIELD_DIGITS} digits"));
    }
    Ok(format!("{digits:0>width$}", width = FREE_FIELD_DIGITS))
}

/// How an issuer misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuerFault {
    /// The slip is valid and for another amount.
    OtherAmount,
    /// The slip is valid and due on another day.
    OtherDate,
    /// The line has a wrong check digit.
    WrongDigits,
    /// Nothing is issued.
    Fails,
}

/// An issuer that is wrong on purpose, for simulations: the gate after the call has to catch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultyIssuer {
    /// The issuer it pretends to be.
    pub inner: LocalIssuer,
    /// How it misbehaves.
    pub fault: IssuerFault,
}

impl Issuer for FaultyIssuer {
    fn issue(&self, request: &IssueRequest) -> Result<Issued, String> {
        let mut wrong = request.clone();
        match self.fault {
            // The lowest bit: one cent more or less, never zero for an amount above one cent.
            IssuerFault::OtherAmount => wrong.amount.minor ^= 1,
            IssuerFault::OtherDate => {
                wrong.due = request.due.checked_add(1.day()).map_err(|error| error.to_string())?;
            }
            IssuerFault::WrongDigits => {
                let mut issued = self.inner.issue(request)?;
                issued.line = spoil(&issued.line);
                return Ok(issued);
            }
            IssuerFault::Fails => return Err("the issuer does not answer".to_owned()),
        }
        self.inner.issue(&wrong)
    }
}

/// Changes the first field's check digit: `AAAAA.AAAAC`, its eleventh character.
fn spoil(line: &str) -> String {
    const CHECK_DIGIT_AT: usize = 10;
    let change = |(at, c): (usize, char)| match c {
        '9' if at == CHECK_DIGIT_AT => '0',
        c if at == CHECK_DIGIT_AT => char::from_u32(u32::from(c) + 1).unwrap_or(c),
        c => c,
    };
    line.chars().enumerate().map(change).collect()
}

#[cfg(test)]
mod tests {
    use countersign_nlu::boleto::BoletoError;
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2026, 11, 15);

    fn request() -> IssueRequest {
        IssueRequest {
            reference: "BOL-1001".to_owned(),
            amount: Money::new(15_000, Currency::BRL),
            due: date(2026, 12, 4),
        }
    }

    fn faulty(fault: IssuerFault) -> Result<Issued, String> {
        FaultyIssuer { inner: LocalIssuer { bank: 1 }, fault }.issue(&request())
    }

    #[test]
    fn the_local_issuer_writes_what_was_asked() {
        let issued = LocalIssuer { bank: 1 }.issue(&request()).unwrap();
        let slip = boleto::parse_line(&issued.line, TODAY).unwrap();
        assert_eq!((slip.bank, slip.amount_minor, slip.due), (1, 15_000, Some(date(2026, 12, 4))));
        assert_eq!(slip.free_field, "0000000000000000000001001");
        assert_eq!(boleto::parse_barcode(&issued.barcode, TODAY).unwrap(), slip);
        assert_eq!(LocalIssuer { bank: 1 }.issue(&request()).unwrap(), issued);
    }

    #[test]
    fn what_a_slip_cannot_hold_is_refused() {
        let check = |change: fn(&mut IssueRequest), is_issued: bool| {
            let mut request = request();
            change(&mut request);
            assert_eq!(LocalIssuer { bank: 1 }.issue(&request).is_ok(), is_issued, "{request:?}");
        };
        check(|r| r.amount.minor = 1, true);
        check(|r| r.amount.minor = 0, false);
        check(|r| r.amount.minor = boleto::AMOUNT_MINOR_MAX, true);
        check(|r| r.amount.minor = boleto::AMOUNT_MINOR_MAX + 1, false);
        check(|r| r.amount.currency = Currency::USD, false);
        check(|r| r.reference = "9".repeat(25), true);
        check(|r| r.reference = "9".repeat(26), false);
        check(|r| r.reference = "BOL".to_owned(), false);
    }

    #[test]
    fn a_faulty_issuer_is_wrong_in_exactly_the_chosen_way() {
        let line = |fault| boleto::parse_line(&faulty(fault).unwrap().line, TODAY);
        let due = Some(date(2026, 12, 4));
        let other_amount = line(IssuerFault::OtherAmount).unwrap();
        assert_eq!((other_amount.amount_minor, other_amount.due), (15_001, due));
        let other_date = line(IssuerFault::OtherDate).unwrap();
        assert_eq!((other_date.amount_minor, other_date.due), (15_000, Some(date(2026, 12, 5))));
        assert_eq!(line(IssuerFault::WrongDigits), Err(BoletoError::WrongField(1)));
        assert!(faulty(IssuerFault::Fails).is_err());
    }
}
