use super::*;
use proptest::prelude::*;

struct Vector {
    bank: u16,
    due: Option<Date>,
    amount_minor: i64,
    free_field: &'static str,
    barcode: &'static str,
    line: &'static str,
    today: Date,
}

fn vectors() -> Vec<Vector> {
    vec![
        Vector {
            bank: 1,
            due: Some(date(2007, 12, 31)),
            amount_minor: 100,
            free_field: "0500940144816060680935031",
            barcode: "00193373700000001000500940144816060680935031",
            line: "00190.50095 40144.816069 06809.350314 3 37370000000100",
            today: date(2007, 12, 1),
        },
        Vector {
            bank: 1,
            due: Some(date(2026, 12, 31)),
            amount_minor: 15_075,
            free_field: "0000001234567890123456178",
            barcode: "00191167700000150750000001234567890123456178",
            line: "00190.00009 01234.567897 01234.561783 1 16770000015075",
            today: date(2026, 11, 15),
        },
        Vector {
            bank: 341,
            due: Some(date(2025, 2, 21)),
            amount_minor: 10_000_000,
            free_field: "1091234567890123456789000",
            barcode: "34198999900100000001091234567890123456789000",
            line: "34191.09123 34567.890123 34567.890008 8 99990010000000",
            today: date(2025, 1, 15),
        },
        Vector {
            bank: 237,
            due: None,
            amount_minor: 0,
            free_field: "1234567890123456789012345",
            barcode: "23797000000000000001234567890123456789012345",
            line: "23791.23454 67890.123457 67890.123457 7 00000000000000",
            today: date(2026, 11, 15),
        },
    ]
}

impl Vector {
    fn slip(&self) -> Slip {
        Slip { bank: self.bank, due: self.due, amount_minor: self.amount_minor, free_field: self.free_field.to_owned() }
    }
}

#[test]
fn vectors_go_both_ways() {
    for vector in vectors() {
        let barcode = encode(&vector.slip()).expect("encodes");
        assert_eq!(barcode.as_str(), vector.barcode);
        assert_eq!(line_of(&barcode), vector.line);
        assert_eq!(parse_line(vector.line, vector.today), Ok(vector.slip()));
        assert_eq!(parse_barcode(vector.barcode, vector.today), Ok(vector.slip()));
    }
}

#[test]
fn factors_restart_after_9999() {
    for (day, factor) in [
        (date(2000, 7, 3), 1000),
        (date(2002, 5, 1), 1667),
        (date(2010, 11, 17), 4789),
        (date(2025, 2, 21), 9999),
        (date(2025, 2, 22), 1000),
        (date(2025, 2, 23), 1001),
        (date(2026, 11, 15), 1631),
        (date(2026, 12, 31), 1677),
        (date(2049, 10, 13), 9999),
        (date(2049, 10, 14), 1000),
    ] {
        assert_eq!(factor_of(day), Ok(factor), "{day}");
    }
    assert_eq!(factor_of(date(2000, 7, 2)), Err(BoletoError::WrongDate));
}

#[test]
fn the_window_picks_the_cycle() {
    let today = date(2026, 11, 15);
    let day = |days: i64| base().checked_add(days.days()).expect("a day");
    let now = days_since_base(today);
    for days in [now - WINDOW_BACK_DAYS, now, now + WINDOW_AHEAD_DAYS] {
        let factor = factor_of(day(days)).expect("a factor");
        assert_eq!(due_of(&format!("{factor:04}"), today), Ok(Some(day(days))), "{days}");
    }
    for days in [now - WINDOW_BACK_DAYS - 1, now + WINDOW_AHEAD_DAYS + 1] {
        let factor = factor_of(day(days)).expect("a factor");
        assert_eq!(due_of(&format!("{factor:04}"), today), Err(BoletoError::WrongDate), "{days}");
    }
    assert_eq!(due_of("0000", today), Ok(None));
}

