//! Gate 11, confirm: not required, or a yes bound to exactly this call and quote.
//!
//! Two halves. [`answer`] belongs to Hear: it reads a yes or no by a closed lexicon or the button's nonce, never by a
//! model. [`check`] belongs to Act: it compares the digest of the walk on fresh facts with the one the yes was for.
//! Deliberately absent: partial confirmation. A yes in the message that makes the request confirms nothing.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use countersign_nlu::consent as words;
use countersign_nlu::yes_no::Polarity;
use serde_json::json;

use crate::act::{self, Question};
use crate::canonical;
use crate::decision::{Decision, Gate, Verdict};
use crate::event::{Content, Reading};
use crate::gates::limit::Paced;
use crate::gates::permit::Permitted;
use crate::hear::{Halt, Hearing};
use crate::reason::Reason;
use crate::state::{Asked, Occasion};

/// How a closed lexicon or a button answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answered {
    /// Yes to the pending question; with a topic to answer afterwards.
    Yes { topic: Option<String> },
    /// No to it.
    No,
    /// A yes that came too late.
    Expired,
    /// A button of a question that is no longer open.
    Stale,
    /// The person called the open request off.
    Cancel,
    /// The person wants to hear the question again.
    Repeat,
    /// The person took the value we proposed.
    Offer { slot: String, value: Value },
}

/// Proof that no closed lexicon settled the message.
#[derive(Debug)]
pub(crate) struct Unanswered<'h, 'w> {
    walk: &'h Hearing<'w>,
}

/// The message with its reading.
#[derive(Debug)]
pub(crate) struct Sensed<'w> {
    pub(crate) reading: &'w Reading,
}

pub(crate) fn answer<'h, 'w>(
    walk: &'h Hearing<'w>,
    paced: &Paced<'_>,
    log: &mut Vec<Decision>,
) -> Result<Unanswered<'h, 'w>, Halt> {
    let decide = |reason, verdict| Decision::new(Gate::Confirm, verdict, reason);
    let pending = walk.state.pending();
    if let Content::Button(payload) = &walk.heard.content {
        let said = pending.and_then(|pending| {
            let nonce = payload.strip_prefix("yes:").map(|nonce| (nonce, true));
            let nonce = nonce.or_else(|| payload.strip_prefix("no:").map(|nonce| (nonce, false)));
            nonce.filter(|(nonce, _)| *nonce == pending.nonce).map(|(_, is_yes)| is_yes)
        });
        return match said {
            Some(true) => Err(yes(walk, None, log)),
            Some(false) => Err(no(log)),
            None => {
                let stale = decide(Reason::ConfirmationExpired, Verdict::Stop);
                log.push(stale.detail("the button is of an older question"));
                Err(Halt::Answered(Answered::Stale))
            }
        };
    }
    let lists = walk.policy.words(walk.state.language);
    if let Some(frame) = &walk.state.frame {
        let said = walk.answer();
        if pending.is_some() && said.is_plain {
            match said.polarity {
                Polarity::Yes if !said.has_question => return Err(yes(walk, None, log)),
                Polarity::No => return Err(no(log)),
                Polarity::Yes | Polarity::Neither => {}
            }
        }
        if let Some(Asked::Slot { slot, offer: Some(value) }) = &frame.asked
            && said.is_plain
            && said.polarity == Polarity::Yes
        {
            return Err(Halt::Answered(Answered::Offer { slot: slot.clone(), value: value.clone() }));
        }
        if words::is_stop(paced.text, &lists.cancel) {
            log.push(Decision::new(Gate::Slots, Verdict::Stop, Reason::CancelledByPerson));
            return Err(Halt::Answered(Answered::Cancel));
        }
        if words::is_stop(paced.text, &lists.repeat) {
            log.push(Decision::new(Gate::Slots, Verdict::Ask, Reason::RepeatedQuestion));
            return Err(Halt::Answered(Answered::Repeat));
        }
    }
    Ok(Unanswered { walk })
}

impl<'w> Unanswered<'_, 'w> {
    /// Goes on with the reading, or waits for it. A yes with a question that names no other value is a yes.
    pub(crate) fn sensed(&self, reading: Option<&'w Reading>, log: &mut Vec<Decision>) -> Result<Sensed<'w>, Halt> {
        let Some(reading) = reading else { return Err(Halt::Sense) };
        if self.walk.state.pending().is_none() || reading.topic.is_none() {
            return Ok(Sensed { reading });
        }
        let said = self.walk.answer();
        let is_yes_and_question = said.polarity == Polarity::Yes
            && said.has_question
            && !said.has_condition
            && !said.changes
            && self.walk.found.is_empty();
        if is_yes_and_question {
            return Err(yes(self.walk, reading.topic.clone(), log));
        }
        Ok(Sensed { reading })
    }
}

