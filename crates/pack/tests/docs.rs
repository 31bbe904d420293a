//! The reference pages and the code agree.

use std::collections::BTreeSet;

use countersign_pack::{codes, schema};
use serde_json::Value;

mod support;

#[test]
fn every_code_has_a_row() {
    let page = |name: &str| support::text(&format!("../../docs/reference/{name}.md"));
    let (checks, specs, expressions) = (page("checks"), page("specs"), page("expressions"));
    let known: BTreeSet<&str> = codes().collect();
    for code in &known {
        let page = match code.split_once('/') {
            Some(("spec", _)) => &specs,
            Some(("expr", _)) => &expressions,
            _ => &checks,
        };
        assert!(page.contains(&format!("| `{code}` |")), "`{code}` has no row");
    }
    for line in checks.lines().filter(|line| line.starts_with("| `")) {
        let code = line.split('`').nth(1).unwrap_or_default();
        assert!(known.contains(code), "the row `{code}` is about no code");
        assert_eq!(line.matches(" | ").count(), 3, "`{code}`: what, why, how");
    }
}

/// Every key of the format, from the schema that is derived from the structs themselves.
fn keys(schema: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for definition in schema["$defs"].as_object().into_iter().flat_map(|all| all.values()) {
        keys.extend(definition["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()));
    }
    keys
}

#[test]
fn every_key_is_described() {
    let page = support::text("../../docs/reference/packs.md");
    let keys = keys(&schema());
    assert!(keys.len() > 90, "only {} keys were found", keys.len());
    for key in keys {
        assert!(page.contains(&format!("`{key}`")), "the key `{key}` is not described");
    }
}

#[test]
fn one_sentence_per_line() {
    for name in ["packs", "checks", "specs"] {
        for line in support::text(&format!("../../docs/reference/{name}.md")).lines() {
            let is_table = line.starts_with('|') || line.trim_start().starts_with('-');
            assert!(is_table || !line.contains(". "), "{name}: two sentences in `{line}`");
        }
    }
}
