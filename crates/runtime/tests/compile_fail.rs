//! What must not compile: making or copying permission to call, outside the journal.

#[test]
fn permits_cannot_be_forged_copied_or_stored() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/permit_*.rs");
    cases.compile_fail("tests/compile_fail/resend_*.rs");
}
