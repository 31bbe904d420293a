//! Keeps a conversation's memory under its limit: what is least needed is forgotten first.
//!
//! Invariant: after every step the encoded state is at most [`STATE_MAX`] bytes (held by `tests/it/totality.rs`).
//! [`weigh`] is an upper bound that costs no encoding, because it is asked after every step.
//! Deliberately absent: shortening values. A value is remembered whole or not at all.

use std::collections::BTreeMap;

use countersign_nlu::Value;

use crate::decision::{Gate, Verdict};
use crate::effect::Effect;
use crate::escalate::TicketKind;
use crate::event::{Content, ToolOutcome};
use crate::evidence::Evidence;
use crate::origin::Witness;
use crate::reason::Reason;
use crate::snapshot::{self, STATE_MAX};
use crate::state::{Asked, Call, Frame, Occasion, Pending, Phase, Running, State, Unresolved};
use crate::turn::Turn;

/// Longest message in encoded bytes: two for each of 4,096 characters, and room for the rest of the state.
pub(crate) const MESSAGE_MAX: usize = STATE_MAX / 2 + 8;
/// Most that one read or one tool may bring, in encoded bytes: it is held up to three times while it is checked.
pub(crate) const ROWS_MAX: usize = STATE_MAX / 4;

impl Turn<'_> {
    /// Forgets until the state fits; what cannot be made to fit goes to a person, and nothing is done.
    pub(crate) fn hold(&mut self) {
        let state = &mut self.state;
        debug_assert!(weigh(state) >= snapshot::encode_state(state).len(), "the bound is not one");
        while weigh(state) > STATE_MAX {
            if !forget(state) {
                return self.give_up();
            }
        }
    }

    fn give_up(&mut self) {
        let is_new = |effect: &Effect| matches!(effect, Effect::CallTool(_));
        let was_started = !self.effects.iter().any(is_new);
        self.effects.clear();
        self.decide(Gate::Turn, Verdict::Stop, Reason::TurnFailed);
        if let Phase::Calling(running) | Phase::Verifying { running, .. } = std::mem::take(&mut self.state.phase)
            && was_started
        {
            let Running { key, sameness, call, .. } = running;
            self.ticket(TicketKind::Unknown, Reason::OutcomeUnknown, Some(key.clone()));
            self.state.unresolved.push(Unresolved { key, tool: call.tool, sameness });
        }
        self.state.evidence = Evidence::default();
        self.hand_over(Reason::TurnFailed, "handover");
        self.state.answer_after = None;
    }
}

/// Forgets the least needed thing; false if nothing is left to forget.
fn forget(state: &mut State) -> bool {
    let evidence = &mut state.evidence;
    if evidence.said.len() > 1 {
        return evidence.said.pop_back().is_some();
    }
    if evidence.returned.len() > 1 {
        return evidence.returned.pop_back().is_some();
    }
    if evidence.shown.len() > 1 {
        return evidence.shown.pop_back().is_some();
    }
    if !state.paused.is_empty() {
        state.paused.remove(0);
        return true;
    }
    if evidence.returned.pop_back().is_some() {
        return true;
    }
    // Between turns, sentences about the last call are all said; a question that waits is repeated from its scene.
    let is_between = state.phase == Phase::Idle || matches!(state.phase, Phase::Sensing(_));
    match &mut state.frame {
        Some(frame) if is_between && frame.pending.is_none() && !frame.scene.is_empty() => {
            frame.scene.clear();
            true
        }
        Some(_) | None => false,
    }
}

/// At least as many bytes as the encoded state.
fn weigh(state: &State) -> usize {
    let session = [&state.session.tenant, &state.session.customer, &state.session.conversation, &state.nonce];
    let unresolved = |open: &Unresolved| 50 + text(&open.key) + text(&open.tool) + text(&open.sameness);
    let evidence = &state.evidence;
    let found = |found: &countersign_nlu::Found| 80 + value(&found.value);
    let said = evidence.said.iter().map(|said| 60 + said.found.iter().map(found).sum::<usize>());
    let shown = evidence.shown.iter().map(|shown| 60 + shown.rows.iter().map(record).sum::<usize>());
    let returned = evidence.returned.iter();
    let returned =
        returned.map(|returned| 120 + text(&returned.source) + returned.rows.iter().map(record).sum::<usize>());
    1_000
        + session.into_iter().map(|one| text(one)).sum::<usize>()
        + state.answer_after.as_deref().map_or(0, text)
        + state.open_breakers.iter().map(|tool| text(tool)).sum::<usize>()
        + state.unresolved.iter().map(unresolved).sum::<usize>()
        + state.frame.iter().chain(&state.paused).map(frame).sum::<usize>()
        + said.sum::<usize>()
        + shown.sum::<usize>()
        + returned.sum::<usize>()
        + phase(&state.phase)
}

fn frame(frame: &Frame) -> usize {
    let asked = match &frame.asked {
        Some(Asked::Slot { slot, offer }) => 50 + text(slot) + offer.as_ref().map_or(4, value),
        Some(Asked::Pick { slot, field }) => 50 + text(slot) + text(field),
        None => 4,
    };
    let given = |(name, given): (&String, &crate::state::Given)| {
        30 + text(name) + value(&given.value) + witness(&given.witness)
    };
    let pending = |pending: &Pending| {
        let texts = [&pending.digest, &pending.tool_hash, &pending.nonce, &pending.question];
        250 + call(&pending.call) + texts.into_iter().map(|one| text(one)).sum::<usize>()
    };
    let awaiting = frame.awaiting.as_ref().map_or(4, |awaiting| {
        150 + call(&awaiting.call) + text(&awaiting.digest) + awaiting.nonce.as_deref().map_or(4, text)
    });
    let withdrawn = frame.withdrawn.iter().map(|(slot, old)| 4 + text(slot) + value(old));
    250 + text(&frame.journey)
        + text(&frame.intent)
        + frame.topic.as_deref().map_or(4, text)
        + frame.slots.iter().map(given).sum::<usize>()
        + withdrawn.sum::<usize>()
        + asked
        + frame.pending.as_ref().map_or(4, pending)
        + awaiting
        + record(&frame.scene)
}

