//! The reference pack compiles.

use std::path::Path;

use countersign_pack::{Diagnostic, Severity, compile, render, spec};

mod support;

#[test]
fn iris_compiles_without_errors() {
    let source = support::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/iris"));
    let outcome = compile(&source, None);
    assert!(outcome.diagnostics.is_empty(), "{}", render(&outcome.diagnostics, &source, false));
    let policy = outcome.policy.expect("a policy");
    assert_eq!(policy.name, "iris");
    assert_eq!(policy.thresholds.route, 700);
    assert_eq!(policy.tools.len(), 5);
    assert!(policy.tools["create_boleto"].approval.is_none());
    assert!(policy.tools["send_message"].confirm.is_none());
}

#[test]
fn the_specs_of_iris_are_understood() {
    let source = support::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/iris"));
    let mut count = 0;
    for (path, text) in source.files.iter().filter(|(path, _)| path.starts_with("specs/") && path.ends_with(".md")) {
        let (specs, diagnostics) = spec::parse(path, text);
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        assert!(!diagnostics.iter().any(is_error), "{}", render(&diagnostics, &source, false));
        count += specs.len();
    }
    assert!(count > 10, "only {count} specs");
}