#[test]
fn wrong_digits_are_named() {
    let today = date(2026, 11, 15);
    let good = "00190.00009 01234.567897 01234.561783 1 16770000015075";
    for (line, wanted) in [
        ("", BoletoError::WrongLength),
        ("00190.00009 01234.567897", BoletoError::WrongLength),
        (&good.replace("00190.00009", "00190.00019"), BoletoError::WrongField(1)),
        (&good.replace("01234.567897", "01234.567898"), BoletoError::WrongField(2)),
        (&good.replace("01234.561783", "01234.561782"), BoletoError::WrongField(3)),
        (&good.replace(" 1 1677", " 2 1677"), BoletoError::WrongDigit),
        ("846700000017 435900240209 024050002435 842210108119", BoletoError::NotBilling),
    ] {
        assert_eq!(parse_line(line, today), Err(wanted), "{line}");
    }
    let dollars = "00181167700000150750000001234567890123456178";
    assert_eq!(parse_barcode(dollars, today), Err(BoletoError::WrongCurrency));
}

#[test]
fn a_line_with_check_digit_8_survives_no_single_change() {
    let digits = digits_of(vectors()[2].line);
    let today = date(2025, 1, 15);
    for at in 0..digits.len() {
        for new in '0'..='9' {
            let mut changed: Vec<char> = digits.chars().collect();
            if changed[at] == new {
                continue;
            }
            changed[at] = new;
            let line: String = changed.into_iter().collect();
            assert!(parse_line(&line, today).is_err(), "{line}");
        }
    }
}

#[test]
fn check_digit_1_lets_27_wrong_last_fields_pass() {
    let digits = digits_of(vectors()[1].line);
    let check = |at: usize, new: char| {
        let mut changed: Vec<char> = digits.chars().collect();
        changed[at] = new;
        let line: String = changed.iter().collect();
        line != digits
            && !matches!(
                parse_line(&line, date(2026, 11, 15)),
                Err(BoletoError::WrongDigit | BoletoError::WrongField(_))
            )
    };
    let passing: usize = (33..47).map(|at| ('0'..='9').filter(|new| check(at, *new)).count()).sum();
    assert_eq!(passing, 27, "the reason a gate compares decoded values with the record");
    assert!((0..32).all(|at| ('0'..='9').all(|new| !check(at, new))));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let good = vectors()[1].slip();
    for (slip, wanted) in [
        (Slip { bank: 1000, ..good.clone() }, BoletoError::WrongBank),
        (Slip { amount_minor: -1, ..good.clone() }, BoletoError::WrongAmount),
        (Slip { amount_minor: AMOUNT_MINOR_MAX + 1, ..good.clone() }, BoletoError::WrongAmount),
        (Slip { free_field: "1".repeat(24), ..good.clone() }, BoletoError::WrongFreeField),
        (Slip { free_field: "a".repeat(25), ..good.clone() }, BoletoError::WrongFreeField),
        (Slip { due: Some(date(1999, 1, 1)), ..good.clone() }, BoletoError::WrongDate),
    ] {
        assert_eq!(encode(&slip), Err(wanted));
    }
    assert!(encode(&Slip { amount_minor: AMOUNT_MINOR_MAX, bank: 999, ..good }).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(bank in 0u16..800, cents in 0..=AMOUNT_MINOR_MAX, ahead in 0i64..5000, free in "[0-9]{25}") {
        let today = date(2026, 11, 15);
        let due = today.checked_add(ahead.days()).ok();
        let slip = Slip { bank, due, amount_minor: cents, free_field: free };
        let barcode = encode(&slip).expect("encodes");
        prop_assert_eq!(parse_line(&line_of(&barcode), today), Ok(slip.clone()));
        prop_assert_eq!(parse_barcode(barcode.as_str(), today), Ok(slip));
    }

    #[test]
    fn anything_else_is_an_error(text in any::<String>()) {
        prop_assert!(parse_line(&text, date(2026, 11, 15)).is_err());
    }
}
