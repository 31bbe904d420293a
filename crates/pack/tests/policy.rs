//! What the files come to mean: defaults, indices, hashes, overlays.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong and stops")]

use std::path::Path;

use countersign_kernel::expr::Verdict;
use countersign_kernel::policy::{Body, EffectClass, Ending, Policy, Recovery, SpendScope};
use countersign_kernel::reason::Reason;
use countersign_nlu::{Currency, Language, Money, Value};
use countersign_pack::{Source, compile, render, schema, to_json};

mod support;

fn base() -> Source {
    support::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/base"))
}

fn policy(source: &Source, tenant: Option<&str>) -> Policy {
    let outcome = compile(source, tenant);
    outcome.policy.unwrap_or_else(|| panic!("{}", render(&outcome.diagnostics, source, false)))
}

fn edited(file: &str, find: &str, replace: &str) -> Source {
    let mut source = base();
    let text = source.files.get_mut(file).expect("the file");
    assert!(text.contains(find), "`{find}` is in {file}");
    *text = text.replacen(find, replace, 1);
    source
}

#[test]
fn defaults_are_the_documents_numbers() {
    let policy = policy(&base(), None);
    let (pay, close, bills) = (&policy.tools["pay"], &policy.tools["close"], &policy.tools["bills"]);
    assert_eq!((pay.breaker.failures, close.breaker.failures), (1, 3));
    assert_eq!((pay.recovery, close.recovery, bills.recovery), (Recovery::A, Recovery::C, Recovery::R));
    assert_eq!(bills.effect, EffectClass::Read);
    assert_eq!(pay.sameness, ["amount", "payee"]);
    assert_eq!((pay.repeat_s, close.repeat_s), (600, 0));
    assert_eq!(policy.limits.confirm_s, 300);
    assert_eq!(policy.limits.casual_turns, 1);
    assert_eq!((policy.thresholds.route, policy.thresholds.clarify, policy.thresholds.leave), (700, 500, 850));
    assert!(close.approval.is_none());
}

#[test]
fn money_above_500_is_approved_by_a_person() {
    let check = |source: &Source, minor: i64, expected: Verdict| {
        let policy = policy(source, None);
        let approval = policy.tools["pay"].approval.as_ref().expect("an approval");
        let amount = Value::Money(Money::new(minor, Currency::USD));
        let found = approval.when.test(&std::collections::BTreeMap::from([("amount".to_owned(), amount)]));
        assert_eq!(found, expected, "{minor}");
    };
    check(&base(), 50_000, Verdict::Fails);
    check(&base(), 50_001, Verdict::Holds);
    let lower = edited("tools.yaml", "    recovery: A\n", "    recovery: A\n    approval: {over: \"0.10\"}\n");
    check(&lower, 10, Verdict::Fails);
    check(&lower, 11, Verdict::Holds);
}

#[test]
fn steps_become_indices_and_end_is_a_step() {
    let policy = policy(&base(), None);
    let pay = &policy.journeys["pay"];
    let names: Vec<&str> = pay.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["details", "do", "step_3", "which", "unknown", "repeated", "end"]);
    assert_eq!(pay.steps.iter().map(|step| step.next).collect::<Vec<_>>(), [1, 2, 6, 1, 0, 6, 6]);
    let Body::Call { on, .. } = &pay.steps[1].body else { panic!("a call") };
    assert_eq!(on[&Ending::Refused(Reason::AmbiguousMatch)], 3);
    assert_eq!(on[&Ending::Refused(Reason::NotFound)], 4);
    assert!(!on.contains_key(&Ending::Done));
    assert_eq!(pay.slots, ["payee", "amount"]);
    assert_eq!(pay.steps[4].forget, ["payee"]);
    let Body::Branch { cases, otherwise } = &policy.journeys["bills"].steps[1].body else { panic!("a branch") };
    assert_eq!((cases[0].1, *otherwise), (2, 3));
    assert_eq!(policy.journeys["bills"].steps[3].next, 4);
    assert!(matches!(policy.journeys["bills"].steps[4].body, Body::End));
    assert_eq!(policy.intents["PAY"], "pay");
}

#[test]
fn a_fact_exists_when_it_has_a_row() {
    let policy = policy(&base(), None);
    let exists = &policy.tools["close"].preconditions[0];
    assert_eq!(exists.reason, Reason::NotFound);
    let row = Value::Record([("status".to_owned(), Value::text("OPEN"))].into());
    let with = std::collections::BTreeMap::from([("bill".to_owned(), row)]);
    assert_eq!(exists.check.test(&with), Verdict::Holds);
    assert_eq!(exists.check.test(&std::collections::BTreeMap::new()), Verdict::Fails);
}

