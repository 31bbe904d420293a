//! Slots and their value rules, with a tenant's rules instead where there are any.

use std::collections::BTreeMap;

use countersign_kernel::expr::{Scope, Type};
use countersign_kernel::policy::{Slot, ValueRule};

use super::{Lowerer, expr_type};
use crate::load::INTENTS;
use crate::raw::intents::{Slot as RawSlot, ValueRule as RawRule};
use crate::raw::{Items, Text};

/// The day, which every expression outside a branch may read.
///
/// INVARIANT: a scope has exactly the names the kernel binds there; a name it did not bind would never be decided,
/// and the pack would stop everybody with no diagnostic.
pub(super) fn day() -> Scope {
    Scope::new().with("today", Type::Date)
}

impl Lowerer<'_, '_> {
    pub(super) fn slots(&mut self) -> BTreeMap<String, Slot> {
        let mut slots = BTreeMap::new();
        for (name, written) in self.raw.intents.slots.iter() {
            if let Some(slot) = self.slot(name, written) {
                slots.insert(name.value.clone(), slot);
            }
        }
        let Some(tenant) = &self.raw.tenant else { return slots };
        let file = self.overlay.clone();
        for (name, overlay) in tenant.slots.iter() {
            let known: Vec<&str> = self.raw.intents.slots.names().collect();
            if !self.known("pack/unknown_slot", "slot", &file, name, known.into_iter()) {
                continue;
            }
            let Some(kind) = slots.get(&name.value).map(|slot| slot.kind) else { continue };
            let ty = expr_type(kind, self.currency);
            let rules = self.value_rules(&file, &name.value, &ty, &overlay.rules);
            if let Some(slot) = slots.get_mut(&name.value) {
                slot.rules = rules;
            }
        }
        slots
    }

    fn slot(&mut self, name: &Text, written: &RawSlot) -> Option<Slot> {
        self.complete(INTENTS, &format!("label of `{}`", name.value), name.span, &written.label);
        self.complete(INTENTS, &format!("cues of `{}`", name.value), name.span, &written.cues);
        let kind = self.kind(INTENTS, &written.kind)?;
        let ty = expr_type(kind, self.currency);
        let mut label = BTreeMap::new();
        for (key, text) in written.label.iter() {
            if let Some(language) = self.language_key(INTENTS, key) {
                label.insert(language, text.value.clone());
            }
        }
        let mut cues = BTreeMap::new();
        for (key, words) in written.cues.iter() {
            if let Some(language) = self.language_key(INTENTS, key) {
                cues.insert(language, words.iter().map(|word| word.value.clone()).collect());
            }
        }
        let rules = self.value_rules(INTENTS, &name.value, &ty, &written.rules);
        let offer = written.offer.as_ref().and_then(|offer| self.expr(INTENTS, offer, &day(), &ty));
        let id_prefix = written.id_prefix.as_ref().map(|prefix| prefix.value.clone());
        Some(Slot { name: name.value.clone(), kind, id_prefix, label, cues, rules, offer })
    }

    fn value_rules(&mut self, file: &str, slot: &str, ty: &Type, rules: &Items<RawRule>) -> Vec<ValueRule> {
        let scope = day().with(slot, ty.clone());
        let mut lowered = Vec::new();
        for rule in rules.iter() {
            let check = self.expr(file, &rule.check, &scope, &Type::Bool);
            let reason = self.reason(file, &rule.reason);
            if let (Some(check), Some(reason)) = (check, reason) {
                lowered.push(ValueRule { check, reason, message: rule.message.value.clone() });
            }
        }
        lowered
    }
}
