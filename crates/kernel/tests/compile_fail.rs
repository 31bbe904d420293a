//! What must not compile: making, copying or storing a proof.
//!
//! Each case is a program somebody might write to go around the gates; the `.stderr` beside it is the compiler's no.

#[test]
fn proofs_cannot_be_forged_copied_or_stored() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/ok_take_from_effect.rs");
    cases.compile_fail("tests/compile_fail/armed_*.rs");
    cases.compile_fail("tests/compile_fail/speakable_*.rs");
    cases.compile_fail("tests/compile_fail/ticket_*.rs");
    cases.compile_fail("tests/compile_fail/effect_*.rs");
    cases.compile_fail("tests/compile_fail/review_*.rs");
}
