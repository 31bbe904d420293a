//! `pack.yaml`, with a tenant's numbers over it.

use std::collections::BTreeMap;

use countersign_kernel::decision::Gate;
use countersign_kernel::policy::{Limits, Thresholds, Words};
use countersign_kernel::reason::Reason;
use countersign_nlu::yes_no::Lexicon;
use countersign_nlu::{Currency, Language, Region};
use jiff::tz::TimeZone;

use super::Lowerer;
use crate::load::PACK;
use crate::raw::pack::{Limits as RawLimits, Thresholds as RawThresholds, Words as RawWords};
use crate::raw::{Entries, Items, Text};

/// Longest pack name: it becomes part of file names.
const NAME_MAX: usize = 40;

impl Lowerer<'_, '_> {
    pub(super) fn name(&mut self) -> String {
        let name = &self.raw.pack.pack;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_plain) {
            let help = format!("1 to {NAME_MAX} of a-z, 0-9, `_`, `-`");
            let message = format!("`{}` is not a name for a pack", name.value);
            self.notes.error("pack/bad_name", (PACK, name.span), message, help);
        }
        let format = &self.raw.pack.format;
        if format.value != 1 {
            let message = format!("unknown format {}", format.value);
            self.notes.error("pack/format_version", (PACK, format.span), message, "write `format: 1`".to_owned());
        }
        name.value.clone()
    }

    pub(super) fn read_languages(&mut self) -> Vec<Language> {
        let mut languages = Vec::new();
        for written in self.raw.pack.languages.iter() {
            match Language::parse(&written.value) {
                Some(language) if language.code() != written.value => self.unknown_language(PACK, written),
                Some(language) if languages.contains(&language) => {
                    let message = format!("the language `{}` is listed twice", written.value);
                    self.notes.error("pack/duplicate_name", (PACK, written.span), message, None);
                }
                Some(language) => languages.push(language),
                None => self.unknown_language(PACK, written),
            }
        }
        if languages.is_empty() && self.raw.pack.languages.is_empty() {
            let place = (PACK, self.raw.pack.pack.span);
            let help = "write `languages: [en]`".to_owned();
            self.notes.error("pack/no_language", place, "the pack names no language", help);
        }
        languages
    }

    fn unknown_language(&mut self, file: &str, written: &Text) {
        let codes = Language::ALL.iter().map(Language::code);
        self.unknown("pack/unknown_language", "language", file, written, codes);
    }

    pub(super) fn read_currency(&mut self) -> Currency {
        let written = &self.raw.pack.currency;
        Currency::parse(&written.value).unwrap_or_else(|| {
            let message = format!("`{}` is not a currency", written.value);
            let help = "three letters, as in ISO 4217: `BRL`".to_owned();
            self.notes.error("pack/unknown_currency", (PACK, written.span), message, help);
            Currency::USD
        })
    }

    pub(super) fn region(&mut self) -> Region {
        let written = &self.raw.pack.region;
        Region::parse(&written.value).unwrap_or_else(|| {
            let message = format!("`{}` is not a country", written.value);
            let help = "two letters, as in ISO 3166: `BR`".to_owned();
            self.notes.error("pack/unknown_region", (PACK, written.span), message, help);
            Region::US
        })
    }

    pub(super) fn zone(&mut self) -> TimeZone {
        let written = &self.raw.pack.time_zone;
        TimeZone::get(&written.value).unwrap_or_else(|_| {
            let message = format!("`{}` is not a time zone", written.value);
            let help = "an IANA name: `America/Sao_Paulo`".to_owned();
            self.notes.error("pack/unknown_time_zone", (PACK, written.span), message, help);
            TimeZone::UTC
        })
    }

    pub(super) fn thresholds(&mut self) -> Thresholds {
        let mut thresholds = Thresholds::default();
        lay_thresholds(&mut thresholds, &self.raw.pack.thresholds);
        let overlay = self.raw.tenant.as_ref().map(|tenant| &tenant.thresholds);
        if let Some(overlay) = overlay {
            lay_thresholds(&mut thresholds, overlay);
        }
        if thresholds.clarify > thresholds.route {
            let overlaid = overlay.and_then(|o| o.clarify.as_ref().or(o.route.as_ref()));
            let written = &self.raw.pack.thresholds;
            let place = match overlaid {
                Some(share) => (self.overlay.as_str(), share.span),
                None => {
                    let span = written.clarify.as_ref().or(written.route.as_ref()).map(|share| share.span);
                    (PACK, span.unwrap_or(self.raw.pack.pack.span))
                }
            };
            let message = "`clarify` is above `route`, so no clarifying question would ever be asked";
            let help = "`clarify` must be at most `route`".to_owned();
            self.notes.error("pack/thresholds_order", place, message, help);
        }
        thresholds
    }

    pub(super) fn limits(&mut self) -> Limits {
        let mut limits = Limits::default();
        lay_limits(&mut limits, &self.raw.pack.limits);
        let mut chattiness = self.raw.pack.governance.chattiness.as_ref().map(|value| (PACK, value));
        if let Some(tenant) = &self.raw.tenant {
            lay_limits(&mut limits, &tenant.limits);
            let overlaid = tenant.governance.chattiness.as_ref().map(|value| (self.overlay.as_str(), value));
            chattiness = overlaid.or(chattiness);
        }
        if let Some((file, value)) = chattiness {
            match value.value {
                0..=2 => limits.casual_turns = value.value,
                3 => limits.casual_turns = 4,
                _ => {
                    let help = "0 none, 1 a greeting, 2 two turns, 3 four turns".to_owned();
                    self.notes.error("pack/bad_value", (file, value.span), "chattiness is 0 to 3", help);
                }
            }
        }
        limits
    }

    pub(super) fn words(&mut self) -> BTreeMap<Language, Words> {
        let mut all = BTreeMap::new();
        let written = &self.raw.pack.words;
        self.complete(PACK, "word lists", self.raw.pack.pack.span, written);
        for (key, words) in written.iter() {
            if let Some(language) = self.language_key(PACK, key) {
                all.insert(language, lower_words(words));
            }
        }
        all
    }

    /// The language of a key; unknown ones and ones the pack does not speak are noted.
    pub(super) fn language_key(&mut self, file: &str, key: &Text) -> Option<Language> {
        let found = self.languages.iter().copied().find(|language| language.code() == key.value);
        // Without any language every key would be wrong, which is told once.
        if found.is_none() && !self.languages.is_empty() {
            let codes: Vec<&str> = self.languages.iter().map(Language::code).collect();
            self.unknown("pack/unknown_language", "language of this pack", file, key, codes.into_iter());
        }
        found
    }

    /// Notes each language for which there is no entry.
    pub(super) fn complete<T>(&mut self, file: &str, what: &str, at: countersign_nlu::Span, entries: &Entries<T>) {
        for language in self.languages.clone() {
            if !entries.contains(language.code()) {
                let message = format!("no {what} for the language `{language}`");
                let help = format!("every language of the pack needs its own: add `{language}:`");
                self.notes.error("pack/missing_translation", (file, at), message, help);
            }
        }
    }

    pub(super) fn log_names(&mut self) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        for (key, name) in self.raw.pack.log_names.iter() {
            let (gate, reason) = key.split_once('/').unwrap_or((key.value.as_str(), ""));
            if !Gate::ALL.iter().any(|known| known.name() == gate) {
                let gates = Gate::ALL.iter().map(|gate| gate.name());
                let help = crate::diagnostic::did_you_mean(gate, gates);
                let message = format!("unknown gate `{gate}`");
                self.notes.error("pack/unknown_gate", (PACK, key.span), message, help);
            } else if reason != "*" && Reason::parse(reason).is_none() {
                let codes = Reason::ALL.iter().map(|reason| reason.code());
                let help = crate::diagnostic::did_you_mean(reason, codes);
                let message = format!("unknown reason `{reason}`; write `gate/reason` or `gate/*`");
                self.notes.error("pack/unknown_reason", (PACK, key.span), message, help);
            }
            names.insert(key.value.clone(), name.value.clone());
        }
        names
    }
}

