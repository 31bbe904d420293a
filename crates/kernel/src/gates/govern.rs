//! Gate 5, govern: business goes on; small talk and spam have a few turns, abuse none; sensitive topics go to a person.
//!
//! The classes are the embedded reading's; a pack's own examples for them come with the customer-service agent.

use countersign_nlu::govern::Class;

use crate::decision::{Decision, Gate, Verdict};
use crate::event::Reading;
use crate::gates::language::Spoken;
use crate::hear::{Follow, Halt, Hearing, Stop};
use crate::reason::Reason;
use crate::state::Counters;

/// Frustrated turns in a row before a person takes over.
const FRUSTRATED_MAX: u8 = 2;

/// Proof that the message is business.
#[derive(Debug)]
pub(crate) struct Governed<'w> {
    pub(crate) counters: Counters,
    pub(crate) language: countersign_nlu::language::Language,
    pub(crate) reading: &'w Reading,
}

pub(crate) fn check<'w>(
    walk: &Hearing<'_>,
    spoken: &Spoken<'w>,
    log: &mut Vec<Decision>,
) -> Result<Governed<'w>, Halt> {
    let (reading, limits) = (spoken.reading, &walk.policy.limits);
    let mut counters = walk.state.counters.clone();
    counters.frustrated = if reading.is_frustrated { counters.frustrated.saturating_add(1) } else { 0 };
    // A message that answers our own question is business, whatever it sounds like.
    let answers = walk.state.frame.as_ref().is_some_and(|frame| frame.asked.is_some() || frame.pending.is_some());
    let stop = if reading.sensitive.is_some() {
        Some(Stop::new(Reason::SensitiveTopic, Some("handover")).follow(Follow::HandOver))
    } else if counters.frustrated > FRUSTRATED_MAX {
        Some(Stop::new(Reason::Frustrated, Some("handover")).follow(Follow::HandOver))
    } else {
        match reading.class {
            Class::Abuse => Some(Stop::new(Reason::Abuse, None)),
            Class::Casual if !answers => {
                counters.casual = counters.casual.saturating_add(1);
                Some(Stop::new(Reason::SmallTalk, (counters.casual <= limits.casual_turns).then_some("redirect")))
            }
            Class::Spam if !answers => {
                counters.spam = counters.spam.saturating_add(1);
                Some(Stop::new(Reason::Spam, (counters.spam <= limits.spam_turns).then_some("redirect")))
            }
            Class::Business | Class::Casual | Class::Spam => None,
        }
    };
    if let Some(stop) = stop {
        log.push(Decision::new(Gate::Govern, Verdict::Stop, stop.reason));
        return Err(Halt::Stop(stop.counting(counters)));
    }
    counters.casual = 0;
    counters.spam = 0;
    log.push(Decision::new(Gate::Govern, Verdict::Pass, Reason::Ok));
    Ok(Governed { counters, language: spoken.language, reading })
}
