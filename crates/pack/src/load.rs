//! Texts -> raw structs: which file is what, and which one is missing.
//!
//! Invariant: a file that looks like part of the format but is not is refused; a misspelt `mesages/` would otherwise
//! be a pack without sentences.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use crate::diagnostic::did_you_mean;
use crate::notes::Notes;
use crate::raw::{Messages, Pack, tenant};
use crate::source::{FILE_MAX, FILES_MAX, Source};
use crate::yaml::{self, Node};
use crate::{raw, read};

pub(crate) const PACK: &str = "pack.yaml";
pub(crate) const TOOLS: &str = "tools.yaml";
pub(crate) const INTENTS: &str = "intents.yaml";
pub(crate) const JOURNEYS: &str = "journeys.yaml";
pub(crate) const RULES: &str = "rules.yaml";

/// Files every pack has, with what they are for.
const REQUIRED: [(&str, &str); 4] = [
    (PACK, "it says who the agent is"),
    (TOOLS, "it lists what the agent can do"),
    (INTENTS, "it lists what people ask for"),
    (JOURNEYS, "it says how a request is carried out"),
];

/// A pack that was read.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) raw: Pack,
    /// The trees, for hashes over content rather than layout.
    pub(crate) trees: BTreeMap<String, Node>,
    /// False if something could not be read at all, so that lowering would only report its absence.
    pub(crate) is_whole: bool,
}

/// Reads every file of the format.
pub(crate) fn load(source: &Source, tenant: Option<&str>, notes: &mut Notes<'_>) -> Loaded {
    let mut loaded = Loaded { is_whole: true, ..Loaded::default() };
    files(source, notes);
    for (file, why) in REQUIRED {
        if source.get(file).is_none() {
            notes.file("pack/missing_file", file, format!("the file `{file}` is missing"), why);
            loaded.is_whole = false;
        }
    }
    loaded.raw.pack = one(source, PACK, &mut loaded, notes).unwrap_or_default();
    loaded.raw.tools = one(source, TOOLS, &mut loaded, notes).unwrap_or_default();
    loaded.raw.intents = one(source, INTENTS, &mut loaded, notes).unwrap_or_default();
    loaded.raw.journeys = one(source, JOURNEYS, &mut loaded, notes).unwrap_or_default();
    loaded.raw.rules = one(source, RULES, &mut loaded, notes).unwrap_or_default();
    for path in source.files.keys() {
        if let Some(language) = path.strip_prefix("messages/").and_then(|name| name.strip_suffix(".yaml")) {
            let messages = one::<Messages>(source, path, &mut loaded, notes).unwrap_or_default();
            loaded.raw.messages.insert(language.to_owned(), messages);
        }
    }
    if let Some(tenant) = tenant {
        loaded.raw.tenant = overlay(source, tenant, &mut loaded, notes);
    }
    loaded
}

fn overlay(source: &Source, tenant: &str, loaded: &mut Loaded, notes: &mut Notes<'_>) -> Option<tenant::TenantFile> {
    let path = format!("tenants/{tenant}.yaml");
    if source.get(&path).is_none() {
        let known = source.files.keys().filter_map(|path| path.strip_prefix("tenants/")?.strip_suffix(".yaml"));
        let help = did_you_mean(tenant, known).unwrap_or_else(|| "an empty file is enough".to_owned());
        notes.file("pack/missing_file", &path, format!("there is no tenant `{tenant}`"), &help);
        loaded.is_whole = false;
        return None;
    }
    one(source, &path, loaded, notes)
}

/// Refuses files that are too large or that nothing would read.
fn files(source: &Source, notes: &mut Notes<'_>) {
    if source.files.len() > FILES_MAX {
        let message = format!("the pack has {} files", source.files.len());
        notes.file("pack/too_large", PACK, message, &format!("a pack has at most {FILES_MAX} files"));
    }
    for path in source.files.keys().filter(|path| path.ends_with(".yaml") || path.ends_with(".yml")) {
        let is_known = match path.split_once('/') {
            None => [PACK, TOOLS, INTENTS, JOURNEYS, RULES].contains(&path.as_str()),
            Some(("messages" | "tenants", name)) => name.ends_with(".yaml") && !name.contains('/'),
            Some(("data" | "specs", _)) => true,
            Some((_, _)) => false,
        };
        if !is_known {
            let known = [PACK, TOOLS, INTENTS, JOURNEYS, RULES, "messages/en.yaml", "messages/pt.yaml"];
            let help = did_you_mean(path, known)
                .unwrap_or_else(|| "see the list of files in docs/reference/packs.md".to_owned());
            notes.file("pack/unknown_file", path, format!("nothing reads the file `{path}`"), &help);
        }
    }
}

fn one<T: DeserializeOwned>(source: &Source, path: &str, loaded: &mut Loaded, notes: &mut Notes<'_>) -> Option<T> {
    let text = source.get(path)?;
    if text.len() > FILE_MAX {
        notes.file("pack/too_large", path, "the file is too large", "a file has at most 1 MiB");
        loaded.is_whole = false;
        return None;
    }
    let (node, faults) = match yaml::parse(text) {
        Ok(parsed) => parsed,
        Err(fault) => {
            loaded.is_whole = false;
            notes.error(fault.code, (path, fault.span), fault.message, fault.help.map(str::to_owned));
            return None;
        }
    };
    for fault in faults {
        notes.error(fault.code, (path, fault.span), fault.message, fault.help.map(str::to_owned));
    }
    let (value, mistakes) = read::read(&node);
    for mistake in mistakes {
        loaded.is_whole &= mistake.code == "pack/unknown_key";
        notes.error(mistake.code, (path, mistake.span), mistake.message, mistake.help);
    }
    loaded.trees.insert(path.to_owned(), node);
    value
}

/// The ids of the tenants that have an overlay, in order.
#[must_use]
pub fn tenants(source: &Source) -> Vec<String> {
    let id = |path: &String| path.strip_prefix("tenants/")?.strip_suffix(".yaml").map(str::to_owned);
    source.files.keys().filter_map(id).collect()
}

/// The texts of one name in every language, for hashes.
pub(crate) fn texts_of(raw: &raw::Pack, name: &str) -> Vec<String> {
    raw.messages.values().filter_map(|all| all.get(name)).map(|text| text.value.clone()).collect()
}
