//! Gate 2, consent: a STOP is carried out at once, with no model; a request for a person wins over everything below.
//!
//! The word lists are disjoint from the yes-and-no lexicon (`countersign check` refuses an overlap), so a *no* to a
//! question is never an opt-out.

use countersign_nlu::consent as words;

use crate::decision::{Decision, Gate, Verdict};
use crate::gates::input::Present;
use crate::hear::{Follow, Halt, Hearing, Stop};
use crate::reason::Reason;

/// Proof that the person may be answered by the agent.
#[derive(Debug)]
pub(crate) struct Willing<'w> {
    pub(crate) text: &'w str,
}

pub(crate) fn check<'w>(
    walk: &Hearing<'_>,
    present: &Present<'w>,
    log: &mut Vec<Decision>,
) -> Result<Willing<'w>, Halt> {
    let lists = walk.policy.words(walk.state.language);
    let is_opted_out = walk.state.is_opted_out || walk.heard.around.is_opted_out;
    let stop = if words::is_stop(present.text, &lists.stop) {
        Some(Stop::new(Reason::OptedOut, Some("opted_out")).follow(Follow::OptOut))
    } else if is_opted_out && words::is_stop(present.text, &lists.start) {
        Some(Stop::new(Reason::Ok, Some("opted_in")).follow(Follow::OptIn))
    } else if is_opted_out {
        Some(Stop::new(Reason::OptedOut, None))
    } else if walk.state.is_handed_over {
        Some(Stop::new(Reason::HandedOver, None))
    } else if words::wants_person(present.text, walk.state.language) {
        Some(Stop::new(Reason::PersonWanted, Some("handover")).follow(Follow::HandOver))
    } else {
        None
    };
    match stop {
        Some(stop) => {
            log.push(Decision::new(Gate::Consent, Verdict::Stop, stop.reason));
            Err(Halt::Stop(stop))
        }
        None => {
            log.push(Decision::new(Gate::Consent, Verdict::Pass, Reason::Ok));
            Ok(Willing { text: present.text })
        }
    }
}
