use super::*;
use crate::{Currency, Language, Region, format};
use jiff::civil::date as day;
use proptest::prelude::*;

fn pt() -> Context {
    // A Sunday.
    Context {
        now: day(2026, 11, 15).at(10, 0, 0, 0),
        language: Language::Pt,
        currency: Currency::BRL,
        region: Region::BR,
    }
}

fn en() -> Context {
    Context { language: Language::En, currency: Currency::USD, region: Region::US, ..pt() }
}

/// Findings as `kind words=value`, so that a case is one line.
fn shown(text: &str, ctx: &Context) -> Vec<String> {
    extract(text, ctx).iter().map(|found| format!("{} [{}]", value_shown(found), found.span.of(text))).collect()
}

fn value_shown(found: &Found) -> String {
    match &found.value {
        Value::Money(money) => format!("{} {}", money.currency.code(), money.minor),
        Value::Date(date) => date.to_string(),
        Value::Time(time) => format::time(*time, Language::Pt),
        Value::Duration(seconds) => format!("{seconds}s"),
        Value::Int(n) if found.kind == Kind::Ordinal => format!("#{n}"),
        Value::Int(n) => n.to_string(),
        Value::Decimal(n) => n.to_string(),
        Value::Text(text) => format!("{:?} {text}", found.kind).to_lowercase(),
        Value::Null | Value::Bool(_) | Value::Instant(_) | Value::List(_) | Value::Record(_) => "unexpected".to_owned(),
    }
}

