//! The embedded sensor: reads a message without a network, trained from the pack's own examples when it is loaded.
//!
//! Questions the pack can answer (topics) are trained as classes of their own, so that "what is the limit" and "what
//! is a boleto" are told apart; their probabilities are then added up to the intent both belong to.
//! Invariant: the same pack and text give the same reading, in whole 1/1000.
//! Deliberately absent: values. The kernel reads them from the text itself.

use std::collections::BTreeMap;

use async_trait::async_trait;
use countersign_kernel::event::Reading;
use countersign_kernel::policy::{Milli, Policy};
use countersign_nlu::govern;
use countersign_nlu::intent::{Classifier, Example, Scored};
use countersign_nlu::language::{self, Language};
use countersign_runtime::ports::Sensor;

/// Below this the best guess is no guess: the message is UNKNOWN.
pub const KNOWN_MIN: Milli = 250;
/// From here on the second intent is a plausible meaning of its own.
pub const PLAUSIBLE_MIN: Milli = 350;
/// Certainty.
const WHOLE: Milli = 1000;

/// A classifier and what its labels stand for.
#[derive(Debug, Clone)]
pub struct EmbeddedSensor {
    classifier: Classifier,
    meanings: BTreeMap<String, Meaning>,
    languages: Vec<Language>,
    switch_min: Milli,
}

/// What a label stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meaning {
    intent: String,
    topic: Option<String>,
}

impl EmbeddedSensor {
    /// Learns the pack's examples.
    #[must_use]
    pub fn train(policy: &Policy) -> Self {
        let labelled: Vec<(String, &str)> = policy
            .examples
            .iter()
            .map(|example| (label(&example.intent, example.topic.as_deref()), example.text.as_str()))
            .collect();
        let meanings = policy.examples.iter().map(|example| {
            let meaning = Meaning { intent: example.intent.clone(), topic: example.topic.clone() };
            (label(&example.intent, example.topic.as_deref()), meaning)
        });
        let examples: Vec<Example<'_>> = labelled.iter().map(|(label, text)| Example { label, text }).collect();
        Self {
            classifier: Classifier::train(&examples),
            meanings: meanings.collect(),
            languages: policy.languages.clone(),
            switch_min: policy.thresholds.language,
        }
    }

    /// What the message means; the same as the port, without waiting.
    #[must_use]
    pub fn read(&self, text: &str, language: Language) -> Reading {
        let detected = language::detect(text).map(|found| (found.language, found.confidence));
        let language = self.heard_in(detected).unwrap_or(language);
        let intents = self.intents(&self.classifier.classify(text));
        let best = intents.first().filter(|best| best.confidence >= KNOWN_MIN);
        let runner_up = best.and(intents.get(1)).filter(|second| second.confidence > 0);
        let (ambiguity, ambiguity_reason) = match (best, runner_up) {
            (Some(best), Some(second)) => ambiguity(best, second),
            (Some(_) | None, _) => (0, String::new()),
        };
        Reading {
            intent: best.map(|best| best.intent.clone()),
            confidence: best.map_or(0, |best| best.confidence),
            runner_up: runner_up.map(|second| (second.intent.clone(), second.confidence)),
            topic: best.and_then(|best| best.topic.clone()),
            language: detected,
            class: govern::classify(text, language),
            ambiguity,
            ambiguity_reason,
            is_frustrated: govern::is_frustrated(text, language),
            sensitive: govern::sensitive(text, language),
        }
    }

    /// The language the conversation is about to switch to: its word lists are the ones to read with.
    fn heard_in(&self, detected: Option<(Language, Milli)>) -> Option<Language> {
        let is_sure = |(language, confidence): &(Language, Milli)| {
            *confidence >= self.switch_min && self.languages.contains(language)
        };
        detected.filter(is_sure).map(|(language, _)| language)
    }

    /// Intents with the sum of their labels, best first; equal ones by name.
    fn intents(&self, scored: &[Scored]) -> Vec<Weighed> {
        let mut sums: BTreeMap<&str, Sum<'_>> = BTreeMap::new();
        for score in scored {
            let Some(meaning) = self.meanings.get(&score.label) else { continue };
            let sum = sums.entry(meaning.intent.as_str()).or_default();
            sum.total += u32::from(score.confidence);
            if let Some(topic) = meaning.topic.as_deref().filter(|_| score.confidence > sum.topic_confidence) {
                sum.topic = Some(topic);
                sum.topic_confidence = score.confidence;
            }
        }
        let mut weighed: Vec<Weighed> = sums.into_iter().map(|(intent, sum)| sum.weigh(intent)).collect();
        weighed.sort_by(|a, b| b.confidence.cmp(&a.confidence).then_with(|| a.intent.cmp(&b.intent)));
        weighed
    }
}

#[async_trait]
impl Sensor for EmbeddedSensor {
    async fn sense(&self, text: &str, language: Language) -> Reading {
        self.read(text, language)
    }
}

