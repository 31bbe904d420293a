//! Gate 6, clarity: not ambiguous, and certain enough to act on.
//!
//! From `route` on the intent is taken; from `clarify` on the likeliest meanings are asked about; below, or without
//! any intent, the pack's open question. Three clarifications without progress hand over. A message that answers the
//! step's own question is clear by that.

use crate::decision::{Decision, Gate, Verdict};
use crate::event::Reading;
use crate::gates::govern::Governed;
use crate::gates::slots::{self, Fit};
use crate::hear::{Follow, Halt, Hearing, Stop};
use crate::reason::Reason;
use crate::state::Counters;

/// Proof that the message is clear.
#[derive(Debug)]
pub(crate) struct Clear<'w> {
    pub(crate) counters: Counters,
    pub(crate) language: countersign_nlu::language::Language,
    pub(crate) reading: &'w Reading,
    /// The message answers what the current step asked.
    pub(crate) fit: Option<Fit>,
}

pub(crate) fn check<'w>(
    walk: &Hearing<'_>,
    governed: &Governed<'w>,
    log: &mut Vec<Decision>,
) -> Result<Clear<'w>, Halt> {
    let (reading, thresholds) = (governed.reading, &walk.policy.thresholds);
    let mut counters = governed.counters.clone();
    let clear = |counters, fit| Clear { counters, language: governed.language, reading, fit };
    if let Some(fit) = step_answer(walk, reading) {
        counters.clarifications = 0;
        log.push(Decision::new(Gate::Clarity, Verdict::Pass, Reason::StepAnswered));
        return Ok(clear(counters, Some(fit)));
    }
    let confidence = reading.confidence;
    let is_known = reading.intent.is_some();
    let (reason, follow, say) = if is_known && reading.ambiguity >= thresholds.ambiguity {
        (Reason::Ambiguous, Follow::Offer, "clarify")
    } else if is_known && confidence >= thresholds.route {
        counters.clarifications = 0;
        let detail =
            format!("{} at {}.{:03}", reading.intent.as_deref().unwrap_or("-"), confidence / 1000, confidence % 1000);
        log.push(Decision::new(Gate::Clarity, Verdict::Pass, Reason::Ok).detail(detail));
        return Ok(clear(counters, None));
    } else if is_known && confidence >= thresholds.clarify {
        (Reason::LowConfidence, Follow::Offer, "clarify")
    } else if is_known {
        (Reason::LowConfidence, Follow::AskAgain, "open_question")
    } else {
        (Reason::UnknownIntent, Follow::AskAgain, "open_question")
    };
    if walk.state.pending().is_some() {
        // While a question waits for a yes, whatever is unclear is simply not a yes.
        log.push(Decision::new(Gate::Clarity, Verdict::Ask, reason));
        return Err(Halt::Stop(Stop::new(reason, Some("confirm_again")).follow(Follow::AskAgain)));
    }
    counters.clarifications = counters.clarifications.saturating_add(1);
    if counters.clarifications > thresholds.clarifications_max {
        log.push(Decision::new(Gate::Clarity, Verdict::Stop, Reason::TooManyClarifications));
        let stop = Stop::new(Reason::TooManyClarifications, Some("handover")).follow(Follow::HandOver);
        counters.clarifications = 0;
        return Err(Halt::Stop(stop.counting(counters)));
    }
    log.push(Decision::new(Gate::Clarity, Verdict::Ask, reason).detail(reading.ambiguity_reason.clone()));
    Err(Halt::Stop(Stop::new(reason, Some(say)).follow(follow).counting(counters)))
}

/// What the message fills of the step's own question, unless it is surely about something else.
fn step_answer(walk: &Hearing<'_>, reading: &Reading) -> Option<Fit> {
    let frame = walk.state.frame.as_ref()?;
    let is_elsewhere = reading.intent.as_ref().is_some_and(|intent| *intent != frame.intent)
        && reading.confidence > walk.policy.thresholds.leave;
    let fit = slots::read(walk, &frame.journey, Some(frame));
    // A bare value is the step's own answer, whatever a sensor makes of it; a sentence around it may be another request.
    (fit.is_bare || (fit.answers_question || fit.corrects) && !is_elsewhere).then_some(fit)
}