fn phase(phase: &Phase) -> usize {
    match phase {
        Phase::Idle | Phase::Planning => 12,
        Phase::Sensing(heard) => {
            let words = match &heard.content {
                Content::Text(words) | Content::Button(words) => text(words),
                Content::Voice => 8,
            };
            let breakers = heard.around.open_breakers.iter().map(|tool| 1 + text(tool)).sum::<usize>();
            300 + words + text(&heard.nonce) + breakers
        }
        Phase::Acting { call: proposed, occasion, facts, awaited } => {
            let occasion = match occasion {
                Occasion::Message => 10,
                Occasion::Yes { digest, nonce, .. } => 80 + text(digest) + text(nonce),
                Occasion::Approved { digest, nonce, operator } => {
                    80 + text(digest) + nonce.as_deref().map_or(4, text) + text(operator)
                }
            };
            let fact = |(name, fact): (&String, &crate::state::FactRows)| {
                150 + text(name) + record(&fact.params) + fact.rows.iter().map(record).sum::<usize>()
            };
            let awaited = awaited.values().map(|(name, params)| 40 + text(name) + record(params));
            100 + call(proposed) + occasion + facts.iter().map(fact).sum::<usize>() + awaited.sum::<usize>()
        }
        Phase::Calling(call) => 30 + running(call),
        Phase::Verifying { running: call, .. } => 80 + running(call),
    }
}

fn running(running: &Running) -> usize {
    let outcome = match &running.outcome {
        Some(ToolOutcome::Done(result)) => 20 + value(result),
        Some(ToolOutcome::Refused(_)) => 60,
        Some(ToolOutcome::Failed(why) | ToolOutcome::Unknown(why)) => 20 + text(why),
        None => 4,
    };
    80 + call(&running.call) + text(&running.key) + text(&running.sameness) + outcome + record(&running.scene)
}

fn call(call: &Call) -> usize {
    100 + text(&call.tool) + record(&call.arguments)
}

fn witness(witness: &Witness) -> usize {
    match witness {
        Witness::Linked { said, found } => 40 + self::witness(said) + self::witness(found),
        Witness::Computed { of } => 30 + of.iter().map(self::witness).sum::<usize>(),
        Witness::Relative { slot, .. } => 120 + text(slot),
        Witness::Result { field, .. } => 90 + text(field),
        Witness::Span { .. } | Witness::Choice { .. } => 110,
        Witness::Offer { .. } => 50,
        Witness::Default | Witness::Configuration | Witness::Profile | Witness::Session | Witness::Operator => 16,
    }
}

/// At least as many bytes as the encoded row.
pub(crate) fn record(fields: &BTreeMap<String, Value>) -> usize {
    3 + fields.iter().map(|(name, field)| 2 + text(name) + value(field)).sum::<usize>()
}

/// At least as many bytes as the encoded value. Nested values wait in a list, so no depth is too deep.
pub(crate) fn value(value: &Value) -> usize {
    let mut open = Vec::new();
    let mut total = outside(value, &mut open);
    while let Some(value) = open.pop() {
        total += outside(value, &mut open);
    }
    total
}

/// The bytes of a value without the values inside it, which are left to be weighed.
fn outside<'v>(value: &'v Value, open: &mut Vec<&'v Value>) -> usize {
    match value {
        Value::Null => 7,
        Value::Bool(_) => 16,
        Value::Date(_) => 28,
        Value::Time(_) | Value::Int(_) | Value::Duration(_) => 40,
        Value::Decimal(_) | Value::Instant(_) | Value::Money(_) => 64,
        Value::Text(words) => 12 + text(words),
        Value::List(values) => {
            open.extend(values);
            12 + values.len()
        }
        Value::Record(fields) => {
            open.extend(fields.values());
            14 + fields.keys().map(|name| 2 + text(name)).sum::<usize>()
        }
    }
}

/// Bytes of a JSON text.
pub(crate) fn text(text: &str) -> usize {
    let byte = |byte: u8| match byte {
        0..0x20 => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    };
    3 + text.bytes().map(byte).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use countersign_nlu::{Currency, Money};
    use rust_decimal::Decimal;

    use super::*;

    #[test]
    fn the_weight_is_an_upper_bound() {
        let fields = BTreeMap::from([("a\n\"b".to_owned(), Value::Null), ("c".to_owned(), Value::text("\u{1}é"))]);
        for one in [
            Value::Null,
            Value::Bool(false),
            Value::Int(i64::MIN),
            Value::Decimal(Decimal::MIN),
            Value::Money(Money::new(i64::MIN, Currency::BRL)),
            Value::Date(jiff::civil::Date::MIN),
            Value::Time(jiff::civil::Time::MAX),
            Value::Instant(jiff::Timestamp::MIN),
            Value::Duration(i64::MIN),
            Value::text("\\\"\u{0}\u{1f}\u{7f}😀"),
            Value::List(vec![Value::Null, Value::Null]),
            Value::Record(fields),
        ] {
            let encoded = serde_json::to_string(&one).unwrap();
            assert!(value(&one) >= encoded.len(), "{encoded} is longer than {}", value(&one));
            assert!(value(&one) <= encoded.len() * 2 + 40, "{encoded} is much shorter than {}", value(&one));
        }
    }
}