fn label(intent: &str, topic: Option<&str>) -> String {
    match topic {
        Some(topic) => format!("{intent}/{topic}"),
        None => intent.to_owned(),
    }
}

/// An intent's labels, added up.
#[derive(Default)]
struct Sum<'s> {
    total: u32,
    topic: Option<&'s str>,
    topic_confidence: Milli,
}

impl Sum<'_> {
    fn weigh(self, intent: &str) -> Weighed {
        // Rounded parts may add up to a little more than the whole.
        let confidence = Milli::try_from(self.total).unwrap_or(WHOLE).min(WHOLE);
        let is_most = u32::from(self.topic_confidence) * 2 > self.total;
        let topic = self.topic.filter(|_| is_most).map(str::to_owned);
        Weighed { intent: intent.to_owned(), confidence, topic }
    }
}

/// An intent, how sure, and the topic that holds more than half of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Weighed {
    intent: String,
    confidence: Milli,
    topic: Option<String>,
}

/// How ambiguous two candidates are.
///
/// While the second is implausible (below [`PLAUSIBLE_MIN`]) it is only its own probability. Once both are plausible it
/// is `1000 - 2 * margin`: two equal candidates are wholly ambiguous, and each 1/1000 of lead takes two away, so the
/// default threshold of 500 is reached at a lead of a quarter.
fn ambiguity(best: &Weighed, second: &Weighed) -> (Milli, String) {
    if second.confidence < PLAUSIBLE_MIN {
        return (second.confidence, String::new());
    }
    let margin = best.confidence.saturating_sub(second.confidence);
    let ambiguity = WHOLE.saturating_sub(margin.saturating_mul(2)).max(second.confidence);
    (ambiguity, format!("`{}` and `{}` are both plausible", best.intent, second.intent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensor(labels: &[(&str, Option<&str>)]) -> EmbeddedSensor {
        let meanings = labels.iter().map(|(intent, topic)| {
            (label(intent, *topic), Meaning { intent: (*intent).to_owned(), topic: topic.map(str::to_owned) })
        });
        EmbeddedSensor {
            classifier: Classifier::train(&[]),
            meanings: meanings.collect(),
            languages: vec![Language::En, Language::Pt],
            switch_min: 750,
        }
    }

    fn scored(parts: &[(&str, Milli)]) -> Vec<Scored> {
        parts.iter().map(|(label, confidence)| Scored { label: (*label).to_owned(), confidence: *confidence }).collect()
    }

    #[test]
    fn topics_are_added_up_and_named_when_they_hold_most_of_it() {
        let sensor = sensor(&[("ASK", None), ("ASK", Some("limit")), ("ASK", Some("weekend")), ("BUY", None)]);
        let check = |parts: &[(&str, Milli)], expected: (&str, Milli, Option<&str>)| {
            let intents = sensor.intents(&scored(parts));
            let best = &intents[0];
            assert_eq!((best.intent.as_str(), best.confidence, best.topic.as_deref()), expected, "{parts:?}");
        };
        check(&[("ASK", 200), ("ASK/limit", 400), ("ASK/weekend", 100), ("BUY", 300)], ("ASK", 700, Some("limit")));
        check(&[("ASK", 301), ("ASK/limit", 300), ("BUY", 399)], ("ASK", 601, None));
        check(&[("ASK", 300), ("ASK/limit", 300), ("BUY", 400)], ("ASK", 600, None));
        check(&[("ASK", 299), ("ASK/limit", 300), ("BUY", 401)], ("ASK", 599, Some("limit")));
        check(&[("ASK", 600), ("ASK/limit", 401), ("BUY", 0)], ("ASK", 1000, None));
        check(&[("UNHEARD", 900), ("BUY", 100)], ("BUY", 100, None));
    }

    #[test]
    fn the_word_lists_are_those_of_the_language_being_switched_to() {
        let sensor = sensor(&[]);
        let check = |found, expected| assert_eq!(sensor.heard_in(found), expected);
        check(None, None);
        check(Some((Language::Pt, 749)), None);
        check(Some((Language::Pt, 750)), Some(Language::Pt));
        check(Some((Language::Sw, 1000)), None);
    }

    #[test]
    fn ambiguity_is_high_only_when_both_are_plausible_and_close() {
        let check = |best: Milli, second: Milli, expected: Milli| {
            let weighed = |intent: &str, confidence| Weighed { intent: intent.to_owned(), confidence, topic: None };
            let (found, reason) = ambiguity(&weighed("A", best), &weighed("B", second));
            assert_eq!(found, expected, "{best} against {second}");
            assert_eq!(reason.is_empty(), second < PLAUSIBLE_MIN);
        };
        check(500, 500, 1000);
        check(500, 450, 900);
        check(600, 350, 500);
        check(601, 350, 498);
        check(650, 350, 400);
        check(400, 349, 349);
        check(990, 10, 10);
    }
}
