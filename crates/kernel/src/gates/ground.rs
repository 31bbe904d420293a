//! Gate 15, ground: every amount, date, time, id, phone, quantity and claim of action is in this turn's evidence.
//!
//! A template's own wording is the operator's configuration; what was filled in, and everything a model wrote, must be
//! in evidence by meaning, in any format.

use countersign_nlu::{Found, Span, Value, claim, extract};

use crate::decision::{Decision, Gate, Verdict};
use crate::reason::Reason;
use crate::speak::{Author, Speaking, Stop};

/// How deep evidence may be nested: a list of rows in a result is depth three.
const DEPTH_MAX: u8 = 6;

/// Proof that the draft states only what is in evidence. Borrows the walk, so no state can hold it.
#[derive(Debug)]
pub(crate) struct Grounded<'w> {
    pub(crate) walk: &'w Speaking<'w>,
}

pub(crate) fn check<'w>(walk: &'w Speaking<'w>, log: &mut Vec<Decision>) -> Result<Grounded<'w>, Stop> {
    if walk.draft.author == Author::Operator {
        return Ok(Grounded { walk });
    }
    if let Some(unsupported) = unsupported(walk) {
        let words = unsupported.of(&walk.draft.text).to_owned();
        log.push(Decision::new(Gate::Ground, Verdict::Stop, Reason::Ungrounded).detail(words));
        return Err(Stop { reason: Reason::Ungrounded });
    }
    log.push(Decision::new(Gate::Ground, Verdict::Pass, Reason::Grounded));
    Ok(Grounded { walk })
}

/// The first words of the draft that state something without evidence.
fn unsupported(walk: &Speaking<'_>) -> Option<Span> {
    let draft = walk.draft;
    let is_own_wording =
        |span: &Span| draft.author == Author::Template && !draft.filled.iter().any(|filled| filled.overlaps(span));
    let is_filled = |span: &Span| {
        // What a hole wrote came from the scene; the extractor may read a part of it (the digits of an id) differently.
        draft.author == Author::Template
            && draft.filled.iter().any(|filled| filled.start <= span.start && span.end <= filled.end)
    };
    let found = extract(&draft.text, &walk.context());
    let bad = found
        .iter()
        .find(|found| !is_own_wording(&found.span) && !is_filled(&found.span) && !is_in_evidence(walk, found));
    if let Some(found) = bad {
        return Some(found.span);
    }
    if draft.author == Author::Model && !walk.scene.contains_key("result") {
        return claim::actions(&draft.text, walk.language).first().copied();
    }
    None
}

fn is_in_evidence(walk: &Speaking<'_>, found: &Found) -> bool {
    let said = walk.state.evidence.said.iter().take(1).flat_map(|said| &said.found);
    said.map(|said| &said.value).any(|value| *value == found.value)
        || walk.scene.values().any(|value| holds(value, &found.value, DEPTH_MAX))
        || found.value == Value::Date(walk.today)
}

/// True if a value is, or contains, another.
fn holds(value: &Value, wanted: &Value, depth: u8) -> bool {
    if value == wanted {
        return true;
    }
    if depth == 0 {
        return false;
    }
    match value {
        Value::List(values) => values.iter().any(|value| holds(value, wanted, depth - 1)),
        Value::Record(fields) => fields.values().any(|value| holds(value, wanted, depth - 1)),
        Value::Text(text) => wanted.as_text().is_some_and(|wanted| countersign_nlu::id::same(text, wanted)),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Decimal(_)
        | Value::Money(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Instant(_)
        | Value::Duration(_) => false,
    }
}
