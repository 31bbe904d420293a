//! Damaged packs: whatever a slip of the hand does to a file, `compile` answers, and never with a wrong policy.

use std::path::Path;

use countersign_pack::{Severity, Source, codes, compile, render};

mod support;

fn base() -> Source {
    support::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/base"))
}

/// A policy comes out exactly when there is no error, everything can be drawn, and the kernel finds nothing that
/// the checks have missed.
fn check(source: &Source, what: &str) {
    let known: Vec<&str> = codes().collect();
    let tenant = source.files.contains_key("tenants/north.yaml").then_some("north");
    let outcome = compile(source, tenant);
    let has_error = outcome.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(outcome.policy.is_none(), has_error, "{what}");
    for diagnostic in &outcome.diagnostics {
        assert!(known.contains(&diagnostic.code), "{what}: {}", diagnostic.code);
        assert_ne!(diagnostic.code, "pack/policy", "{what}: {}", diagnostic.message);
    }
    let first = outcome.diagnostics.get(..1).unwrap_or_default();
    assert_eq!(render(first, source, false).is_empty(), first.is_empty(), "{what}");
}

fn damage(change: fn(&[&str], usize) -> Vec<String>) {
    let whole = base();
    // The two languages have the same lines; one stands for both.
    for (path, text) in whole.files.iter().filter(|(path, _)| *path != "messages/pt.yaml") {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let mut source = whole.clone();
            source.files.insert(path.clone(), change(&lines, at).join("\n"));
            check(&source, &format!("{path}:{}", at + 1));
        }
    }
}

#[test]
fn any_line_may_be_lost() {
    damage(|lines, at| {
        lines.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, line)| (*line).to_owned()).collect()
    });
}

#[test]
fn any_file_may_end_early() {
    damage(|lines, at| lines.iter().take(at).map(|line| (*line).to_owned()).collect());
}

#[test]
fn any_value_may_be_lost() {
    damage(|lines, at| {
        let cut = |line: &str| line.split_once(": ").map_or(line.to_owned(), |(key, _)| format!("{key}:"));
        lines.iter().enumerate().map(|(n, line)| if n == at { cut(line) } else { (*line).to_owned() }).collect()
    });
}

#[test]
fn any_file_may_be_missing() {
    let whole = base();
    for path in whole.files.keys() {
        let mut source = whole.clone();
        source.files.remove(path);
        check(&source, path);
    }
}

#[test]
fn windows_line_ends_change_no_line_number() {
    let mut source = base();
    for text in source.files.values_mut() {
        *text = text.replace('\n', "\r\n");
    }
    let outcome = compile(&source, Some("north"));
    assert!(outcome.policy.is_some(), "{}", render(&outcome.diagnostics, &source, false));
    let text = source.files.get("pack.yaml").cloned().unwrap_or_default();
    source.files.insert("pack.yaml".to_owned(), text.replace("region: US", "region: USA"));
    let lines: Vec<u32> = compile(&source, None).diagnostics.iter().map(|d| d.line).collect();
    assert_eq!(lines, [6]);
}
