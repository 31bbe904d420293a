//! Gate 7 as a property: no bouncing, and more confidence never takes a way back.

use countersign_kernel::event::Reading;
use proptest::prelude::*;

use crate::bench_pack::policy;
use crate::script::{Script, reading, surely};

const INTENTS: &[&str] = &["CREATE", "CANCEL", "STATUS", "MESSAGE", "REMIND"];

/// A reading at or under the threshold for leaving.
fn unsure() -> impl Strategy<Value = Reading> {
    let runner_up = prop::option::of((prop::sample::select(INTENTS), 0u16..=850));
    (prop::sample::select(INTENTS), 0u16..=850, runner_up, 0u16..1000).prop_map(
        |(intent, confidence, runner_up, ambiguity)| Reading {
            runner_up: runner_up.map(|(name, confidence)| (name.to_owned(), confidence)),
            ambiguity,
            ..reading(Some(intent), confidence)
        },
    )
}

fn journey(script: &Script) -> Option<String> {
    script.state.frame.as_ref().map(|frame| frame.journey.clone())
}

/// Where one reading leads from inside a journey.
fn leads(current: &str, reading: &Reading) -> Option<String> {
    let mut script = Script::with(policy());
    script.hears("vamos", surely(current));
    script.hears("hm", reading.clone());
    journey(&script)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn unsure_readings_never_leave_a_journey(first in prop::sample::select(INTENTS), all in prop::collection::vec(unsure(), 1..12)) {
        let mut script = Script::new();
        script.hears("vamos", surely(first));
        let entered = journey(&script);
        for reading in all {
            script.hears("hm", reading);
            let now = journey(&script);
            prop_assert!(now == entered || script.state.is_handed_over, "from {entered:?} to {now:?}");
        }
    }

    #[test]
    fn the_same_reading_leads_the_same_way(current in prop::sample::select(INTENTS), reading in unsure(), sure in 851u16..1000) {
        let reading = Reading { confidence: sure, ..reading };
        prop_assert_eq!(leads(current, &reading), leads(current, &reading));
    }

    #[test]
    fn more_confidence_never_takes_a_way_back(current in prop::sample::select(INTENTS), to in prop::sample::select(INTENTS), low in 0u16..1000, more in 0u16..1000) {
        let high = low.saturating_add(more).min(1000);
        let left = |confidence| leads(current, &reading(Some(to), confidence)) != leads(current, &surely(current));
        prop_assert!(!left(low) || left(high), "left at {low} and stayed at {high}");
    }
}
