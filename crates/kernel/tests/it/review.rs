//! The second entry: the same walks over a transcript, ending in a verdict.

use std::collections::BTreeMap;

use countersign_kernel::decision::Gate;
use countersign_kernel::event::Reading;
use countersign_kernel::policy::Policy;
use countersign_kernel::reason::Reason;
use countersign_kernel::review::{ENTRIES_MAX, Entry, Review, Subject, Verdict, review};
use countersign_kernel::state::{FactRows, Facts};
use countersign_nlu::Value;
use jiff::Timestamp;

use crate::bench_pack::{brl, policy};
use crate::script::{Row, START, boleto, row, surely};

fn at() -> Timestamp {
    START.parse().expect("a time")
}

fn person(text: &str, reading: Option<Reading>) -> Entry {
    Entry::Person { text: text.to_owned(), at: at(), reading }
}

fn tool(tool: &str, rows: Vec<Row>) -> Entry {
    Entry::Tool { tool: tool.to_owned(), rows }
}

fn contacts() -> Vec<Row> {
    vec![row(&[("name", Value::text("Ana Souza")), ("phone", Value::text("+5511900000001"))])]
}

fn call(tool: &str, arguments: &[(&str, Value)], facts: Facts) -> Subject {
    Subject::Call { tool: tool.to_owned(), arguments: row(arguments), facts }
}

fn contact_fact() -> Facts {
    let params = row(&[("name", Value::text("Ana"))]);
    BTreeMap::from([("contact".to_owned(), FactRows { number: 1, at: at(), params, rows: contacts() })])
}

#[track_caller]
fn check(transcript: &[Entry], subject: &Subject, verdict: Verdict, reason: Reason) -> Review {
    let found = review(&policy(), transcript, subject);
    assert_eq!((found.verdict, found.reason), (verdict, reason), "{:?}", found.decisions);
    found
}

#[test]
fn a_call_is_judged_by_the_same_gates() {
    let asked = [person("cobra 150 reais", Some(surely("ASSIST")))];
    let (accept, reject) = (Verdict::Accept, Verdict::Reject);
    let charge = |minor| call("charge", &[("amount_cents", brl(minor))], Facts::new());
    let found = check(&asked, &charge(15_000), accept, Reason::ConfirmationRequired);
    let traced = found.decisions.iter().find(|decision| decision.gate == Gate::Trace).expect("gate 9 ran");
    assert_eq!(traced.witnesses.first().and_then(countersign_kernel::origin::Witness::message), Some(1));
    check(&asked, &charge(150), reject, Reason::UnitMismatch);
    check(&asked, &charge(99_900), reject, Reason::NoOrigin);
    check(&asked, &call("cancel_boleto", &[], Facts::new()), reject, Reason::ActMismatch);
    check(&asked, &call("drop_all", &[], Facts::new()), reject, Reason::ToolUnknown);
    check(&[], &charge(15_000), reject, Reason::NoOpenRequest);
    // A message nobody read opens no request, but its words are evidence.
    check(&[person("cobra 150 reais", None)], &charge(15_000), reject, Reason::NoOpenRequest);
}

#[test]
fn what_the_agent_said_is_no_evidence() {
    let transcript = [
        person("cobra aquele valor", Some(surely("ASSIST"))),
        Entry::Agent { text: "São 150 reais para a Ana, certo?".to_owned() },
    ];
    let subject = call("charge", &[("amount_cents", brl(15_000))], Facts::new());
    check(&transcript, &subject, Verdict::Reject, Reason::NoOrigin);
}

#[test]
fn missing_facts_are_asked_for_and_given_ones_count() {
    let asked = [person("boleto de 150 reais para a Ana, vence sexta", Some(surely("CREATE")))];
    check(&asked, &call("create_boleto", &[], Facts::new()), Verdict::Ask, Reason::CannotDecide);
    let subject = call("create_boleto", &[], contact_fact());
    check(&asked, &subject, Verdict::Accept, Reason::ConfirmationRequired);
    let mut other = contact_fact();
    other.get_mut("contact").expect("the fact").params = row(&[("name", Value::text("Bruno"))]);
    // Facts about something else are not these facts.
    check(&asked, &call("create_boleto", &[], other), Verdict::Ask, Reason::CannotDecide);
}

