//! The reference pack compiles.

use std::path::Path;

use countersign_pack::{compile, render};

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