fn check(ctx: &Context, cases: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (text, wanted) in cases {
        let found = shown(text, ctx);
        if found != *wanted {
            wrong.push(format!("{text:?}\n   found {found:?}\n  wanted {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn money_in_portuguese() {
    check(
        &pt(),
        &[
            ("R$ 1.500,00", &["BRL 150000 [R$ 1.500,00]"]),
            ("R$1500", &["BRL 150000 [R$1500]"]),
            ("r$ 1500,5", &["BRL 150050 [r$ 1500,5]"]),
            ("1.500 reais", &["BRL 150000 [1.500 reais]"]),
            ("quero 150,50 por favor", &["BRL 15050 [150,50]"]),
            ("mil e quinhentos reais", &["BRL 150000 [mil e quinhentos reais]"]),
            ("cento e vinte reais e cinquenta centavos", &["BRL 12050 [cento e vinte reais e cinquenta centavos]"]),
            ("dois mil, trezentos", &["2000 [dois mil]", "300 [trezentos]"]),
            ("1,5 mil reais", &["BRL 150000 [1,5 mil reais]"]),
            ("150 contos", &["BRL 15000 [150 contos]"]),
            ("150 conto", &["BRL 15000 [150 conto]"]),
            ("cem pila", &["BRL 10000 [cem pila]"]),
            ("50 pau", &["BRL 5000 [50 pau]"]),
            ("2k reais", &["BRL 200000 [2k reais]"]),
            ("R$ 2 mil", &["BRL 200000 [R$ 2 mil]"]),
            ("um milhão de reais", &["BRL 100000000 [um milhão de reais]"]),
            ("2 milhões e meio de reais", &["BRL 250000000 [2 milhões e meio de reais]"]),
            ("um real", &["BRL 100 [um real]"]),
            ("vinte e cinco reais", &["BRL 2500 [vinte e cinco reais]"]),
            ("100001 reais", &["BRL 10000100 [100001 reais]"]),
            ("-50 reais", &["BRL -5000 [-50 reais]"]),
            ("menos 50 reais", &["BRL -5000 [menos 50 reais]"]),
            ("R$ -50,00", &["BRL -5000 [R$ -50,00]"]),
            ("-R$ 50,00", &["BRL -5000 [-R$ 50,00]"]),
            ("mais ou menos 50 reais", &["BRL 5000 [50 reais]"]),
            ("0 reais", &["BRL 0 [0 reais]"]),
            ("R$ 0,00", &["BRL 0 [R$ 0,00]"]),
            ("50 centavos", &["BRL 50 [50 centavos]"]),
            ("R$ 20 e 50 centavos", &["BRL 2050 [R$ 20 e 50 centavos]"]),
            ("20 dólares", &["USD 2000 [20 dólares]"]),
            ("US$ 20", &["USD 2000 [US$ 20]"]),
            ("20 USD", &["USD 2000 [20 USD]"]),
            ("$ 20", &["BRL 2000 [$ 20]"]),
            ("R$ 1,500.00", &["BRL 150000 [R$ 1,500.00]"]),
            ("1500.50", &["BRL 150050 [1500.50]"]),
            ("R$ 1,500", &[]),
            ("R$ 0,001", &["0.001 [0,001]"]),
            ("entre 100 e 200 reais", &["100 [100]", "BRL 20000 [200 reais]"]),
            ("R$50 reais", &["BRL 5000 [R$50 reais]"]),
            ("Ｒ＄ １５０", &["BRL 15000 [Ｒ＄ １５０]"]),
            ("R$ 99999999999999999999", &[]),
            ("15 reais e 50", &["BRL 1550 [15 reais e 50]"]),
            ("15 reais e 50 boletos", &["BRL 1500 [15 reais]", "50 [50]"]),
            ("1,20 centavos", &["1.2 [1,20]"]),
            ("a $ 63,45", &["BRL 6345 [$ 63,45]"]),
            ("mex$ 15", &["15 [15]"]),
            ("meio milhão de reais", &["BRL 50000000 [meio milhão de reais]"]),
        ],
    );
}

#[test]
fn money_in_english() {
    check(
        &en(),
        &[
            ("$20", &["USD 2000 [$20]"]),
            ("20 dollars", &["USD 2000 [20 dollars]"]),
            ("USD 20", &["USD 2000 [USD 20]"]),
            ("twenty bucks", &["USD 2000 [twenty bucks]"]),
            (
                "a hundred and twenty dollars and fifty cents",
                &["USD 12050 [a hundred and twenty dollars and fifty cents]"],
            ),
            ("1,500.00", &["USD 150000 [1,500.00]"]),
            ("$1,500", &["USD 150000 [$1,500]"]),
            ("$1.500,00", &["USD 150000 [$1.500,00]"]),
            ("$1.500", &[]),
            ("R$1,500.00", &["BRL 150000 [R$1,500.00]"]),
            ("$2k", &["USD 200000 [$2k]"]),
            ("$1.5 million", &["USD 150000000 [$1.5 million]"]),
            ("two thousand bob", &["KES 200000 [two thousand bob]"]),
            ("120 euro", &["EUR 12000 [120 euro]"]),
            ("£5.20", &["GBP 520 [£5.20]"]),
            ("KSh 2,000", &["KES 200000 [KSh 2,000]"]),
            ("-$5", &["USD -500 [-$5]"]),
            ("minus five dollars", &["USD -500 [minus five dollars]"]),
            ("TRY 20", &["TRY 2000 [TRY 20]"]),
            ("try 20", &["20 [20]"]),
            ("12.50%", &["12.5 [12.50]"]),
            ("75 USD million", &["USD 7500000000 [75 USD million]"]),
            ("3.14US$", &["USD 314 [3.14US$]"]),
            ("5 lakh rupees", &["INR 50000000 [5 lakh rupees]"]),
        ],
    );
}

#[test]
fn days_in_portuguese() {
    check(
        &pt(),
        &[
            ("hoje", &["2026-11-15 [hoje]"]),
            ("AMANHA", &["2026-11-16 [AMANHA]"]),
            ("depois de amanhã", &["2026-11-17 [depois de amanhã]"]),
            ("ontem", &["2026-11-14 [ontem]"]),
            ("vence sexta", &["2026-11-20 [sexta]"]),
            ("sexta-feira", &["2026-11-20 [sexta-feira]"]),
            ("próxima sexta", &["2026-11-20 [próxima sexta]"]),
            ("na próxima sexta-feira", &["2026-11-20 [próxima sexta-feira]"]),
            ("sexta que vem", &["2026-11-20 [sexta que vem]"]),
            ("sexta da semana que vem", &["2026-11-20 [sexta da semana que vem]"]),
            ("sexta passada", &["2026-11-13 [sexta passada]"]),
            ("no domingo", &["2026-11-22 [domingo]"]),
            ("neste domingo", &["2026-11-15 [neste domingo]"]),
            ("6ª feira", &["2026-11-20 [6ª feira]"]),
            ("até sex", &["2026-11-20 [sex]"]),
            ("vai ter jogo", &[]),
            ("dia 10", &["2026-12-10 [dia 10]"]),
            ("dia 15", &["2026-11-15 [dia 15]"]),
            ("dia vinte", &["2026-11-20 [dia vinte]"]),
            ("dia 31", &["2026-12-31 [dia 31]"]),
            ("10/12", &["2026-12-10 [10/12]"]),
            ("10/01", &["2027-01-10 [10/01]"]),
            ("15/11", &["2026-11-15 [15/11]"]),
            ("10/12/2026", &["2026-12-10 [10/12/2026]"]),
            ("01/01/2020", &["2020-01-01 [01/01/2020]"]),
            ("10-12-26", &["2026-12-10 [10-12-26]"]),
            ("10.12.2026", &["2026-12-10 [10.12.2026]"]),
            ("2026-12-10", &["2026-12-10 [2026-12-10]"]),
            ("12/31/2026", &["2026-12-31 [12/31/2026]"]),
            ("29/02", &["2028-02-29 [29/02]"]),
            ("10 de dezembro", &["2026-12-10 [10 de dezembro]"]),
            ("10 de dezembro de 2027", &["2027-12-10 [10 de dezembro de 2027]"]),
            ("dia 5 de janeiro", &["2027-01-05 [dia 5 de janeiro]"]),
            ("1º de março", &["2027-03-01 [1º de março]"]),
            ("primeiro de maio", &["2027-05-01 [primeiro de maio]"]),
            ("dez de dez", &["2026-12-10 [dez de dez]"]),
            ("10/dez/26", &["2026-12-10 [10/dez/26]"]),
            ("um de março", &["2027-03-01 [um de março]"]),
            ("dia 20 do mês que vem", &["2026-12-20 [dia 20 do mês que vem]"]),
            ("dia 20 deste mês", &["2026-11-20 [dia 20 deste mês]"]),
            ("sexta, 20/11", &["2026-11-20 [sexta, 20/11]"]),
            ("20 de novembro (sexta-feira)", &["2026-11-20 [20 de novembro (sexta-feira]"]),
            ("sexta, 21/11", &["2026-11-20 [sexta]", "2026-11-21 [21/11]"]),
            ("fim do mês", &["2026-11-30 [fim do mês]"]),
            ("semana que vem", &["2026-11-16 [semana que vem]"]),
            ("mês que vem", &["2026-12-01 [mês que vem]"]),
            ("daqui a 3 dias", &["2026-11-18 [daqui a 3 dias]"]),
            ("em 15 dias", &["2026-11-30 [em 15 dias]"]),
            ("em duas semanas", &["2026-11-29 [em duas semanas]"]),
            ("daqui a um mês", &["2026-12-15 [daqui a um mês]"]),
            ("há 2 dias", &["2026-11-13 [há 2 dias]"]),
            ("3 dias atrás", &["2026-11-12 [3 dias atrás]"]),
            ("em 3 dias úteis", &["3 [3]"]),
            ("em 999999999 anos", &["31535999968464000s [999999999 anos]"]),
            ("31/02", &[]),
            ("32/12/2026", &[]),
            ("2026-13-40", &[]),
        ],
    );
}

#[test]
fn days_in_english() {
    check(
        &en(),
        &[
            ("tomorrow", &["2026-11-16 [tomorrow]"]),
            ("next friday", &["2026-11-20 [next friday]"]),
            ("last friday", &["2026-11-13 [last friday]"]),
            ("this sunday", &["2026-11-15 [this sunday]"]),
            ("friday next week", &["2026-11-20 [friday next week]"]),
            ("on the 8th", &["2026-12-08 [on the 8th]"]),
            ("the 8th", &["2026-12-08 [the 8th]", "#8 [the 8th]"]),
            ("March 8", &["2027-03-08 [March 8]"]),
            ("March 8th, 2027", &["2027-03-08 [March 8th, 2027]"]),
            ("8 March 2027", &["2027-03-08 [8 March 2027]"]),
            ("the 8th of March", &["2027-03-08 [the 8th of March]"]),
            ("twenty first of december", &["2026-12-21 [twenty first of december]"]),
            ("03/08", &["2027-03-08 [03/08]"]),
            ("03/08/2026", &["2026-03-08 [03/08/2026]"]),
            ("25/12", &["2026-12-25 [25/12]"]),
            ("in two weeks", &["2026-11-29 [in two weeks]"]),
            ("in a week", &["2026-11-22 [in a week]"]),
            ("3 days from now", &["2026-11-18 [3 days from now]"]),
            ("two weeks ago", &["2026-11-01 [two weeks ago]"]),
            ("end of the month", &["2026-11-30 [end of the month]"]),
            ("open 24/7", &[]),
            ("you may 5 times", &["2027-05-05 [may 5]"]),
            ("May 2026", &["2026 [2026]"]),
            ("Feb 30", &[]),
            ("on 24th", &["2026-11-24 [24th]"]),
            ("20 of next month", &["2026-12-20 [20 of next month]"]),
            ("last Monday of March", &[]),
            ("Friday, Nov 20", &["2026-11-20 [Friday, Nov 20]"]),
            ("3/4 hour", &[]),
        ],
    );
}

#[test]
fn times_and_lengths() {
    check(
        &pt(),
        &[
            ("20h", &["20:00 [20h]"]),
            ("20h30", &["20:30 [20h30]"]),
            ("20:30", &["20:30 [20:30]"]),
            ("às 8 da noite", &["20:00 [às 8 da noite]"]),
            ("às 8", &["08:00 [às 8]"]),
            ("as 8 pessoas", &["8 [8]"]),
            ("as 8 por favor", &["08:00 [as 8]"]),
            ("às sete e meia da noite", &["19:30 [às sete e meia da noite]"]),
            ("8 da manhã", &["08:00 [8 da manhã]"]),
            ("às 20 horas", &["20:00 [às 20 horas]"]),
            ("meio-dia", &["12:00 [meio-dia]"]),
            ("meio dia e meia", &["12:30 [meio dia e meia]"]),
            ("meia-noite", &["00:00 [meia-noite]"]),
            ("quinze para as oito", &["07:45 [quinze para as oito]"]),
            ("quinze para o meio-dia", &["11:45 [quinze para o meio-dia]"]),
            ("hoje à noite às 8", &["2026-11-15 [hoje]", "20:00 [às 8]"]),
            ("sexta às 20h", &["2026-11-20 [sexta]", "20:00 [às 20h]"]),
            ("daqui a 2h", &["7200s [2h]"]),
            ("2 horas", &["7200s [2 horas]"]),
            ("uma hora e meia", &["5400s [uma hora e meia]"]),
            ("meia hora", &["1800s [meia hora]"]),
            ("3 dias", &["259200s [3 dias]"]),
            ("45 min", &["2700s [45 min]"]),
        ],
    );
    check(
        &en(),
        &[
            ("8pm", &["20:00 [8pm]"]),
            ("8:30 p.m.", &["20:30 [8:30 p.m.]"]),
            ("8 am", &["08:00 [8 am]"]),
            ("12am", &["00:00 [12am]"]),
            ("15am", &["15 [15]"]),
            ("half past seven", &["07:30 [half past seven]"]),
            ("quarter to eight", &["07:45 [quarter to eight]"]),
            ("ten past nine", &["09:10 [ten past nine]"]),
            ("five to eight people", &["5 [five]", "8 [eight]"]),
            ("at 8", &["08:00 [at 8]"]),
            ("2 people at 8", &["2 [2]", "08:00 [at 8]"]),
            ("at seven thirty", &["07:30 [at seven thirty]"]),
            ("8 in the evening", &["20:00 [8 in the evening]"]),
            ("noon", &["12:00 [noon]"]),
            ("tonight at 8", &["2026-11-15 [tonight]", "20:00 [at 8]"]),
            ("330 p.m.", &["15:30 [330 p.m.]"]),
            ("at 19h30", &["19:30 [at 19h30]"]),
            ("30 minutes past 3 pm", &["15:30 [30 minutes past 3 pm]"]),
            ("eight o'clock", &["08:00 [eight o'clock]"]),
            ("for 2h", &["7200s [2h]"]),
            ("two hours and a half", &["9000s [two hours and a half]"]),
            ("half an hour", &["1800s [half an hour]"]),
        ],
    );
}

#[test]
fn positions() {
    check(
        &pt(),
        &[
            ("o segundo", &["#2 [o segundo]"]),
            ("a primeira", &["#1 [a primeira]"]),
            ("segunda opção", &["#2 [segunda opção]"]),
            ("quero a segunda opção", &["#2 [a segunda opção]"]),
            ("2º", &["#2 [2º]"]),
            ("o último", &["#-1 [o último]"]),
            ("a segunda", &["2026-11-16 [a segunda]", "#2 [a segunda]"]),
            ("segunda", &["2026-11-16 [segunda]", "#2 [segunda]"]),
            ("segunda-feira", &["2026-11-16 [segunda-feira]"]),
            ("na segunda", &["2026-11-16 [segunda]"]),
            ("vence segunda", &["2026-11-16 [segunda]"]),
            ("segunda que vem", &["2026-11-16 [segunda que vem]"]),
            ("segunda às 10h", &["2026-11-16 [segunda]", "10:00 [às 10h]"]),
            ("quero a segunda via", &[]),
        ],
    );
    check(
        &en(),
        &[
            ("the second one", &["#2 [the second one]"]),
            ("the last", &["#-1 [the last]"]),
            ("3rd", &["#3 [3rd]"]),
            ("the 2nd one", &["#2 [the 2nd one]"]),
            ("just a second", &[]),
        ],
    );
}

#[test]
fn codes_and_addresses() {
    check(
        &pt(),
        &[
            ("BOL-1001", &["id bol-1001 [BOL-1001]"]),
            ("cancela o bol 1001", &["id bol1001 [bol 1001]"]),
            ("BOL1001", &["id bol1001 [BOL1001]"]),
            ("RES-000001.", &["id res-000001 [RES-000001]"]),
            ("rest_123", &["id rest-123 [rest_123]"]),
            ("ORD-2026-00017", &["id ord-2026-00017 [ORD-2026-00017]"]),
            ("pedido #W2378156", &["id w2378156 [#W2378156]"]),
            ("CPF 529.982.247-25", &["id 529.982.247-25 [529.982.247-25]"]),
            ("boleto pra ana de 150", &["150 [150]"]),
            ("COBRAR ANA 1500", &["1500 [1500]"]),
            ("3x de 50", &["3 [3]", "50 [50]"]),
            ("(11) 98765-4321", &["phone +5511987654321 [(11) 98765-4321]"]),
            ("11987654321", &["phone +5511987654321 [11987654321]"]),
            ("+55 11 98765 4321", &["phone +5511987654321 [+55 11 98765 4321]"]),
            ("011 3333-4444", &["phone +551133334444 [011 3333-4444]"]),
            ("+254 712 345678", &["phone +254712345678 [+254 712 345678]"]),
            ("Ana.Souza@Example.com.", &["email ana.souza@example.com [Ana.Souza@Example.com]"]),
            ("ana-s@example.com", &["email ana-s@example.com [ana-s@example.com]"]),
            ("https://example.com/10/12 ok", &[]),
            ("10.0.0.1", &[]),
        ],
    );
    check(
        &en(),
        &[
            ("call (212) 555-1234", &["phone +12125551234 [(212) 555-1234]"]),
            ("1-212-555-1234", &["phone +12125551234 [1-212-555-1234]"]),
            ("212.555.1234", &["phone +12125551234 [212.555.1234]"]),
        ],
    );
    check(&Context { region: Region::KE, ..en() }, &[("0712 345 678", &["phone +254712345678 [0712 345 678]"])]);
    check(&Context { region: Region::GB, ..en() }, &[("020 7946 0958", &["phone +442079460958 [020 7946 0958]"])]);
    check(&Context { region: Region::TR, ..en() }, &[("0532 123 45 67", &["phone +905321234567 [0532 123 45 67]"])]);
}

#[test]
fn numbers() {
    check(
        &pt(),
        &[
            ("um", &["1 [um]"]),
            ("quero um boleto", &[]),
            ("mesa para duas pessoas", &["2 [duas]"]),
            ("mil quinhentos e trinta e dois", &["1532 [mil quinhentos e trinta e dois]"]),
            ("dois e três", &["2 [dois]", "3 [três]"]),
            ("2 mil e 500", &["2500 [2 mil e 500]"]),
            ("1.234.567", &["1234567 [1.234.567]"]),
            ("dois e meio", &["2.5 [dois e meio]"]),
            ("-5", &["-5 [-5]"]),
            ("10-20", &["10 [10]", "20 [20]"]),
            ("mp3", &[]),
            ("1,5", &["1.5 [1,5]"]),
        ],
    );
    check(
        &en(),
        &[
            ("the second one", &["#2 [the second one]"]),
            ("one hundred and twenty-five", &["125 [one hundred and twenty-five]"]),
            ("two hundred thousand", &["200000 [two hundred thousand]"]),
            ("1,00,000", &["100000 [1,00,000]"]),
            ("fifteen hundred", &["1500 [fifteen hundred]"]),
        ],
    );
}

#[test]
fn whole_messages() {
    check(
        &pt(),
        &[
            ("quero um boleto de 150 reais para a Ana, vence sexta", &["BRL 15000 [150 reais]", "2026-11-20 [sexta]"]),
            ("boleto pra ana de 150 vence sexta", &["150 [150]", "2026-11-20 [sexta]"]),
            (
                "reserva pra 4 pessoas amanhã às 20h no nome de João, tel 11 98765-4321",
                &["4 [4]", "2026-11-16 [amanhã]", "20:00 [às 20h]", "phone +5511987654321 [11 98765-4321]"],
            ),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_is_read_without_a_fault(text in any::<String>(), english in any::<bool>()) {
        let ctx = if english { en() } else { pt() };
        check_order(&text, &extract(&text, &ctx))?;
        let _ = date::malformed(&text, &ctx);
    }

    #[test]
    fn likely_pieces_are_read_without_a_fault(pieces in prop::collection::vec(piece(), 0..12), glue in "[ ,./-]?") {
        let text = pieces.join(&glue);
        for ctx in [pt(), en()] {
            check_order(&text, &extract(&text, &ctx))?;
        }
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,5}",
        prop::sample::select(vec![
            "R$", "reais", "mil", "e", "às", "da noite", "sexta", "a", "segunda", "que vem", "dia", "de", "dezembro",
            "em", "dias", "meia", "hora", "h", "pm", "the", "th", "in", "weeks", "half", "past", "%", "+55", "(11)",
            "BOL", "-", "º", "@x.co",
        ])
        .prop_map(str::to_owned),
    ]
}

fn check_order(text: &str, found: &[Found]) -> Result<(), TestCaseError> {
    for pair in found.windows(2) {
        let is_twin = pair[0].span == pair[1].span && pair[0].kind == Kind::Date && pair[1].kind == Kind::Ordinal;
        prop_assert!(is_twin || pair[0].span.end <= pair[1].span.start, "{text:?} {found:?}");
    }
    for one in found {
        prop_assert!(text.get(one.span.start as usize..one.span.end as usize).is_some_and(|words| !words.is_empty()));
    }
    Ok(())
}
