//! Gate 7, route: stay in the journey or leave it.
//!
//! The current journey's own intent gets a bonus in ranking, entry points of other journeys a penalty, and leaving
//! takes raw confidence above a high threshold. So a word about prices inside a refund does not jump to sales, and no
//! sequence of unsure readings can make the conversation bounce.

use crate::decision::{Decision, Gate, Verdict};
use crate::event::Reading;
use crate::gates::clarity::Clear;
use crate::gates::slots::Fit;
use crate::hear::{Follow, Halt, Hearing, Stop};
use crate::policy::{Milli, Thresholds};
use crate::reason::Reason;
use crate::state::Counters;

/// Where the message leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// The current journey goes on.
    Stay,
    /// A journey begins, and the current one, if any, waits.
    Enter { intent: String, journey: String },
}

/// Proof that the message has a way to go.
#[derive(Debug)]
pub(crate) struct Routed<'w> {
    pub(crate) counters: Counters,
    pub(crate) language: countersign_nlu::language::Language,
    pub(crate) reading: &'w Reading,
    pub(crate) way: Way,
    pub(crate) fit: Option<Fit>,
}

pub(crate) fn check<'w>(walk: &Hearing<'_>, clear: &Clear<'w>, log: &mut Vec<Decision>) -> Result<Routed<'w>, Halt> {
    let routed = |way, fit| Routed {
        counters: clear.counters.clone(),
        language: clear.language,
        reading: clear.reading,
        way,
        fit,
    };
    let current = walk.state.frame.as_ref().map(|frame| frame.intent.as_str());
    if let (Some(fit), Some(current)) = (&clear.fit, current) {
        log.push(Decision::new(Gate::Route, Verdict::Pass, Reason::StepAnswered).about(current));
        return Ok(routed(Way::Stay, Some(fit.clone())));
    }
    let Some(intent) = best(clear.reading, current, &walk.policy.thresholds) else {
        log.push(Decision::new(Gate::Route, Verdict::Pass, Reason::StayedInJourney).about(current.unwrap_or("-")));
        return Ok(routed(Way::Stay, None));
    };
    let Some(journey) = walk.policy.intents.get(intent) else {
        log.push(Decision::new(Gate::Route, Verdict::Stop, Reason::UnknownIntent).about(intent));
        return Err(Halt::Stop(Stop::new(Reason::UnknownIntent, Some("open_question")).follow(Follow::AskAgain)));
    };
    let reason = if current.is_some() { Reason::Digressed } else { Reason::EnteredJourney };
    log.push(Decision::new(Gate::Route, Verdict::Pass, reason).about(journey));
    Ok(routed(Way::Enter { intent: intent.to_owned(), journey: journey.clone() }, None))
}

/// The intent to enter, or none to stay.
fn best<'r>(reading: &'r Reading, current: Option<&str>, thresholds: &Thresholds) -> Option<&'r str> {
    let intent = reading.intent.as_deref()?;
    let Some(current) = current else { return Some(intent) };
    let runner_up = reading.runner_up.as_ref().map(|(name, confidence)| (name.as_str(), *confidence));
    let score = |(name, confidence): (&str, Milli)| {
        if name == current {
            confidence.saturating_add(thresholds.sticky)
        } else {
            confidence.saturating_sub(thresholds.global_penalty)
        }
    };
    let first = (intent, reading.confidence);
    let winner = match runner_up {
        Some(second) if score(second) > score(first) => second,
        Some(_) | None => first,
    };
    (winner.0 != current && winner.1 > thresholds.leave).then_some(intent).filter(|name| *name == winner.0)
}

#[cfg(test)]
mod tests {
    use countersign_nlu::govern::Class;

    use super::*;

    fn reading(intent: &str, confidence: Milli, runner_up: Option<(&str, Milli)>) -> Reading {
        Reading {
            intent: Some(intent.to_owned()),
            confidence,
            runner_up: runner_up.map(|(name, confidence)| (name.to_owned(), confidence)),
            topic: None,
            language: None,
            class: Class::Business,
            ambiguity: 0,
            ambiguity_reason: String::new(),
            is_frustrated: false,
            sensitive: None,
        }
    }

    fn check(reading: &Reading, current: Option<&str>, expected: Option<&str>) {
        assert_eq!(best(reading, current, &Thresholds::default()), expected, "{reading:?} in {current:?}");
    }

    #[test]
    fn leaving_takes_more_than_the_exit_threshold() {
        check(&reading("B", 700, None), None, Some("B"));
        check(&reading("B", 850, None), Some("A"), None);
        check(&reading("B", 851, None), Some("A"), Some("B"));
        check(&reading("A", 990, None), Some("A"), None);
    }

    #[test]
    fn the_current_journey_has_a_bonus_and_others_a_penalty() {
        // 0.900 - 0.100 against 0.560 + 0.250: the current journey wins although the other may be left for.
        check(&reading("B", 900, Some(("A", 560))), Some("A"), None);
        check(&reading("B", 900, Some(("A", 540))), Some("A"), Some("B"));
    }
}
