//! `check`, `test`, `schema` and the help texts.

use serde_json::Value as Json;

use crate::support::{iris, iris_copy, run};

#[test]
fn the_reference_pack_has_no_mistakes() {
    let ran = run(&["check", &iris()], b"").ends(0);
    assert!(ran.out.starts_with("ok: "), "{}", ran.out);
    assert_eq!(run(&["check", &iris(), "--json"], b"").ends(0).out, "[]\n");
}

#[test]
fn every_mistake_is_shown_with_its_place() {
    let pack = iris_copy();
    let change = |file: &str, from: &str, to: &str| {
        let path = pack.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no `{from}`");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    let folder = pack.path().to_str().unwrap();
    change("journeys.yaml", "call: check_status", "call: chek_status");
    change("specs/01-input.md", "\n> ", "\n? ");
    let ran = run(&["check", folder], b"").ends(1);
    assert!(ran.out.contains("--> journeys.yaml:") && ran.out.contains("did you mean `check_status`?"), "{}", ran.out);
    assert!(ran.out.contains("--> specs/01-input.md:") && ran.out.contains("spec/line"), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "no colours without a terminal");
    let found: Json = serde_json::from_str(&run(&["check", folder, "--json"], b"").ends(1).out).unwrap();
    let found = found.as_array().unwrap();
    assert!(found.iter().all(|one| one["severity"] == "error" && one["line"].as_u64() > Some(0)), "{found:?}");
    let talked = run(&["chat", folder], b"oi\n").ends(2);
    assert!(talked.err.contains("mend them first") && talked.err.contains("journeys.yaml"), "{}", talked.err);
    assert!(talked.out.is_empty());
}

#[test]
fn a_statement_that_does_not_fit_the_tables_is_found() {
    let pack = iris_copy();
    let schema = pack.path().join("data/schema.sql");
    let text = std::fs::read_to_string(&schema).unwrap();
    std::fs::write(&schema, text.replace("line text not null", "digits text not null")).unwrap();
    let ran = run(&["check", pack.path().to_str().unwrap()], b"").ends(1);
    assert!(ran.out.contains("connect/sql") && ran.out.contains("--> tools.yaml:"), "{}", ran.out);
    assert!(ran.out.contains("no such column") || ran.out.contains("no column named"), "{}", ran.out);
}

#[test]
fn a_tenant_that_does_not_exist_is_told() {
    let ran = run(&["check", &iris(), "--tenant", "nobody"], b"").ends(1);
    assert!(ran.out.contains("there is no tenant `nobody`"), "{}", ran.out);
    let pack = iris_copy();
    let folder = pack.path().to_str().unwrap();
    std::fs::create_dir_all(pack.path().join("tenants")).unwrap();
    std::fs::write(pack.path().join("tenants/acme.yaml"), "tools_off: [send_message]\n").unwrap();
    let ran = run(&["chat", folder, "--tenant", "acmee"], b"").ends(2);
    assert!(ran.err.contains("the pack has no tenant `acmee`; did you mean `acme`?"), "{}", ran.err);
    let ran = run(&["chat", folder, "--tenant", "somebody"], b"").ends(0);
    assert!(ran.err.contains("the pack has no overlay for `somebody`"), "{}", ran.err);
    let say = "avisa a Carla dizendo que o boleto foi emitido\n".as_bytes();
    let sends = |words: &[&str]| run(&[&["chat", folder, "--json"], words].concat(), say).ends(0).objects()[0].clone();
    assert_eq!(sends(&[])["messages"].as_array().unwrap().len(), 1);
    assert_eq!(sends(&["--tenant", "acme"])["messages"].as_array().unwrap().len(), 0);
}

#[test]
fn specs_pass_and_are_reported() {
    let report = iris_copy();
    let file = report.path().join("junit.xml");
    let ran = run(&["test", &iris(), "--filter", "04-confirmation", "--junit", file.to_str().unwrap()], b"").ends(0);
    let summary = ran.out.lines().last().unwrap();
    assert!(summary.ends_with(" passed, 0 failed") && !summary.starts_with('0'), "{}", ran.out);
    let junit = std::fs::read_to_string(file).unwrap();
    assert!(junit.contains("failures=\"0\"") && junit.contains("classname=\"specs/04-confirmation.md\""), "{junit}");
    let ran = run(&["test", &iris(), "--filter", "no such spec"], b"").ends(2);
    assert!(ran.err.contains("no spec's title or file contains `no such spec`"), "{}", ran.err);
}

#[test]
fn a_spec_that_does_not_hold_says_what_was_expected_and_what_happened() {
    let pack = iris_copy();
    let spec = "## A lie\nIt does not hold.\n```chat\n> boleto de 10 reais para a Ana, vence sexta\n! effect create_boleto \
                amount_cents=1000\n< Pronto.\n```\n## The truth\nIt holds.\n```chat\n>\n! ask empty_message\n```\n";
    let spec = spec.replace("! ask empty_message", "< Não entendi. Pode repetir?");
    std::fs::write(pack.path().join("specs/99-mine.md"), spec).unwrap();
    let junit = pack.path().join("junit.xml");
    let words = ["test", pack.path().to_str().unwrap(), "--filter", "99-mine", "--junit", junit.to_str().unwrap()];
    let ran = run(&words, b"").ends(1);
    assert_eq!(ran.out.lines().last().unwrap(), "1 passed, 1 failed");
    for part in [
        "FAILED A lie (specs/99-mine.md:1",
        "specs/99-mine.md:5",
        "expected  effect create_boleto amount_cents=1000",
        "got       no call",
        "expected  < Pronto.",
        "confirmation_required",
        "> boleto de 10 reais",
    ] {
        assert!(ran.out.contains(part), "no `{part}` in {}", ran.out);
    }
    assert!(std::fs::read_to_string(junit).unwrap().contains("failures=\"1\""));
}

#[test]
fn the_schema_names_every_file() {
    let schema: Json = serde_json::from_str(&run(&["schema"], b"").ends(0).out).unwrap();
    assert!(schema.to_string().contains("tools.yaml"));
    let folder = iris_copy();
    let file = folder.path().join("schema.json");
    assert!(run(&["schema", "--out", file.to_str().unwrap()], b"").ends(0).out.is_empty());
    let written: Json = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(written, schema);
}

#[test]
fn every_command_explains_itself() {
    let commands: &[&[&str]] = &[
        &[],
        &["demo"],
        &["chat"],
        &["check"],
        &["test"],
        &["schema"],
        &["replay"],
        &["audit"],
        &["audit", "verify"],
        &["audit", "show"],
        &["audit", "export"],
        &["audit", "erase"],
    ];
    for words in commands {
        let words: Vec<&str> = words.iter().copied().chain(["--help"]).collect();
        let ran = run(&words, b"").ends(0);
        assert!(ran.out.contains("Usage: countersign"), "{words:?}: {}", ran.out);
        assert!(!ran.out.contains("crash"), "{words:?} shows what is for tests only");
    }
    assert!(run(&["--help"], b"").ends(0).out.contains("Exit codes"));
    assert!(run::<&str>(&[], b"").ends(2).err.contains("Usage"));
    assert!(run(&["chat"], b"").ends(2).err.contains("PACK"));
    assert!(run(&["chat", "x", "--now", "tomorrow"], b"").ends(2).err.contains("such as 2026-11-16T12:00:00-03:00"));
    assert!(run(&["--version"], b"").ends(0).out.starts_with("countersign "));
}