#[test]
fn a_tenant_turns_its_knobs_and_no_others() {
    let source = base();
    let (plain, north) = (policy(&source, None), policy(&source, Some("north")));
    assert_eq!((north.thresholds.route, north.thresholds.clarify), (800, 500));
    assert_eq!((north.limits.per_minute, north.limits.confirm_s, north.limits.casual_turns), (5, 300, 4));
    let sentence = |policy: &Policy| policy.message(Language::En, "opted_in").map(|text| text.source().to_owned());
    assert_eq!(sentence(&north).as_deref(), Some("Welcome back to the north."));
    assert_eq!(sentence(&plain).as_deref(), Some("Welcome back."));
    assert_eq!(north.slots["amount"].rules[0].reason, Reason::ValueOutOfRange);
    let spend: Vec<(SpendScope, i64)> =
        north.tools["pay"].spend.iter().map(|limit| (limit.scope, limit.max.minor)).collect();
    assert_eq!(spend, [(SpendScope::Customer, 10_000), (SpendScope::Tenant, 500_000)]);
    let off = &north.tools["close"].preconditions[0];
    assert_eq!(off.reason, Reason::ToolNotAllowedHere);
    assert_eq!(off.check.test(&std::collections::BTreeMap::new()), Verdict::Fails);
    assert_eq!(plain.tools["close"].preconditions.len() + 1, north.tools["close"].preconditions.len());
    assert_ne!(plain.hash, north.hash);
    assert_ne!(plain.tools["close"].hash, north.tools["close"].hash);
}

#[test]
fn a_tools_hash_names_what_it_does_and_asks() {
    let before = policy(&base(), None);
    let check = |file: &str, find: &str, replace: &str, is_same: bool| {
        let after = policy(&edited(file, find, replace), None);
        assert_eq!(before.tools["pay"].hash == after.tools["pay"].hash, is_same, "{find} -> {replace}");
        assert_eq!(before.tools["bills"].hash, after.tools["bills"].hash, "{find} -> {replace}");
        assert_ne!(before.hash, after.hash, "{find} -> {replace}");
    };
    check("tools.yaml", "    effect: money\n", "    effect: money   # careful\n", true);
    check("tools.yaml", "    recovery: A\n", "    recovery: C\n", false);
    check("tools.yaml", "'PAID'", "'SENT'", false);
    check("tools.yaml", "resembles(name, :name)", "resembles(name, :name) order by name", false);
    check("messages/en.yaml", "Pay {amount} to", "Shall I pay {amount} to", false);
    check("messages/en.yaml", "\"Paid {amount}", "\"I paid {amount}", true);
    assert_eq!(before.hash, policy(&base(), None).hash);
    assert_eq!(before.tools["pay"].hash.len(), 64);
}

#[test]
fn diagnostics_are_the_same_every_time_and_come_in_order() {
    let source = edited("tools.yaml", "serves: [PAY]", "serves: [PAAY, CLSE]\n    nonsense: 1");
    let (one, two) = (compile(&source, None).diagnostics, compile(&source, None).diagnostics);
    assert_eq!(one, two);
    let places: Vec<(String, u32)> = one.iter().map(|d| (d.file.clone(), d.line)).collect();
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(places, sorted);
    assert_eq!(one.len(), 3);
    let json = to_json(&one);
    assert_eq!(json[0]["code"], "pack/unknown_intent");
    assert_eq!(json[0]["severity"], "error");
    assert_eq!(json[0]["line"], 18);
    assert_eq!(json[0]["help"], "did you mean `PAY`?");
}

#[test]
fn the_schema_has_one_definition_per_kind_of_file() {
    let schema = schema();
    let files = schema["properties"].as_object().expect("files");
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "intents.yaml",
        "journeys.yaml",
        "messages/<lang>.yaml",
        "pack.yaml",
        "rules.yaml",
        "tenants/<id>.yaml",
        "tools.yaml",
    ];
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let tool = &schema["$defs"]["Tool"];
    assert_eq!(tool["additionalProperties"], false);
    assert!(tool["properties"]["confirm"].is_object());
    assert!(tool["required"].as_array().expect("required").iter().any(|key| key == "effect"));
}
