//! What is answered: values on both sides of each boundary, and what cannot be decided.

use countersign_nlu::boleto::{Slip, encode, line_of};
use countersign_nlu::{Currency, Money, Value};
use jiff::civil::date;

use super::super::{Outcome, TEXT_MAX, Type, Verdict, Why};
use super::{brl, compiled, facts, line, list, scope};

/// A condition over the common facts.
fn check(source: &str, is_true: bool) {
    let wanted = if is_true { Verdict::Holds } else { Verdict::Fails };
    assert_eq!(compiled(source, &Type::Bool).test(&facts()), wanted, "{source}");
}

fn gives(source: &str, ty: &Type, wanted: Value) {
    assert_eq!(compiled(source, ty).eval(&facts()), Outcome::Value(wanted), "{source}");
}

/// Undecided because of this part, for this reason.
fn undecided(source: &str, path: &str, why: Why) {
    let Verdict::CannotDecide(missing) = compiled(source, &Type::Bool).test(&facts()) else {
        panic!("{source} was decided");
    };
    assert_eq!((missing.path.as_str(), missing.why), (path, why), "{source}");
    assert_eq!(missing.span.of(source), path, "{source}");
}

fn decimal(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

#[test]
fn logic() {
    check("true", true);
    check("vip", true);
    check("!vip", false);
    check("!!vip", true);
    check("true || false && false", true);
    check("(true || false) && false", false);
    check("false || false || true", true);
    check("true && true && false", false);
    check("vip ? count == 3 : count == 4", true);
    check("!vip ? true : vip ? false : true", false);
    check("1 < 2 == true", true);
    check("true == (2 < 1)", false);
    check("!(count in [1, 2]) && vip", true);
}

#[test]
fn comparisons() {
    for (source, below, same, above) in [
        ("<", true, false, false),
        ("<=", true, true, false),
        (">", false, false, true),
        (">=", false, true, true),
        ("==", false, true, false),
        ("!=", true, false, true),
    ] {
        for (low, high) in [
            ("2", "3"),
            ("2.5", "2.50001"),
            ("2", "2.5"),
            ("fee", "amount"),
            ("today", "due"),
            ("'a'", "'b'"),
            ("'Z'", "'a'"),
            ("'z'", "'é'"),
            ("created", "now"),
            ("hours(1)", "age"),
            ("time('18:29:59')", "at"),
            ("-1", "0"),
            ("smallest", "largest"),
        ] {
            check(&format!("{low} {source} {high}"), below);
            check(&format!("{low} {source} {low}"), same);
            check(&format!("{high} {source} {low}"), above);
        }
    }
}

#[test]
fn money() {
    check("refund_amount <= 50", false);
    check("refund_amount <= 50.09", false);
    check("refund_amount <= 50.10", true);
    check("refund_amount <= 50.1", true);
    check("50.10 >= refund_amount", true);
    check("50.11 > refund_amount && refund_amount != 50", true);
    check("yen == 900", true);
    check("amount == 150", true);
    check("minor(amount) == 15000", true);
    check("minor(amount) <= 14999", false);
    check("major(amount) == 150.00", true);
    check("amount + fee == 152.50", true);
    check("amount - fee - 2.50 == 145", true);
    check("fee * 2 == 5 && 2 * fee == 5", true);
    check("-fee == -2.50 && abs(-fee) == fee", true);
    check("amount <= (vip ? 150 : 149.99)", true);
    check("amount <= (!vip ? 150 : 149.99)", false);
    check("min(amount, 100) == 100 && max(100, amount) == amount", true);
    check("fee in [1, 2.50]", true);
    check("50 in prices && 100.00 in prices", true);
    check("50.01 in prices", false);
    check("major(amount) * rate <= 15", true);
    check("major(amount) * 0.11 <= 16.49", false);
    gives("50", &Type::Money(Currency::BRL), brl(5_000));
    gives("amount * booking.guests", &Type::Money(Currency::BRL), brl(60_000));
    gives("[1, 2.5]", &list(Type::Money(Currency::BRL)), Value::List(vec![brl(100), brl(250)]));
    undecided("amount * largest > 1", "amount * largest", Why::Overflow);
}

#[test]
fn numbers() {
    gives("1 + 2 * 3 - 4", &Type::Int, Value::Int(3));
    gives("10 - 3 - 2", &Type::Int, Value::Int(5));
    gives("-(count + 1) * 2", &Type::Int, Value::Int(-8));
    gives("count -1", &Type::Int, Value::Int(2));
    gives("count", &Type::Decimal, decimal("3"));
    gives("1 + 0.5", &Type::Decimal, decimal("1.5"));
    gives("0.1 + 0.2", &Type::Decimal, decimal("0.3"));
    gives("rate * count", &Type::Decimal, decimal("0.3"));
    gives("vip ? 1 : 2.5", &Type::Decimal, decimal("1"));
    gives("vip ? count : 2.5", &Type::Decimal, decimal("3"));
    gives("min(count, 2.5)", &Type::Decimal, decimal("2.5"));
    gives("max(count, 4)", &Type::Int, Value::Int(4));
    gives("abs(-3)", &Type::Int, Value::Int(3));
    gives("abs(-0.5)", &Type::Decimal, decimal("0.5"));
    check("0.1 + 0.2 == 0.3", true);
    check("largest + 0 == 9223372036854775807", true);
    check("largest + 0.5 > largest", true);
    undecided("largest + 1 > 0", "largest + 1", Why::Overflow);
    undecided("smallest - 1 < 0", "smallest - 1", Why::Overflow);
    undecided("largest * 2 > 0", "largest * 2", Why::Overflow);
    undecided("-smallest > 0", "-smallest", Why::Overflow);
    undecided("abs(smallest) > 0", "abs(smallest)", Why::Overflow);
    check("abs(smallest + 1) == largest", true);
    // Where a decimal would have to round, it refuses.
    undecided("0.00000000000001 * 0.000000000000001 > 0", "0.00000000000001 * 0.000000000000001", Why::Overflow);
    check("0.00000000000001 * 0.00000000000001 > 0", true);
    check("1.00000000000000 * 1.000000000000000 == 1", true);
    let tiny = "largest + 0.0000000000000000000000000001";
    undecided(&format!("{tiny} > 0"), tiny, Why::Overflow);
}

#[test]
fn dates_and_times() {
    check("due - today == days(3)", true);
    check("today + days(3) == due && days(3) + today == due", true);
    check("due - days(3) == today", true);
    check("due <= today + days(2)", false);
    check("due >= date('2026-12-10') && due < date('2026-12-11')", true);
    check("weekday(today) == 1 && weekday(due) == 4 && weekday(today - days(1)) == 7", true);
    check("at >= time('18:30') && at < time('18:31')", true);
    check("age == hours(2) && age == minutes(120) && age * 12 == days(1) && age + hours(1) == hours(3)", true);
    check("-age < hours(0) && abs(-age) == age", true);
    check("now <= created + hours(1)", false);
    check("now - created == hours(1)", true);
    check("created - now == -hours(1)", true);
    gives("max(due, today)", &Type::Date, Value::Date(date(2026, 12, 10)));
    undecided("due + age > due", "due + age", Why::NotWholeDays);
    undecided("due + days(3000000) > due", "due + days(3000000)", Why::OutOfRange);
    undecided("due + days(1000000000) > due", "due + days(1000000000)", Why::OutOfRange);
    undecided("now + days(1000000000) > now", "now + days(1000000000)", Why::OutOfRange);
    undecided("days(largest) > age", "days(largest)", Why::Overflow);
}

#[test]
fn texts_and_lists() {
    check("name == 'João Silva' && name == \"João Silva\"", true);
    check("name + '!' == 'João Silva!'", true);
    check("'it\\'s' == \"it's\" && 'a\\\\b' == r'a\\b' && size('\\n') == 1", true);
    check("size(name) == 10 && size(tags) == 2 && size('') == 0", true);
    check("lower('ÁB') == 'áb'", true);
    check("starts_with(name, 'João')", true);
    check("starts_with(name, 'joão')", false);
    check("contains(name, 'Silva') && !contains(name, 'Souza')", true);
    check("matches(name, '^Jo.o') && !matches(name, '^jo')", true);
    check(r"matches('BOL-1001', r'^[A-Z]{3}-\d+$')", true);
    check("same_text(name, 'JOAO  silva')", true);
    check("same_text(name, 'João Pereira')", false);
    check("'gift' in tags && !('old' in tags)", true);
    check("tags == ['new', 'gift']", true);
    check("tags == ['gift', 'new']", false);
    check("2 in sizes && 2.0 in sizes && 2.5 in rates && 1 in rates", true);
    check("3 in sizes || 2.4 in rates", false);
    check("count in [1, 2, 3,]", true);
    check("vip in [true]", true);
    check("sizes == [1, 2.0]", true);
}

#[test]
fn boletos() {
    check("boleto_is_valid(line, today) && boleto_due(line, today) == due && boleto_amount(line) == amount", true);
    check("boleto_is_valid(name, today)", false);
    undecided("boleto_amount(name) > 1", "boleto_amount(name)", Why::Unreadable);
    undecided("boleto_due(name, today) > due", "boleto_due(name, today)", Why::Unreadable);
    let one_digit_off = line().replacen('1', "2", 1);
    check(&format!("boleto_is_valid('{one_digit_off}', today)"), false);
    // An open amount and a slip without a date are slips, but have nothing to compare.
    let open = Slip { bank: 1, due: None, amount_minor: 0, free_field: "1".repeat(25) };
    let barcode = encode(&open).unwrap();
    let source = format!("boleto_is_valid('{}', today) && boleto_is_valid('{barcode}', today)", line_of(&barcode));
    check(&source, true);
    let part = format!("boleto_amount('{barcode}')");
    undecided(&format!("{part} > 1"), &part, Why::Absent);
    let part = format!("boleto_due('{barcode}', today)");
    undecided(&format!("{part} > due"), &part, Why::Absent);
}

#[test]
fn the_amount_of_a_slip_does_not_depend_on_the_day() {
    let expression = compiled("boleto_amount(line) == amount", &Type::Bool);
    for days in (0..9_000).step_by(50) {
        let due = date(2022, 6, 1).checked_add(jiff::Span::new().days(days)).unwrap();
        let slip = Slip { bank: 1, due: Some(due), amount_minor: 15_000, free_field: "1".repeat(25) };
        let mut facts = facts();
        facts.insert("line".to_owned(), Value::Text(line_of(&encode(&slip).unwrap())));
        assert_eq!(expression.test(&facts), Verdict::Holds, "due {due}");
    }
}

#[test]
fn a_missing_fact_is_never_absorbed() {
    undecided("points > 1", "points", Why::Absent);
    undecided("coupon == 'x'", "coupon", Why::Absent);
    undecided("points <= 50 || true", "points", Why::Absent);
    undecided("points <= 50 && false", "points", Why::Absent);
    undecided("!(points > 1)", "points", Why::Absent);
    undecided("points > 1 ? true : true", "points", Why::Absent);
    undecided("vip && points > 1", "points", Why::Absent);
    undecided("!vip || points > 1", "points", Why::Absent);
    undecided("points in [1, 2]", "points", Why::Absent);
    undecided("1 in [2, points]", "points", Why::Absent);
    undecided("count + points * 0 == 3", "points", Why::Absent);
    undecided("booking.note == 'a'", "booking.note", Why::Absent);
    undecided("booking.customer.phone == 'a'", "booking.customer.phone", Why::Absent);
    undecided("lost.id == 'a'", "lost.id", Why::Absent);
    undecided("min(points, 1) == 1", "points", Why::Absent);
    undecided("size(coupon) == 0", "coupon", Why::Absent);
    // A null element might be the one.
    check("1 in scores", true);
    undecided("2 in scores", "2 in scores", Why::Absent);
    check("size(scores) == 2", true);
}

#[test]
fn a_decided_left_side_settles() {
    check("!vip && points > 1", false);
    check("vip || points > 1", true);
    check("vip ? true : points > 1", true);
    check("has(points) && points > 1", false);
    check("!has(points) || points > 1", true);
    check("has(points) ? points > 1 : vip", true);
    check("has(count) && count > 2", true);
    check("has(booking.guests) && has(booking.customer.email)", true);
    check("has(booking.note) || has(booking.customer.phone) || has(lost.id) || has(lost) || has(coupon)", false);
}

#[test]
fn values_that_break_their_promise_are_not_used() {
    let cases = [
        ("amount > 1", "amount", Value::Money(Money::new(9_999, Currency::USD))),
        ("amount > 1", "amount", Value::Int(15_000)),
        ("count > 1", "count", Value::text("3")),
        ("count > 1", "count", Value::Decimal("3".parse().unwrap())),
        ("vip", "vip", Value::Int(1)),
        ("1 in sizes", "sizes", Value::List(vec![Value::Int(1), Value::text("2")])),
        ("1 in sizes", "sizes", Value::List(vec![Value::Int(1), Value::Null])),
        ("due > today", "due", Value::text("2026-12-10")),
    ];
    for (source, name, value) in cases {
        let mut facts = facts();
        facts.insert(name.to_owned(), value);
        let Verdict::CannotDecide(missing) = compiled(source, &Type::Bool).test(&facts) else {
            panic!("{source} was decided");
        };
        assert_eq!((missing.path.as_str(), missing.why), (name, Why::WrongType), "{source}");
    }
}

#[test]
fn a_whole_number_is_a_fine_decimal() {
    let mut facts = facts();
    facts.insert("rate".to_owned(), Value::Int(2));
    assert_eq!(compiled("rate * 2.5 == 5 && rate < 2.1", &Type::Bool).test(&facts), Verdict::Holds);
    assert_eq!(compiled("rate", &Type::Decimal).eval(&facts), Outcome::Value(decimal("2")));
}

#[test]
fn a_whole_record_is_checked_field_by_field() {
    let record = scope().get("booking").cloned().unwrap();
    let expression = compiled("booking", &record);
    assert!(matches!(expression.eval(&facts()), Outcome::Value(Value::Record(_))));
    let mut facts = facts();
    let Some(Value::Record(fields)) = facts.get_mut("booking") else { panic!("a record") };
    fields.remove("guests");
    assert!(matches!(expression.eval(&facts), Outcome::CannotDecide(_)));
    // Other fields stay readable.
    assert_eq!(compiled("booking.total == 480", &Type::Bool).test(&facts), Verdict::Holds);
}

#[test]
fn texts_do_not_grow_without_end() {
    let joined = compiled("name + name", &Type::Text);
    for (length, fits) in [(TEXT_MAX / 2, true), (TEXT_MAX / 2 + 1, false)] {
        let mut facts = facts();
        facts.insert("name".to_owned(), Value::Text("a".repeat(length)));
        assert_eq!(matches!(joined.eval(&facts), Outcome::Value(_)), fits, "{length}");
    }
    let mut facts = facts();
    facts.insert("name".to_owned(), Value::Text("a".repeat(TEXT_MAX + 1)));
    for source in ["lower(name) == 'a'", "same_text(name, 'a')", "boleto_amount(name) == 1"] {
        let verdict = compiled(source, &Type::Bool).test(&facts);
        assert!(
            matches!(&verdict, Verdict::CannotDecide(missing) if missing.why == Why::TooLong),
            "{source}: {verdict:?}"
        );
    }
    facts.insert("name".to_owned(), Value::Text("a".repeat(TEXT_MAX)));
    for source in ["lower(name) == 'a'", "same_text(name, 'a')"] {
        assert_eq!(compiled(source, &Type::Bool).test(&facts), Verdict::Fails, "{source}");
    }
}

#[test]
fn an_expected_optional_takes_a_value_but_never_a_null() {
    let maybe = Type::Optional(Box::new(Type::Text));
    gives("name", &maybe, Value::text("João Silva"));
    assert!(matches!(compiled("coupon", &maybe).eval(&facts()), Outcome::CannotDecide(_)));
}

#[test]
fn a_value_is_not_a_verdict() {
    assert!(matches!(compiled("count", &Type::Int).test(&facts()), Verdict::CannotDecide(_)));
}
