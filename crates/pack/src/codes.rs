//! Every code a diagnostic can carry.
//!
//! Invariant: the reference page has a row for each (held by a test), so a code in a terminal can always be looked up.

use countersign_kernel::expr;

use crate::check::{CHECKS, Code};

macro_rules! codes {
    ($($code:literal : $help:literal,)+) => {
        /// Codes of reading and lowering; those of the static checks stand beside the checks.
        const READING: &[Code] = &[$(Code { code: $code, help: $help },)+];
    };
}

codes! {
    // Reading
    "pack/syntax": "mend the YAML",
    "pack/too_large": "split the agent in two",
    "pack/duplicate_key": "keep one of the two",
    "pack/unknown_key": "mend the key's name or remove it",
    "pack/shape": "write what the key expects",
    "pack/missing_file": "add the file",
    "pack/unknown_file": "mend the file's name or remove it",
    // pack.yaml
    "pack/bad_name": "use a-z, 0-9, `_`, `-`",
    "pack/format_version": "write `format: 1`",
    "pack/no_language": "write `languages: [en]`",
    "pack/unknown_language": "use a language of the pack",
    "pack/unknown_currency": "use an ISO 4217 code",
    "pack/unknown_region": "use an ISO 3166 code",
    "pack/unknown_time_zone": "use an IANA name",
    "pack/thresholds_order": "`clarify` must be at most `route`",
    "pack/bad_value": "write a value in range",
    "pack/missing_translation": "add the language",
    "pack/unknown_gate": "use a gate's name",
    // Names
    "pack/unknown_reason": "use a reason code",
    "pack/unknown_type": "use a type",
    "pack/unknown_slot": "declare the slot in intents.yaml or mend the name",
    "pack/unknown_intent": "declare the intent in intents.yaml or mend the name",
    "pack/unknown_journey": "declare the journey or mend the name",
    "pack/unknown_step": "name a step of this journey, or `end`",
    "pack/unknown_ending": "use done, rejected, failed, unknown, expired or a reason code",
    "pack/unknown_tool": "declare the tool in tools.yaml or mend the name",
    "pack/unknown_read": "declare the read in tools.yaml or mend the name",
    "pack/unknown_fact": "declare the fact in the tool or mend the name",
    "pack/unknown_field": "use a field of the read",
    "pack/unknown_argument": "declare the argument or mend the name",
    "pack/unknown_param": "use a parameter that is declared",
    "pack/missing_param": "bind every parameter",
    "pack/unknown_result": "use a field of a tool's result or of a read",
    "pack/unknown_port": "use a native port",
    "pack/unknown_message": "a tenant rewords sentences the pack has",
    "pack/duplicate_name": "give each its own name",
    "pack/type_mismatch": "bind a value of the parameter's type",
    // Shapes with a meaning
    "pack/condition": "write one of `exists`, `check`",
    "pack/confirm": "write one of `message`, `never`",
    "pack/approval": "write one of `over`, `when`, `never`",
    "pack/connector": "write one of `sql`, `outbox`; in a statement one of `run`, `native`",
    "pack/missing_recovery": "write `recovery: A`, `B`, `C` or `D`",
    "pack/step": "a step does exactly one thing",
    "pack/intent_twice": "an intent enters exactly one journey",
    "pack/bad_scope": "write `global`, `journey:<name>` or `step:<journey>/<step>`",
    "pack/rule_enforcement": "write one of `forbid`, `require`, `judge`",
    "pack/pattern": "write a pattern that needs at least one character",
    "pack/template": "close every hole",
    "pack/tenant_loosens": "a tenant may only lower a ceiling",
    "pack/policy": "a reference leads nowhere",
    // Specs
    "spec/shape": "write `## title`, a sentence of why, then one `chat` block",
    "spec/no_why": "write a sentence between the heading and the block",
    "spec/line": "begin a line with `>`, `<`, `<~`, `!` or `@`",
    "spec/expectation": "write `! <verdict> <reason>`, `! effect <tool> ..`, `! no effect` or `! refused <tool>`",
    "spec/unknown_reason": "use a reason code",
    "spec/command": "write `@ wait 6m`, `@ now <time>`, `@ voice`, `@ restart` or `@ tenant <id>`",
}

/// Every code a diagnostic of this crate can carry, the expression language's included, in the order of the page.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let checks = CHECKS.iter().flat_map(|check| check.codes);
    READING.iter().chain(checks).map(|code| code.code).chain(expr::CODES.iter().copied())
}

/// The general advice for a code of this crate.
#[must_use]
pub fn help(code: &str) -> Option<&'static str> {
    let checks = CHECKS.iter().flat_map(|check| check.codes);
    READING.iter().chain(checks).find(|known| known.code == code).map(|known| known.help)
}