fn lower_words(words: &RawWords) -> Words {
    let list = |items: &Items<Text>| items.iter().map(|word| word.value.clone()).collect::<Vec<_>>();
    Words {
        confirm: Lexicon { yes: list(&words.yes), no: list(&words.no) },
        stop: list(&words.stop),
        start: list(&words.start),
        cancel: list(&words.cancel),
        repeat: list(&words.repeat),
    }
}

fn lay_thresholds(under: &mut Thresholds, over: &RawThresholds) {
    let lay = |under: &mut u16, over: &Option<crate::raw::Spanned<crate::raw::scalar::Share>>| {
        if let Some(share) = over {
            *under = share.value.0;
        }
    };
    lay(&mut under.route, &over.route);
    lay(&mut under.clarify, &over.clarify);
    lay(&mut under.ambiguity, &over.ambiguity);
    lay(&mut under.language, &over.language);
    lay(&mut under.sticky, &over.sticky);
    lay(&mut under.leave, &over.leave);
    lay(&mut under.global_penalty, &over.global_penalty);
    if let Some(max) = &over.clarifications_max {
        under.clarifications_max = max.value;
    }
}

fn lay_limits(under: &mut Limits, over: &RawLimits) {
    let lay = |under: &mut u32, over: &Option<crate::raw::Spanned<u32>>| {
        if let Some(number) = over {
            *under = number.value;
        }
    };
    lay(&mut under.message_chars, &over.message_chars);
    lay(&mut under.per_minute, &over.per_minute);
    lay(&mut under.per_day, &over.per_day);
    lay(&mut under.reply_chars, &over.reply_chars);
    if let Some(seconds) = &over.confirm {
        under.confirm_s = seconds.value.0;
    }
    if let Some(seconds) = &over.approve {
        under.approve_s = seconds.value.0;
    }
    if let Some(turns) = &over.spam_turns {
        under.spam_turns = turns.value;
    }
}
