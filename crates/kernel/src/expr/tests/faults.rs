//! What is refused, with the code and the words it points at.

use super::super::{CODES, DEPTH_MAX, FAULTS_MAX, Fault, NODES_MAX, SOURCE_MAX, Type, compile, parse};
use super::scope;

fn faults(source: &str) -> Vec<Fault> {
    compile(source, &scope(), &Type::Bool).err().unwrap_or_default()
}

/// One fault with this code, pointing at these words, whose help contains this.
fn check(source: &str, code: &str, words: &str, help: &str) {
    let faults = faults(source);
    let [fault] = faults.as_slice() else { panic!("{source}: expected one fault, found {faults:?}") };
    assert_eq!((fault.code, fault.span.of(source)), (code, words), "{source}: {fault}");
    let found = fault.help.as_deref().unwrap_or_default();
    assert!(found.contains(help), "{source}: help `{found}` lacks `{help}`");
    assert!(CODES.contains(&fault.code), "{} is not listed", fault.code);
    assert!(!fault.message.ends_with('.'), "{source}: {fault}");
}

#[test]
fn syntax() {
    check("", "expr/syntax", "", "");
    check("   ", "expr/syntax", "", "");
    check("vip &&", "expr/syntax", "", "");
    check("(vip", "expr/syntax", "", "");
    check("vip)", "expr/syntax", ")", "");
    check("vip vip", "expr/syntax", "vip", "");
    check("count = 3", "expr/syntax", "=", "`==`");
    check("vip & vip", "expr/syntax", "&", "`&&`");
    check("vip | vip", "expr/syntax", "|", "`||`");
    check("vip and vip", "expr/syntax", "and", "`&&`");
    check("vip or vip", "expr/syntax", "or", "`||`");
    check("not vip", "expr/syntax", "not", "`!`");
    check("name is 'a'", "expr/syntax", "is", "`==`");
    check("vip ? vip", "expr/syntax", "", "");
    check("vip ? vip ? vip : vip : vip", "expr/syntax", "?", "");
    check("count / 2 > 1", "expr/no_division", "/", "multiply");
    check("count % 2 == 1", "expr/no_division", "%", "multiply");
    check("coupon == null", "expr/no_null", "null", "has(x)");
    check("tags[0] == 'new'", "expr/syntax", "[", "in");
    check("(booking).guests == 1", "expr/syntax", ".", "whole path");
    check("booking. == 1", "expr/syntax", "==", "");
    check("name.size() == 1", "expr/syntax", "size", "size(x");
    check("tags.all(t, t == 'a')", "expr/syntax", "all", "no loops");
    check("{'a': 1} == 1", "expr/syntax", "{", "maps");
    check("name == ‘a’", "expr/syntax", "‘", "straight");
    check("[1, 2 == 1", "expr/syntax", "", "");
    check("size(name == 1", "expr/syntax", "", "");
    check("1 +* 2 == 3", "expr/syntax", "*", "");
    check("é == 1", "expr/syntax", "é", "");
}

#[test]
fn texts_and_numbers() {
    check("name == 'Ana", "expr/text", "'Ana", "close");
    check("name == \"Ana'", "expr/text", "\"Ana'", "close");
    check("name == 'a\nb'", "expr/text", "'a", "same line");
    check(r"name == '\d'", "expr/text", r"\d", "raw");
    check("name == '\\", "expr/text", "\\", "");
    check("count == 1.", "expr/number", "1.", "1.0");
    check("count == 1e5", "expr/number", "1e5", "plain digits");
    check("count == 1_000", "expr/number", "1_000", "plain digits");
    check("count == 5u", "expr/number", "5u", "plain digits");
    check("count == 9223372036854775808", "expr/number", "9223372036854775808", "");
    check("count == -9223372036854775809", "expr/number", "-9223372036854775809", "");
    check("rate == 0.12345678901234567890123456789", "expr/number", "0.12345678901234567890123456789", "");
    check("rate == .5", "expr/syntax", ".", "");
    assert_eq!(faults("count == 9223372036854775807"), []);
    assert_eq!(faults("count == -9223372036854775808"), []);
    assert_eq!(faults("rate == 0.1234567890123456789012345678"), []);
}

