//! Intents, their journeys, and what people write.

use std::collections::BTreeMap;

use countersign_kernel::policy::Example;
use countersign_nlu::Span;

use super::Lowerer;
use crate::load::{INTENTS, JOURNEYS};
use crate::raw::{Items, PerLanguage, Text};

impl Lowerer<'_, '_> {
    /// Intent -> the journey it enters.
    pub(super) fn intents(&mut self) -> BTreeMap<String, String> {
        let mut entered: BTreeMap<String, String> = BTreeMap::new();
        for (name, journey) in self.raw.journeys.journeys.iter() {
            for intent in journey.intents.iter() {
                let known: Vec<&str> = self.raw.intents.intents.names().collect();
                if !self.known("pack/unknown_intent", "intent", JOURNEYS, intent, known.into_iter()) {
                    continue;
                }
                if let Some(other) = entered.get(&intent.value) {
                    let message = format!("`{}` already enters the journey `{other}`", intent.value);
                    let help = "an intent enters exactly one journey; use a `branch` inside it".to_owned();
                    self.notes.error("pack/intent_twice", (JOURNEYS, intent.span), message, help);
                } else {
                    entered.insert(intent.value.clone(), name.value.clone());
                }
            }
        }
        entered
    }

    /// Training text of the embedded sensor.
    pub(super) fn examples(&mut self) -> Vec<Example> {
        let mut examples = Vec::new();
        for (name, intent) in self.raw.intents.intents.iter() {
            self.example_list(name, (&name.value, None), name.span, &intent.examples, &mut examples);
            for slot in intent.requires.iter() {
                let known: Vec<&str> = self.raw.intents.slots.names().collect();
                self.known("pack/unknown_slot", "slot", INTENTS, slot, known.into_iter());
            }
        }
        for (name, topic) in self.raw.intents.faq.iter() {
            let known: Vec<&str> = self.raw.intents.intents.names().collect();
            self.known("pack/unknown_intent", "intent", INTENTS, &topic.intent, known.into_iter());
            let of = (topic.intent.value.as_str(), Some(name.value.as_str()));
            self.example_list(name, of, name.span, &topic.examples, &mut examples);
        }
        examples
    }

    fn example_list(
        &mut self,
        name: &Text,
        (intent, topic): (&str, Option<&str>),
        at: Span,
        written: &PerLanguage<Items<Text>>,
        examples: &mut Vec<Example>,
    ) {
        self.complete(INTENTS, &format!("examples of `{}`", name.value), at, written);
        for (key, texts) in written.iter() {
            let Some(language) = self.language_key(INTENTS, key) else { continue };
            if texts.is_empty() {
                let message = format!("no examples of `{}` for the language `{language}`", name.value);
                let help = "without examples nothing a person writes can mean this".to_owned();
                self.notes.error("pack/missing_translation", (INTENTS, key.span), message, help);
            }
            examples.extend(texts.iter().map(|text| Example {
                intent: intent.to_owned(),
                topic: topic.map(str::to_owned),
                text: text.value.clone(),
                language,
            }));
        }
    }
}
