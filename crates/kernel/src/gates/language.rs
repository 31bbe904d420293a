//! Gate 4, language: sure enough and allowed, switch; otherwise keep what the conversation speaks.

use countersign_nlu::language::Language;

use crate::decision::{Decision, Gate, Verdict};
use crate::event::Reading;
use crate::gates::confirm::Sensed;
use crate::hear::{Halt, Hearing};
use crate::reason::Reason;

/// The language this message is answered in.
#[derive(Debug)]
pub(crate) struct Spoken<'w> {
    pub(crate) language: Language,
    pub(crate) reading: &'w Reading,
}

#[expect(clippy::unnecessary_wraps, reason = "every gate of the walk has the same shape")]
pub(crate) fn check<'w>(walk: &Hearing<'_>, sensed: &Sensed<'w>, log: &mut Vec<Decision>) -> Result<Spoken<'w>, Halt> {
    let current = walk.state.language;
    let sure = sensed.reading.language.filter(|(language, confidence)| {
        *confidence >= walk.policy.thresholds.language && walk.policy.languages.contains(language)
    });
    let (language, reason) = match sure {
        Some((language, _)) if language != current => (language, Reason::LanguageSwitched),
        Some(_) => (current, Reason::Ok),
        None => (current, Reason::LanguageKept),
    };
    log.push(Decision::new(Gate::Language, Verdict::Pass, reason).about(language.code()));
    Ok(Spoken { language, reading: sensed.reading })
}
