//! Gate 8, slots: every required value present and in range; one question per turn for what is missing.
//!
//! [`check`] ends Hear with what the message says about the journey's slots; [`require`] is asked by every `collect`
//! step. How words become a slot's value (role: question asked, cue word, order) is in `crate::fill`.

use countersign_nlu::Value;
use jiff::civil::Date;

use crate::decision::{Decision, Gate, Verdict};
use crate::expr::Verdict as Held;
use crate::fill::{self, Source};
use crate::gates::route::{Routed, Way};
use crate::hear::{Hearing, Understood};
use crate::origin::Witness;
use crate::policy::{Policy, Slot};
use crate::reason::Reason;
use crate::state::{Asked, Frame};

/// A value the message gives for a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fill {
    pub(crate) slot: String,
    pub(crate) value: Value,
    pub(crate) witness: Witness,
}

/// What a message says about a journey's slots.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fit {
    pub(crate) fills: Vec<Fill>,
    /// The slot for which more than one value was given.
    pub(crate) unclear: Option<String>,
    /// The date slot for which words look like a date that no calendar has.
    pub(crate) malformed: Option<String>,
    /// It answers what was asked.
    pub(crate) answers_question: bool,
    /// It answers what was asked and says nothing else.
    pub(crate) is_bare: bool,
    /// It changes something already said.
    pub(crate) corrects: bool,
}

/// What the message says about the slots of the journey it leads to.
pub(crate) fn check(walk: &Hearing<'_>, routed: &Routed<'_>, log: &mut Vec<Decision>) -> Understood {
    let fit = match (&routed.way, &routed.fit) {
        (Way::Stay, Some(fit)) => fit.clone(),
        (Way::Stay, None) => match &walk.state.frame {
            Some(frame) => read(walk, &frame.journey, Some(frame)),
            None => Fit::default(),
        },
        (Way::Enter { journey, .. }, _) => read(walk, journey, None),
    };
    for fill in &fit.fills {
        let decision = Decision::new(Gate::Slots, Verdict::Note, Reason::Ok).about(&fill.slot);
        log.push(decision.witnessed(vec![fill.witness.clone()]));
    }
    Understood {
        counters: routed.counters.clone(),
        language: routed.language,
        route: routed.way.clone(),
        fit,
        topic: routed.reading.topic.clone(),
    }
}

/// Reads a message against a journey's slots.
pub(crate) fn read(walk: &Hearing<'_>, journey: &str, frame: Option<&Frame>) -> Fit {
    let Some(journey) = walk.policy.journeys.get(journey) else { return Fit::default() };
    let source = Source {
        policy: walk.policy,
        language: walk.state.language,
        message: walk.heard.message,
        text: walk.text(),
        found: walk.found,
        today: walk.today,
        answer: &|| walk.answer(),
        shown: walk.state.evidence.shown.front(),
    };
    fill::read(&source, &journey.slots, frame)
}

/// What a `collect` step still needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A value is missing.
    Missing(String),
    /// A value breaks a rule: the slot, the rule's code and its sentence.
    Broken { slot: String, reason: Reason, message: String },
}

/// The first thing a `collect` step still needs; rules about given values come before questions.
pub(crate) fn require(
    policy: &Policy,
    frame: &Frame,
    slots: &[String],
    today: Date,
    log: &mut Vec<Decision>,
) -> Option<Lack> {
    let given = |name: &String| frame.slots.get(name);
    for (name, given) in slots.iter().filter_map(|name| given(name).map(|given| (name, given))) {
        let Some(slot) = policy.slots.get(name) else { continue };
        if let Some((reason, message)) = broken_rule(slot, &given.value, today) {
            log.push(Decision::new(Gate::Slots, Verdict::Stop, reason).about(name));
            return Some(Lack::Broken { slot: name.clone(), reason, message });
        }
    }
    if let Some(missing) = slots.iter().find(|name| given(name).is_none()) {
        let all: Vec<_> = slots.iter().filter(|name| given(name).is_none()).map(String::as_str).collect();
        let decision = Decision::new(Gate::Slots, Verdict::Ask, Reason::MissingSlot).about(missing);
        log.push(decision.detail(format!("missing: {}", all.join(", "))));
        return Some(Lack::Missing(missing.clone()));
    }
    log.push(Decision::new(Gate::Slots, Verdict::Pass, Reason::Ok));
    None
}

/// The first rule of the slot that does not hold; one that cannot be decided does not hold.
fn broken_rule(slot: &Slot, value: &Value, today: Date) -> Option<(Reason, String)> {
    let env = std::collections::BTreeMap::from([
        (slot.name.clone(), value.clone()),
        ("today".to_owned(), Value::Date(today)),
    ]);
    slot.rules.iter().find_map(|rule| match rule.check.test(&env) {
        Held::Holds => None,
        Held::Fails => Some((rule.reason, rule.message.clone())),
        Held::CannotDecide(_) => Some((Reason::CannotDecide, rule.message.clone())),
    })
}

/// The slot the last turn asked for, if it asked for one.
pub(crate) fn asked(frame: &Frame) -> Option<&str> {
    match &frame.asked {
        Some(Asked::Slot { slot, .. } | Asked::Pick { slot, .. }) => Some(slot),
        None => None,
    }
}
