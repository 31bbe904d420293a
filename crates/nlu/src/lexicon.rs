//! The words of each language, read once from `lexicons/<lang>.txt`.
//!
//! Invariant: every section of every file is a [`Cat`] and every line parses (held by `every_line_is_understood`).
//! A new language is one new file, its name in [`WRITTEN`] and its arm in [`Lexicon::of`].
//! Deliberately absent: grammar. How words combine is code shared by all languages; files only say what words mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::language::Language;
use crate::text;

/// What a phrase can mean; the sections of a lexicon file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cat {
    Abuse,
    AgoAfter,
    AgoBefore,
    Ahead,
    AheadAfter,
    Article,
    Cardinal,
    Casual,
    Change,
    Claim,
    ClaimBe,
    ClaimParticiple,
    Clock,
    Common,
    Condition,
    Currency,
    CurrencySymbol,
    Day,
    DayCue,
    DayPart,
    DurationCue,
    Filler,
    Frustration,
    Half,
    Hedge,
    HourMark,
    IdPrefix,
    Joiner,
    LastAfter,
    LastBefore,
    Legal,
    Measure,
    Medical,
    Meridiem,
    Minor,
    Minus,
    Month,
    NameLead,
    Negation,
    NextAfter,
    NextBefore,
    No,
    Of,
    Ordinal,
    OrdinalNoun,
    OrdinalSuffix,
    Particle,
    PastHour,
    Period,
    Person,
    PersonAlone,
    PersonLead,
    PersonWant,
    Polite,
    Quarter,
    Question,
    Scale,
    SelfHarm,
    Skip,
    Spam,
    Stop,
    Surname,
    ThisBefore,
    TimeCue,
    Title,
    ToHour,
    Unit,
    WeakCardinal,
    WeakWeekday,
    Weekday,
    WeekdayCue,
    WeekdayOrOrdinal,
    Yes,
}

/// Section names, in the order of the enum.
const SECTIONS: [(&str, Cat); 73] = [
    ("abuse", Cat::Abuse),
    ("ago_after", Cat::AgoAfter),
    ("ago_before", Cat::AgoBefore),
    ("ahead", Cat::Ahead),
    ("ahead_after", Cat::AheadAfter),
    ("article", Cat::Article),
    ("cardinal", Cat::Cardinal),
    ("casual", Cat::Casual),
    ("change", Cat::Change),
    ("claim", Cat::Claim),
    ("claim_be", Cat::ClaimBe),
    ("claim_participle", Cat::ClaimParticiple),
    ("clock", Cat::Clock),
    ("common", Cat::Common),
    ("condition", Cat::Condition),
    ("currency", Cat::Currency),
    ("currency_symbol", Cat::CurrencySymbol),
    ("day", Cat::Day),
    ("day_cue", Cat::DayCue),
    ("day_part", Cat::DayPart),
    ("duration_cue", Cat::DurationCue),
    ("filler", Cat::Filler),
    ("frustration", Cat::Frustration),
    ("half", Cat::Half),
    ("hedge", Cat::Hedge),
    ("hour_mark", Cat::HourMark),
    ("id_prefix", Cat::IdPrefix),
    ("joiner", Cat::Joiner),
    ("last_after", Cat::LastAfter),
    ("last_before", Cat::LastBefore),
    ("legal", Cat::Legal),
    ("measure", Cat::Measure),
    ("medical", Cat::Medical),
    ("meridiem", Cat::Meridiem),
    ("minor", Cat::Minor),
    ("minus", Cat::Minus),
    ("month", Cat::Month),
    ("name_lead", Cat::NameLead),
    ("negation", Cat::Negation),
    ("next_after", Cat::NextAfter),
    ("next_before", Cat::NextBefore),
    ("no", Cat::No),
    ("of", Cat::Of),
    ("ordinal", Cat::Ordinal),
    ("ordinal_noun", Cat::OrdinalNoun),
    ("ordinal_suffix", Cat::OrdinalSuffix),
    ("particle", Cat::Particle),
    ("past_hour", Cat::PastHour),
    ("period", Cat::Period),
    ("person", Cat::Person),
    ("person_alone", Cat::PersonAlone),
    ("person_lead", Cat::PersonLead),
    ("person_want", Cat::PersonWant),
    ("polite", Cat::Polite),
    ("quarter", Cat::Quarter),
    ("question", Cat::Question),
    ("scale", Cat::Scale),
    ("self_harm", Cat::SelfHarm),
    ("skip", Cat::Skip),
    ("spam", Cat::Spam),
    ("stop", Cat::Stop),
    ("surname", Cat::Surname),
    ("this_before", Cat::ThisBefore),
    ("time_cue", Cat::TimeCue),
    ("title", Cat::Title),
    ("to_hour", Cat::ToHour),
    ("unit", Cat::Unit),
    ("weak_cardinal", Cat::WeakCardinal),
    ("weak_weekday", Cat::WeakWeekday),
    ("weekday", Cat::Weekday),
    ("weekday_cue", Cat::WeekdayCue),
    ("weekday_or_ordinal", Cat::WeekdayOrOrdinal),
    ("yes", Cat::Yes),
];

