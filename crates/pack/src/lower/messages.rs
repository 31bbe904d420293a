//! `messages/<lang>.yaml`, with a tenant's sentences over it.

use std::collections::BTreeMap;

use countersign_kernel::template::Template;
use countersign_nlu::Language;

use super::Lowerer;
use crate::raw::Text;

/// A sentence as written, and in which file.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) file: String,
    pub(crate) text: Text,
}

type PerLanguage<T> = BTreeMap<Language, BTreeMap<String, T>>;

impl Lowerer<'_, '_> {
    /// Every sentence as written, and parsed.
    pub(super) fn messages(&mut self) -> (PerLanguage<Written>, PerLanguage<Template>) {
        let mut texts: PerLanguage<Written> = BTreeMap::new();
        for language in self.languages.clone() {
            let file = format!("messages/{language}.yaml");
            if let Some(all) = self.raw.messages.get(language.code()) {
                let written = |text: &Text| Written { file: file.clone(), text: text.clone() };
                texts.insert(language, all.iter().map(|(name, text)| (name.value.clone(), written(text))).collect());
            } else {
                let message = format!("the file `{file}` is missing");
                self.notes.file("pack/missing_file", &file, message, "every language of the pack needs its sentences");
            }
        }
        self.strangers();
        self.overlay_messages(&mut texts);
        let mut templates: PerLanguage<Template> = BTreeMap::new();
        for (language, all) in &texts {
            for (name, written) in all {
                if let Some(template) = self.template(written) {
                    templates.entry(*language).or_default().insert(name.clone(), template);
                }
            }
        }
        (texts, templates)
    }

    fn template(&mut self, written: &Written) -> Option<Template> {
        match Template::parse(&written.text.value) {
            Ok(template) => Some(template),
            Err(fault) => {
                let span = self.notes.inside(&written.file, &written.text, fault.span);
                let help = "holes are written `{amount}`, `{result.id}`, `{each rows}..{end}`".to_owned();
                self.notes.error("pack/template", (&written.file, span), fault.message, help);
                None
            }
        }
    }

    /// Files for languages the pack does not speak.
    fn strangers(&mut self) {
        for code in self.raw.messages.keys() {
            if !self.languages.is_empty() && !self.languages.iter().any(|language| language.code() == code) {
                let file = format!("messages/{code}.yaml");
                let message = format!("the pack does not speak `{code}`");
                let help = "add it to `languages` in pack.yaml, or remove the file";
                self.notes.file("pack/unknown_language", &file, message, help);
            }
        }
    }

    fn overlay_messages(&mut self, texts: &mut PerLanguage<Written>) {
        let Some(tenant) = &self.raw.tenant else { return };
        let file = self.overlay.clone();
        for (key, all) in tenant.messages.iter() {
            let Some(language) = self.language_key(&file, key) else { continue };
            let known = texts.entry(language).or_default();
            for (name, text) in all.iter() {
                if let Some(written) = known.get_mut(&name.value) {
                    *written = Written { file: file.clone(), text: text.clone() };
                } else {
                    let names: Vec<&str> = known.keys().map(String::as_str).collect();
                    self.unknown("pack/unknown_message", "sentence", &file, name, names.into_iter());
                }
            }
        }
    }
}