fn yes(walk: &Hearing<'_>, topic: Option<String>, log: &mut Vec<Decision>) -> Halt {
    let is_in_time = walk
        .state
        .pending()
        .is_some_and(|pending| walk.now <= pending.expires_at && walk.heard.message > pending.asked_after);
    if is_in_time {
        return Halt::Answered(Answered::Yes { topic });
    }
    log.push(Decision::new(Gate::Confirm, Verdict::Stop, Reason::ConfirmationExpired));
    Halt::Answered(Answered::Expired)
}

fn no(log: &mut Vec<Decision>) -> Halt {
    log.push(Decision::new(Gate::Confirm, Verdict::Stop, Reason::ConfirmationRejected));
    Halt::Answered(Answered::No)
}

/// Proof that the customer agreed to exactly this call, or need not.
#[derive(Debug)]
pub(crate) struct Confirmed<'w> {
    pub(crate) permitted: Permitted<'w>,
    pub(crate) digest: String,
    /// The row this call spends.
    pub(crate) nonce: Option<String>,
}

pub(crate) fn check<'w>(permitted: Permitted<'w>, log: &mut Vec<Decision>) -> Result<Confirmed<'w>, act::Halt> {
    let walk = permitted.walk();
    let tool = permitted.tool();
    let Some(confirm) = &tool.confirm else {
        log.push(Decision::new(Gate::Confirm, Verdict::Pass, Reason::ConfirmationNotRequired).about(&tool.name));
        let digest = digest(&tool.name, permitted.arguments(), &BTreeMap::new());
        return Ok(Confirmed { permitted, digest, nonce: None });
    };
    let quote = quote(&permitted, &confirm.message);
    let digest = digest(&tool.name, permitted.arguments(), &quote);
    let (given, nonce) = match walk.occasion {
        Occasion::Message => (None, None),
        Occasion::Yes { digest, nonce, .. } => (Some(digest), Some(nonce.clone())),
        Occasion::Approved { digest, nonce, .. } => (Some(digest), nonce.clone()),
    };
    match given {
        Some(given) if *given == digest => {
            let witnesses = match walk.occasion {
                Occasion::Yes { message, .. } => vec![crate::origin::Witness::Offer { message: *message }],
                Occasion::Message | Occasion::Approved { .. } => Vec::new(),
            };
            let decision = Decision::new(Gate::Confirm, Verdict::Pass, Reason::ConfirmationConfirmed);
            log.push(decision.about(&tool.name).witnessed(witnesses));
            return Ok(Confirmed { permitted, digest, nonce });
        }
        Some(_) => {
            log.push(Decision::new(Gate::Confirm, Verdict::Note, Reason::QuoteChanged).about(&tool.name));
        }
        None => {}
    }
    log.push(Decision::new(Gate::Confirm, Verdict::Ask, Reason::ConfirmationRequired).about(&tool.name));
    Err(act::Halt::Ask(Question {
        message: confirm.message.clone(),
        digest,
        arguments: permitted.arguments().clone(),
        scene: permitted.scene().clone(),
        tool_hash: tool.hash.clone(),
    }))
}

/// Every live fact the question displays, in any of the pack's languages.
fn quote(permitted: &Permitted<'_>, message: &str) -> BTreeMap<String, Value> {
    let mut quote = BTreeMap::new();
    for messages in permitted.walk().policy.messages.values() {
        for path in messages.get(message).map(crate::template::Template::paths).unwrap_or_default() {
            let value = act::lookup(permitted.scene(), &path).cloned().unwrap_or(Value::Null);
            quote.insert(path, value);
        }
    }
    quote
}

/// SHA-256 over tool, canonical arguments and quote.
pub(crate) fn digest(tool: &str, arguments: &BTreeMap<String, Value>, quote: &BTreeMap<String, Value>) -> String {
    let body = json!({"arguments": canonical::record(arguments), "quote": canonical::record(quote), "tool": tool});
    canonical::sha256(body.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_covers_tool_arguments_and_quote() {
        let map = |name: &str, value: i64| BTreeMap::from([(name.to_owned(), Value::Int(value))]);
        let base = digest("pay", &map("amount", 1), &map("price", 2));
        assert_eq!(base, digest("pay", &map("amount", 1), &map("price", 2)));
        for other in [
            digest("refund", &map("amount", 1), &map("price", 2)),
            digest("pay", &map("amount", 2), &map("price", 2)),
            digest("pay", &map("amount", 1), &map("price", 3)),
            digest("pay", &map("tip", 1), &map("price", 2)),
        ] {
            assert_ne!(base, other);
        }
    }
}
