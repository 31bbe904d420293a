use super::*;
use crate::{Currency, Language, Region};
use jiff::civil::date as day;

fn check(text: &str, wanted: Option<&str>) {
    let ctx = Context {
        now: day(2026, 11, 15).at(10, 0, 0, 0),
        language: Language::Pt,
        currency: Currency::BRL,
        region: Region::BR,
    };
    assert_eq!(malformed(text, &ctx).map(|span| span.of(text).to_owned()).as_deref(), wanted, "{text}");
}

#[test]
fn impossible_days_are_reported() {
    check("vence 31/02", Some("31/02"));
    check("vence em 2026-13-40 ok", Some("2026-13-40"));
    check("32/12/2026", Some("32/12/2026"));
    check("29/02/2027", Some("29/02/2027"));
    check("30/02/28", Some("30/02/28"));
    check("31 de fevereiro", Some("31 de fevereiro"));
    check("dia 32", Some("dia 32"));
    check("00/00/0000", Some("00/00/0000"));
    check("13/13/2026", Some("13/13/2026"));
    check("10/12/20266", Some("10/12/20266"));
}

#[test]
fn possible_days_and_other_digits_are_not() {
    for text in [
        "29/02/2028",
        "31/12",
        "dia 31",
        "10/12/2026",
        "11 98765-4321",
        "529.982.247-25",
        "R$ 1.500,00",
        "1/2/3",
        "oi",
        "",
    ] {
        check(text, None);
    }
}
