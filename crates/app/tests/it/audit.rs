//! The log: verified, shown, exported, decided again, and a person forgotten.

use crate::support::{Data, REQUEST, iris_copy, run};

fn spoken() -> Data {
    let data = Data::new();
    data.chat(&[], &["bom dia", REQUEST, "sim", "qual o status do boleto BOL-1001?"]).ends(0);
    data
}

#[test]
fn the_log_verifies_in_place_and_exported() {
    let data = spoken();
    let ran = data.run(&["audit", "verify"], "").ends(0);
    assert!(ran.out.starts_with("whole: ") && ran.out.contains("1 good signature"), "{}", ran.out);
    let file = data.path().join("export.jsonl");
    let file = file.to_str().unwrap();
    let ran = data.run(&["audit", "export", "--out", file], "").ends(0);
    let key = ran.out.split_whitespace().last().unwrap().to_owned();
    run(&["audit", "verify", "--file", file, "--key", &key], b"").ends(0);
    let text = std::fs::read_to_string(file).unwrap();
    assert!(!text.contains("150 reais") && !text.contains("Ana"), "nothing personal leaves with the log");
    std::fs::write(file, text.replacen("confirmation_confirmed", "confirmation_rejected", 1)).unwrap();
    let ran = run(&["audit", "verify", "--file", file, "--key", &key], b"").ends(1);
    assert!(ran.out.contains("broken: "), "{}", ran.out);
    std::fs::write(file, text).unwrap();
    let other = "0".repeat(64);
    run(&["audit", "verify", "--file", file, "--key", &other], b"").ends(1);
    let ran = run(&["audit", "verify", "--file", file, "--key", "nonsense"], b"").ends(2);
    assert!(ran.err.contains("neither 64 hex digits nor a file"), "{}", ran.err);
    let key_file = data.path().join("key");
    std::fs::write(&key_file, format!("{key}\n")).unwrap();
    run(&["audit", "verify", "--file", file, "--key", key_file.to_str().unwrap()], b"").ends(0);
}

#[test]
fn a_conversation_is_shown_with_its_words_and_decisions() {
    let data = spoken();
    let ran = data.run(&["audit", "show", "terminal"], "").ends(0);
    for part in
        ["message 2: \"quero um boleto", "confirmation_confirmed", "intent create_boleto", "outcome create_boleto done"]
    {
        assert!(ran.out.contains(part), "no `{part}` in {}", ran.out);
    }
    let records = data.run(&["audit", "show", "terminal", "--json"], "").ends(0).objects();
    assert!(records.iter().all(|record| record["record"].is_u64() && record["personal"].is_object()));
}

#[test]
fn the_conversation_is_decided_again_with_the_same_result() {
    let data = spoken();
    let ran = data.run(&["replay", "terminal"], "").ends(0);
    assert!(ran.out.starts_with("identical: "), "{}", ran.out);
    let object = &data.run(&["replay", "terminal", "--json"], "").ends(0).objects()[0];
    assert_eq!(object["differences"].as_array().unwrap().len(), 0);
    assert!(object["events"].as_u64() > Some(8), "{object}");
}

#[test]
fn another_pack_says_what_it_would_have_decided() {
    let data = spoken();
    let pack = iris_copy();
    let folder = pack.path().to_str().unwrap().to_owned();
    data.run(&["replay", "terminal", "--pack", &folder], "").ends(0);
    let intents = pack.path().join("intents.yaml");
    let text = std::fs::read_to_string(&intents).unwrap();
    assert!(text.contains("10000000"), "the highest amount in centavos");
    std::fs::write(&intents, text.replace("10000000", "10000")).unwrap();
    let ran = data.run(&["replay", "terminal", "--pack", &folder], "").ends(1);
    assert!(ran.out.contains("amount_over_limit") && ran.out.contains("would change"), "{}", ran.out);
}

#[test]
fn a_person_is_forgotten_and_the_log_stays_whole() {
    let data = spoken();
    let ran = data.run(&["audit", "erase", "nobody"], "").ends(2);
    assert!(ran.err.contains("nobody known as `nobody`"), "{}", ran.err);
    data.run(&["audit", "erase", "terminal"], "").ends(0);
    data.run(&["audit", "verify"], "").ends(0);
    let ran = data.run(&["audit", "show", "terminal"], "").ends(0);
    assert!(ran.out.contains("erased") && !ran.out.contains("150 reais"), "{}", ran.out);
    assert!(ran.out.contains("confirmation_confirmed"), "what was decided stays");
    let ran = data.run(&["replay", "terminal"], "").ends(0);
    assert!(ran.out.contains("of an erased person"), "{}", ran.out);
}