#[test]
fn a_transcript_is_followed_through_answers_and_corrections() {
    let charge = |minor| call("charge", &[("amount_cents", brl(minor))], Facts::new());
    let transcript =
        [person("cobra 150 reais", Some(surely("ASSIST"))), person("na verdade 200 reais", Some(surely("ASSIST")))];
    check(&transcript, &charge(15_000), Verdict::Reject, Reason::ValueWithdrawn);
    check(&transcript, &charge(20_000), Verdict::Accept, Reason::ConfirmationRequired);
    let called_off = [person("boleto de 150 reais", Some(surely("CREATE"))), person("esquece", None)];
    check(&called_off, &call("create_boleto", &[], contact_fact()), Verdict::Reject, Reason::NoOpenRequest);
    let slots = [
        person("quero um boleto", Some(surely("CREATE"))),
        person("Ana", None),
        person("150 reais", None),
        person("sexta", None),
    ];
    let subject = call("create_boleto", &[("amount_cents", brl(15_000))], contact_fact());
    check(&slots, &subject, Verdict::Accept, Reason::ConfirmationRequired);
    check(&slots[..3], &subject, Verdict::Reject, Reason::ArgumentMissing);
}

#[test]
fn a_no_closes_and_a_finished_call_is_not_open() {
    let subject = call("create_boleto", &[], contact_fact());
    let mut transcript = vec![
        person("boleto de 150 reais para a Ana, vence sexta", Some(surely("CREATE"))),
        tool("find_contact", contacts()),
    ];
    check(&transcript, &subject, Verdict::Accept, Reason::ConfirmationRequired);
    transcript.push(person("não", None));
    check(&transcript, &subject, Verdict::Reject, Reason::NoOpenRequest);
    transcript.pop();
    let done = boleto("BOL-1004", "Ana Souza", 15_000, "2026-11-20", "OPEN");
    transcript.extend([
        person("sim", None),
        tool("find_contact", contacts()),
        tool("create_boleto", vec![done.clone()]),
        tool("find_boleto", vec![done]),
    ]);
    check(&transcript, &subject, Verdict::Reject, Reason::NoOpenRequest);
}

#[test]
fn rows_of_the_transcript_are_evidence_for_calls() {
    let rows = vec![
        boleto("BOL-1001", "Ana Souza", 15_000, "2026-11-20", "OPEN"),
        boleto("BOL-1002", "Bruno Lima", 20_000, "2026-11-25", "PAID"),
    ];
    let transcript = [
        person("lista os boletos", Some(surely("LIST"))),
        tool("list_boletos", rows),
        person("segura o primeiro", Some(surely("ASSIST"))),
    ];
    let hold = |id: &str, holder: &str| {
        let arguments = [("boleto_id", Value::text(id)), ("holder", Value::text(holder))];
        call("hold_row", &arguments, Facts::new())
    };
    check(&transcript, &hold("BOL-1001", "Ana Souza"), Verdict::Accept, Reason::Armed);
    check(&transcript, &hold("BOL-1001", "Bruno Lima"), Verdict::Reject, Reason::RowMismatch);
    check(&transcript, &hold("BOL-9999", "Ana Souza"), Verdict::Reject, Reason::NoOrigin);
}

#[test]
fn a_draft_states_only_what_the_transcript_shows() {
    let draft = |text: &str| Subject::Draft { text: text.to_owned() };
    let transcript = [
        person("status do BOL-1001", Some(surely("STATUS"))),
        tool("find_boleto", vec![boleto("BOL-1001", "Ana Souza", 15_000, "2026-11-20", "OPEN")]),
        tool("check_status", vec![boleto("BOL-1001", "Ana Souza", 15_000, "2026-11-20", "OPEN")]),
    ];
    let accept = |text| check(&transcript, &draft(text), Verdict::Accept, Reason::Ok);
    accept("O BOL-1001 é de R$ 150,00 e vence em 20/11/2026.");
    accept("Claro, um momento.");
    let reject = |text, reason| check(&transcript, &draft(text), Verdict::Reject, reason);
    reject("O BOL-1001 é de R$ 151,00.", Reason::Ungrounded);
    reject("O BOL-1002 está em aberto.", Reason::Ungrounded);
    reject("Vence em 21/11/2026.", Reason::Ungrounded);
    reject("Pagamento garantido!", Reason::RuleViolated);
    // A read is no deed.
    reject("Pronto, o boleto foi cancelado.", Reason::Ungrounded);
    // The next message begins a new turn, with evidence of its own.
    let later = [&transcript[..], &[person("obrigada", None)]].concat();
    check(&later, &draft("O valor é R$ 150,00."), Verdict::Reject, Reason::Ungrounded);
}

#[test]
fn a_review_is_pure_and_bounded() {
    let policy: Policy = policy();
    let mut transcript = vec![person("cobra 150 reais", Some(surely("ASSIST")))];
    transcript.extend((0..ENTRIES_MAX).map(|_| Entry::Agent { text: "hm".to_owned() }));
    let subject = call("charge", &[], Facts::new());
    let found = review(&policy, &transcript, &subject);
    assert_eq!(found, review(&policy, &transcript, &subject));
    assert_eq!(found.reason, Reason::NoOpenRequest, "the request has left the window");
    assert_eq!(review(&policy, &transcript[..ENTRIES_MAX], &subject).verdict, Verdict::Accept);
}