#[test]
fn names_and_functions() {
    check("amonut > 1", "expr/unknown_name", "amonut", "`amount`");
    check("refund_amuont > 1", "expr/unknown_name", "refund_amuont", "`refund_amount`");
    check("zzz > 1", "expr/unknown_name", "zzz", "");
    check("booking.gests > 1", "expr/unknown_field", "gests", "`guests`");
    check("booking.customer.mail == 'a'", "expr/unknown_field", "mail", "`email`");
    check("name.first == 'a'", "expr/not_a_record", "first", "");
    check("has(booking.zzz)", "expr/unknown_field", "zzz", "");
    check("has(1)", "expr/argument", "1", "has(x.y)");
    check("has(size(name))", "expr/argument", "size(name)", "has(x.y)");
    check("has()", "expr/argument_count", "has()", "has(path)");
    check("has(name, vip)", "expr/argument_count", "has(name, vip)", "");
    check("startsWith(name, 'a')", "expr/unknown_function", "startsWith", "`starts_with`");
    check("frobnicate(name)", "expr/unknown_function", "frobnicate", "");
    check("size() == 1", "expr/argument_count", "size()", "size(list or text)");
    check("size(name, name) == 1", "expr/argument_count", "size(name, name)", "");
    check("size(count) == 1", "expr/argument", "count", "size(list or text)");
    check("minor(count) == 1", "expr/argument", "count", "minor(money)");
    check("minor(50) == 1", "expr/argument", "50", "");
    check("days(rate) == age", "expr/argument", "rate", "");
    check("abs(name) == 1", "expr/argument", "name", "");
    check("min(vip, 1) == 1", "expr/argument", "vip", "");
    check("weekday('2026-12-10') == 1", "expr/argument", "'2026-12-10'", "");
    check("due == date(name)", "expr/argument", "name", "date('2026-12-10')");
    check("matches(name, name)", "expr/argument", "name", "");
}

#[test]
fn types() {
    check("count", "expr/type", "count", "");
    check("1 + 1", "expr/type", "1 + 1", "");
    check("count && vip", "expr/type", "count", "compare it");
    check("!count", "expr/type", "count", "compare it");
    check("count ? vip : vip", "expr/type", "count", "");
    check("vip ? count : name", "expr/type", "vip ? count : name", "");
    check("name == 1", "expr/type", "name == 1", "");
    check("vip < true", "expr/type", "vip < true", "");
    check("tags < tags", "expr/type", "tags < tags", "");
    check("booking == booking", "expr/type", "booking == booking", "");
    check("0 < count < 9", "expr/type", "0 < count < 9", "a < b && b < c");
    check("-name == name", "expr/type", "name", "");
    check("-due == due", "expr/type", "due", "");
    check("name - name == name", "expr/type", "name - name", "");
    check("name * 2 == name", "expr/type", "name * 2", "");
    check("tags + tags == tags", "expr/type", "tags + tags", "");
    check("due + due == due", "expr/type", "due + due", "");
    check("due + 1 == due", "expr/type", "due + 1", "days(n)");
    check("age > 1", "expr/type", "age > 1", "days(n)");
    check("due >= '2026-12-10'", "expr/type", "due >= '2026-12-10'", "date('2026-12-10')");
    check("at >= '18:00'", "expr/type", "at >= '18:00'", "time('18:00')");
    check("due == now", "expr/type", "due == now", "");
    check("name in 'João'", "expr/type", "'João'", "contains");
    check("1 in count", "expr/type", "count", "");
    check("1 in tags", "expr/type", "1 in tags", "");
    check("[1] in [[1]]", "expr/type", "[1] in [[1]]", "");
    check("1 in []", "expr/empty_list", "[]", "");
    check("1 in [1, 'a']", "expr/type", "'a'", "");
    check("min(count, name) == count", "expr/type", "min(count, name)", "");
    check("scores == sizes", "expr/type", "scores", "");
}

#[test]
fn money() {
    check("amount <= refund_amount", "expr/currency", "amount <= refund_amount", "");
    check("amount + refund_amount == amount", "expr/currency", "amount + refund_amount", "");
    check("min(amount, refund_amount) == amount", "expr/currency", "min(amount, refund_amount)", "");
    check("(vip ? amount : refund_amount) > 1", "expr/currency", "(vip ? amount : refund_amount)", "");
    check("amount in [refund_amount]", "expr/currency", "amount in [refund_amount]", "");
    check("amount <= count", "expr/money_and_number", "count", "minor(amount)");
    check("rate <= amount", "expr/money_and_number", "rate", "major(amount)");
    check("amount + count > 1", "expr/money_and_number", "count", "declare it as money");
    check("amount in sizes", "expr/money_and_number", "sizes", "");
    check("amount <= 50 + 10", "expr/money_and_number", "50 + 10", "");
    check("amount <= size(name)", "expr/money_and_number", "size(name)", "");
    check("amount <= size('abc')", "expr/money_and_number", "size('abc')", "");
    check("amount <= (vip ? 50 : count)", "expr/money_and_number", "count", "");
    check("amount <= 50.101", "expr/too_many_places", "50.101", "");
    check("yen <= 50.1", "expr/too_many_places", "50.1", "");
    check("amount in [50, 0.001]", "expr/too_many_places", "0.001", "");
    check("amount <= 92233720368547758.08", "expr/constant", "92233720368547758.08", "");
    check("amount * rate == amount", "expr/type", "amount * rate", "major(x)");
    check("amount * 0.1 == amount", "expr/type", "amount * 0.1", "major(x)");
    check("amount * amount == amount", "expr/type", "amount * amount", "major(x)");
    for fine in ["amount <= 50.10", "amount <= 50.100", "yen <= 50", "yen <= 50.0", "amount <= 92233720368547758.07"] {
        assert_eq!(faults(fine), [], "{fine}");
    }
}