/// One meaning of a phrase; the phrase's first token is the key it is stored under.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The tokens after the first.
    pub(crate) rest: Box<[Box<str>]>,
    /// What it means.
    pub(crate) cat: Cat,
    /// The value written before `=`, or nothing.
    pub(crate) value: Box<str>,
    /// The value as a number, or zero.
    pub(crate) number: i64,
}

/// All phrases of one language together with the common ones.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// By first token; longer phrases first.
    entries: BTreeMap<Box<str>, Vec<Entry>>,
    /// Phrases as written, for the lists other code starts from.
    phrases: BTreeMap<Cat, Vec<String>>,
    /// How often groups of three letters occur in all phrases: a picture of the language's spelling.
    groups: BTreeMap<[char; 3], u16>,
    /// The decimal separator; the other of `.` and `,` groups thousands.
    pub(crate) decimal: char,
}

/// Languages a file exists for: the ones [`crate::language::detect`] knows and intents are masked in.
pub(crate) const WRITTEN: [Language; 2] = [Language::En, Language::Pt];

static PT: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::load(include_str!("../lexicons/pt.txt")));
static EN: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::load(include_str!("../lexicons/en.txt")));
/// Languages without a file yet still read symbols, digits and emoji.
static BARE: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::load(""));

impl Lexicon {
    /// The words of a language.
    pub(crate) fn of(language: Language) -> &'static Lexicon {
        match language {
            Language::En => &EN,
            Language::Pt => &PT,
            Language::Sw | Language::Tr => &BARE,
        }
    }

    /// Every meaning of phrases that start with this token, longest phrase first.
    pub(crate) fn starting_with(&self, token: &str) -> &[Entry] {
        self.entries.get(token).map_or(&[], Vec::as_slice)
    }

    /// All phrases of a section, as written.
    pub(crate) fn phrases(&self, cat: Cat) -> &[String] {
        self.phrases.get(&cat).map_or(&[], Vec::as_slice)
    }

    /// The share of a word's letter groups that are usual in this language.
    pub(crate) fn letter_share(&self, word: &str) -> f32 {
        let (mut known, mut total) = (0.0, 0.0);
        letter_groups(word, |group| {
            total += 1.0;
            // Seen twice or more is usual; seen once may be a borrowed word.
            known += match self.groups.get(&group) {
                Some(2..) => 1.0,
                Some(_) => 0.4,
                None => 0.0,
            };
        });
        if total > 0.0 { known / total } else { 0.0 }
    }

    fn load(file: &str) -> Lexicon {
        let mut lexicon =
            Lexicon { entries: BTreeMap::new(), phrases: BTreeMap::new(), groups: BTreeMap::new(), decimal: '.' };
        for source in [include_str!("../lexicons/common.txt"), file] {
            let mut section = "";
            for line in source.lines() {
                match parse(line) {
                    Line::Nothing => {}
                    Line::Section(name) => section = name,
                    Line::Phrases { value, phrases } if section == "setting" => lexicon.set(value, phrases),
                    Line::Phrases { value, phrases } => {
                        if let Some(cat) = cat_named(section) {
                            phrases.split(',').for_each(|phrase| lexicon.add(cat, value, phrase.trim()));
                        }
                    }
                }
            }
        }
        for entries in lexicon.entries.values_mut() {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.rest.len()));
        }
        lexicon
    }

    fn set(&mut self, name: &str, value: &str) {
        if name == "decimal" {
            self.decimal = if value.trim() == "comma" { ',' } else { '.' };
        }
    }

    fn add(&mut self, cat: Cat, value: &str, phrase: &str) {
        let mut words = text::tokens(phrase).into_iter().map(|token| token.text.into_boxed_str());
        let Some(first) = words.next() else { return };
        letter_groups(phrase, |group| *self.groups.entry(group).or_default() += 1);
        let entry = Entry { rest: words.collect(), cat, value: value.into(), number: value.parse().unwrap_or(0) };
        self.entries.entry(first).or_default().push(entry);
        self.phrases.entry(cat).or_default().push(phrase.to_owned());
    }
}

