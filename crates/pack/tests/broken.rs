//! Broken packs: each mistake is found, named, placed, and nothing else is said.
//!
//! A case is one file in `tests/broken/`: edits of the small base pack in `tests/base/` and every diagnostic that
//! must come out, with file, line and part of its message.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong and stops")]

use std::collections::BTreeSet;
use std::path::Path;

use countersign_kernel::policy::ENGINE_MESSAGES;
use countersign_pack::{Severity, Source, codes, compile, render, tenants};

mod support;
use support::case::Case;

/// The base pack; sentences the engine has come to need since are added at the end, where they move no line.
fn base() -> Source {
    let mut source = support::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/base"));
    for (_, text) in source.files.iter_mut().filter(|(path, _)| path.starts_with("messages/")) {
        for name in ENGINE_MESSAGES.iter() {
            if !format!("\n{text}").contains(&format!("\n{name}:")) {
                text.push_str(&format!("{name}: \"One moment.\"\n"));
            }
        }
    }
    source
}

fn cases() -> Vec<(String, Case)> {
    let folder = support::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken"));
    let read = |(name, text): (String, String)| {
        let case = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name.trim_end_matches(".yaml").to_owned(), case)
    };
    folder.files.into_iter().filter(|(name, _)| name.ends_with(".yaml")).map(read).collect()
}

fn broken(name: &str, case: &Case) -> Source {
    let mut source = base();
    for edit in &case.edits {
        let text = source.files.entry(edit.file.clone()).or_default();
        match (&edit.find, &edit.replace) {
            (Some(find), replace) => {
                assert!(text.contains(find.as_str()), "{name}: `{find}` is not in {}", edit.file);
                *text = text.replacen(find.as_str(), replace.as_deref().unwrap_or_default(), 1);
            }
            (None, Some(replace)) => *text = replace.clone(),
            (None, None) => {
                source.files.remove(&edit.file);
            }
        }
    }
    source
}

#[test]
fn the_base_pack_is_whole() {
    let source = base();
    let outcome = compile(&source, None);
    assert!(outcome.diagnostics.is_empty(), "{}", render(&outcome.diagnostics, &source, false));
    assert!(outcome.policy.is_some());
    for tenant in tenants(&source) {
        let outcome = compile(&source, Some(&tenant));
        assert!(outcome.diagnostics.is_empty(), "{}", render(&outcome.diagnostics, &source, false));
        assert!(outcome.policy.is_some());
    }
}

#[test]
fn every_broken_pack_is_named_and_placed() {
    let known: Vec<&str> = codes().collect();
    let cases = cases();
    assert!(cases.len() >= 35, "only {} cases", cases.len());
    let mut failures = Vec::new();
    for (name, case) in &cases {
        assert!(!case.mistake.is_empty(), "{name} does not say what the mistake is");
        let source = broken(name, case);
        let outcome = compile(&source, case.tenant.as_deref());
        for diagnostic in &outcome.diagnostics {
            assert!(known.contains(&diagnostic.code), "{name}: {} is not in the list of codes", diagnostic.code);
            assert!(
                diagnostic.help.is_some() || diagnostic.code.starts_with("expr/"),
                "{name}: no help: {diagnostic:?}"
            );
        }
        let has_error = outcome.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        assert_eq!(outcome.policy.is_none(), has_error, "{name}: a policy exactly when there is no error");
        let found: Vec<(String, String, String)> = outcome
            .diagnostics
            .iter()
            .map(|d| (d.code.to_owned(), format!("{}:{}", d.file, d.line), d.message.clone()))
            .collect();
        let is_expected = found.len() == case.expect.len()
            && found.iter().zip(&case.expect).all(|(found, wanted)| {
                found.0 == wanted.code && found.1 == wanted.at && found.2.contains(&wanted.says)
            });
        if !is_expected {
            failures.push(format!("== {name}\nfound {found:#?}\nwanted {:#?}", case.expect));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every code has a case that brings it about; `pack/policy` says that a check is missing, so nothing may.
#[test]
fn every_code_has_a_case() {
    let cases = cases();
    let shown: BTreeSet<&str> =
        cases.iter().flat_map(|(_, case)| &case.expect).map(|expected| expected.code.as_str()).collect();
    let of_packs = codes().filter(|code| code.starts_with("pack/") && *code != "pack/policy");
    let missing: Vec<&str> = of_packs.filter(|code| !shown.contains(code)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn diagnostics_are_drawn_for_people() {
    for (name, case) in cases() {
        let drawn = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/drawn/{name}.txt"));
        if drawn.exists() {
            let source = broken(&name, &case);
            let outcome = compile(&source, case.tenant.as_deref());
            let text = render(&outcome.diagnostics, &source, false);
            let expected = support::text(&format!("tests/drawn/{name}.txt"));
            assert_eq!(text.trim_end(), expected.trim_end(), "{name}\n{text}");
        }
    }
}

#[test]
fn color_changes_nothing_but_color() {
    let (name, case) = cases().into_iter().next().expect("a case");
    let source = broken(&name, &case);
    let outcome = compile(&source, None);
    let plain = render(&outcome.diagnostics, &source, false);
    let colored = render(&outcome.diagnostics, &source, true);
    assert_ne!(plain, colored);
    let mut bare = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    bare.push_str(rest);
    assert_eq!(plain, bare);
}
