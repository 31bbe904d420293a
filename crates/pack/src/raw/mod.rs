//! The file format, exactly as written by people: one module per file, one struct per mapping.
//!
//! Invariant: a struct here has no meaning of its own. It says which keys exist and what their values look like;
//! `lower` says what they mean. The JSON Schema is derived from the same structs, so editors and `check` agree.
//! Deliberately absent: defaults with a meaning. An absent key is `None` here.

pub mod intents;
pub mod journeys;
pub mod pack;
pub mod rules;
pub mod scalar;
pub mod tenant;
pub mod tools;

mod spanned;

pub use spanned::{Entries, Items, Spanned, Text};

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// `messages/<lang>.yaml`: name -> sentence.
pub type Messages = Entries<Text>;
/// Language code -> something in that language.
pub type PerLanguage<T> = Entries<T>;

/// Every file of a pack, read but not yet understood.
#[derive(Debug, Default)]
pub(crate) struct Pack {
    pub(crate) pack: pack::PackFile,
    pub(crate) tools: tools::ToolsFile,
    pub(crate) intents: intents::IntentsFile,
    pub(crate) journeys: journeys::JourneysFile,
    pub(crate) rules: rules::RulesFile,
    pub(crate) messages: BTreeMap<String, Messages>,
    pub(crate) tenant: Option<tenant::TenantFile>,
}

/// The JSON Schema of the format: one definition per kind of file.
#[must_use]
pub fn schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let files = json!({
        "pack.yaml": generator.subschema_for::<pack::PackFile>(),
        "tools.yaml": generator.subschema_for::<tools::ToolsFile>(),
        "intents.yaml": generator.subschema_for::<intents::IntentsFile>(),
        "journeys.yaml": generator.subschema_for::<journeys::JourneysFile>(),
        "rules.yaml": generator.subschema_for::<rules::RulesFile>(),
        "messages/<lang>.yaml": generator.subschema_for::<Messages>(),
        "tenants/<id>.yaml": generator.subschema_for::<tenant::TenantFile>(),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Countersign pack, format 1",
        "description": "Validate a file of a pack against `properties/<its path>`.",
        "type": "object",
        "properties": files,
        "$defs": generator.definitions(),
    })
}