#[test]
fn written_constants() {
    check("due == date('2026-02-29')", "expr/constant", "date('2026-02-29')", "date('2026-12-10')");
    check("due == date('tomorrow')", "expr/constant", "date('tomorrow')", "");
    check("at == time('25:00')", "expr/constant", "time('25:00')", "");
    check("age == days(106751991167301)", "expr/constant", "days(106751991167301)", "");
    check("due > today + hours(1)", "expr/constant", "hours(1)", "days(1)");
    check("matches(name, '(')", "expr/pattern", "'('", "");
    check("matches(name, 'a{1000}{1000}')", "expr/pattern", "'a{1000}{1000}'", "");
    check("matches(name, '(a)\\\\1')", "expr/pattern", "'(a)\\\\1'", "");
    let deep = format!("matches(name, '{}a{}')", "(".repeat(40), ")".repeat(40));
    assert_eq!(faults(&deep).first().map(|fault| fault.code), Some("expr/pattern"));
    assert_eq!(faults(r"due == date('2028-02-29') && due > today + hours(24) && matches(name, r'^\w+$')"), []);
}

#[test]
fn every_mistake_is_reported_in_order() {
    let found: Vec<&str> =
        faults("nope > 1 && size(count) == 2 || what(nothing) in tags").iter().map(|f| f.code).collect();
    assert_eq!(found, ["expr/unknown_name", "expr/argument", "expr/unknown_name", "expr/unknown_function"]);
    let many = vec!["nope"; FAULTS_MAX + 5].join(" && ");
    assert_eq!(faults(&many).len(), FAULTS_MAX);
}

#[test]
fn limits() {
    let codes = |source: &str| faults(source).first().map(|fault| fault.code);
    let padded = |length: usize| format!("vip{}", " ".repeat(length - 3));
    assert_eq!(codes(&padded(SOURCE_MAX)), None);
    assert_eq!(codes(&padded(SOURCE_MAX + 1)), Some("expr/too_long"));

    let nested = |levels: usize| format!("{}vip{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(codes(&nested(DEPTH_MAX - 1)), None);
    assert_eq!(codes(&nested(DEPTH_MAX)), Some("expr/too_deep"));

    let signs = |levels: usize| format!("{}vip", "!".repeat(levels));
    assert_eq!(codes(&signs(DEPTH_MAX - 1)), None);
    assert_eq!(codes(&signs(DEPTH_MAX)), Some("expr/too_deep"));

    let sum = |terms: usize| format!("0 < {}", vec!["1"; terms].join("+"));
    assert_eq!(codes(&sum(DEPTH_MAX - 1)), None);
    assert_eq!(codes(&sum(DEPTH_MAX)), Some("expr/too_deep"));

    let else_if = |levels: usize| format!("{}vip", "vip ? vip : ".repeat(levels));
    assert_eq!(codes(&else_if(DEPTH_MAX - 1)), None);
    assert_eq!(codes(&else_if(DEPTH_MAX)), Some("expr/too_deep"));

    // A long chain is flat: only the number of its parts counts.
    let chain = |parts: usize| vec!["vip"; parts].join("&&");
    assert_eq!(codes(&chain(500)), None);
    let listed = |parts: usize| format!("1 in [{}]", vec!["1"; parts].join(","));
    assert_eq!(codes(&listed(NODES_MAX - 3)), None);
    assert_eq!(codes(&listed(NODES_MAX - 2)), Some("expr/too_many_parts"));
}

#[test]
fn spans_cover_what_was_written() {
    let source = "amount <= 50 && (booking.guests in [1, -2]) ";
    let ast = parse(source).unwrap();
    assert_eq!(ast.root().span.of(source), source.trim_end());
    assert_eq!(ast.source(), source);
}