/// Every group of three letters, words marked by spaces at both ends.
fn letter_groups(phrase: &str, mut each: impl FnMut([char; 3])) {
    for word in text::fold(phrase).split(' ') {
        let marked: Vec<char> = std::iter::once(' ').chain(word.chars()).chain(std::iter::once(' ')).collect();
        for group in marked.windows(3) {
            if let [a, b, c] = group {
                each([*a, *b, *c]);
            }
        }
    }
}

enum Line<'l> {
    Nothing,
    Section(&'l str),
    Phrases { value: &'l str, phrases: &'l str },
}

fn parse(line: &str) -> Line<'_> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Line::Nothing;
    }
    if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return Line::Section(name);
    }
    match line.split_once(" = ") {
        Some((value, phrases)) => Line::Phrases { value: value.trim(), phrases },
        None => Line::Phrases { value: "", phrases: line },
    }
}

fn cat_named(name: &str) -> Option<Cat> {
    SECTIONS
        .binary_search_by(|(section, _)| (*section).cmp(name))
        .ok()
        .and_then(|at| SECTIONS.get(at))
        .map(|(_, cat)| *cat)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 3] = [
        ("common", include_str!("../lexicons/common.txt")),
        ("pt", include_str!("../lexicons/pt.txt")),
        ("en", include_str!("../lexicons/en.txt")),
    ];

    #[test]
    fn sections_are_sorted() {
        assert!(SECTIONS.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
    }

    #[test]
    fn every_line_is_understood() {
        for (file, source) in FILES {
            let mut section = "";
            for line in source.lines() {
                match parse(line) {
                    Line::Nothing => {}
                    Line::Section(name) => {
                        assert!(name == "setting" || cat_named(name).is_some(), "{file}: unknown section `{name}`");
                        section = name;
                    }
                    Line::Phrases { phrases, .. } => {
                        assert!(!section.is_empty(), "{file}: `{line}` before any section");
                        for phrase in phrases.split(',').map(str::trim) {
                            assert!(!text::tokens(phrase).is_empty(), "{file}: empty phrase in `{line}`");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn numbered_sections_hold_numbers() {
        for language in [Language::Pt, Language::En] {
            let lexicon = Lexicon::of(language);
            for entries in lexicon.entries.values() {
                for entry in entries {
                    let numbered = [
                        Cat::Cardinal,
                        Cat::WeakCardinal,
                        Cat::Scale,
                        Cat::Ordinal,
                        Cat::Weekday,
                        Cat::Month,
                        Cat::Day,
                    ];
                    if numbered.contains(&entry.cat) {
                        assert!(entry.value.parse::<i64>().is_ok(), "{language}: {entry:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_yes_is_never_also_a_no() {
        for language in [Language::Pt, Language::En] {
            let lexicon = Lexicon::of(language);
            let no: Vec<String> = lexicon.phrases(Cat::No).iter().map(|phrase| text::fold(phrase)).collect();
            for yes in lexicon.phrases(Cat::Yes) {
                assert!(!no.contains(&text::fold(yes)), "{language}: {yes}");
            }
        }
    }
}
