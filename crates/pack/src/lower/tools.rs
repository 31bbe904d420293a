//! Tools: what each may do, on which facts, after which question.

mod facts;
mod guards;
mod overlay;

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::{Scope, Type};
use countersign_kernel::policy::{EffectClass, Fact, Read, ResultSpec, Slot, Tool};

use self::facts::argument_type;
use super::Lowerer;
use super::arguments::Around;
use crate::load::{self, TOOLS};
use crate::raw::tools::{Effect, ReadBack, ResultSpec as RawResult, Tool as RawTool};
use crate::raw::{Items, Text};
use crate::source::hash_text;

impl Lowerer<'_, '_> {
    pub(super) fn tools(
        &mut self,
        slots: &BTreeMap<String, Slot>,
        reads: &BTreeMap<String, Read>,
    ) -> BTreeMap<String, Tool> {
        let mut tools = BTreeMap::new();
        for (name, written) in self.raw.tools.tools.iter() {
            let tool = self.tool(name, written, slots, reads);
            tools.insert(name.value.clone(), tool);
        }
        self.overlay_spend(&mut tools);
        self.switch_off(&mut tools);
        tools
    }

    fn tool(
        &mut self,
        name: &Text,
        written: &RawTool,
        slots: &BTreeMap<String, Slot>,
        reads: &BTreeMap<String, Read>,
    ) -> Tool {
        let effect = lower_effect(written.effect.value);
        let facts = self.facts(written, reads);
        let scope = self.tool_scope(written, reads);
        let computed = self.computed_scope(written);
        let around = Around { tool: written, slots, reads, scope: &computed };
        let mut arguments = BTreeMap::new();
        for (argument, raw) in written.arguments.iter() {
            if let Some(lowered) = self.argument(argument, raw, &around) {
                arguments.insert(argument.value.clone(), lowered);
            }
        }
        self.names_in_tool(written);
        for name in written.sameness.iter().flat_map(|names| names.iter()).chain(&written.amount) {
            self.known("pack/unknown_argument", "argument", TOOLS, name, written.arguments.names());
        }
        let names = |items: &Items<Text>| items.iter().map(|text| text.value.clone()).collect::<Vec<_>>();
        let all_arguments = || arguments.keys().cloned().collect();
        Tool {
            name: name.value.clone(),
            effect,
            serves: self.serves(written),
            facts,
            preconditions: self.conditions(&written.preconditions, &scope, written),
            confirm: self.confirm(name, written),
            approval: self.approval(name, written, &scope),
            amount: written.amount.as_ref().map(|amount| amount.value.clone()),
            spend: written.spend.iter().filter_map(|spend| self.spend(TOOLS, spend)).collect(),
            sameness: written.sameness.as_ref().map_or_else(all_arguments, names),
            repeat_s: written.repeat_window.as_ref().map_or(0, |window| window.value.0),
            recovery: self.recovery(name, written),
            breaker: guards::breaker(written, effect),
            result: self.result(&written.result, &scope, written, reads),
            connector: self.connector(name, written, reads),
            hash: self.tool_hash(&name.value, written),
            arguments,
        }
    }

    fn serves(&mut self, written: &RawTool) -> Vec<String> {
        let known: Vec<&str> = self.raw.intents.intents.names().collect();
        for intent in written.serves.iter() {
            self.known("pack/unknown_intent", "intent", TOOLS, intent, known.iter().copied());
        }
        written.serves.iter().map(|intent| intent.value.clone()).collect()
    }

    fn result(
        &mut self,
        written: &RawResult,
        scope: &Scope,
        tool: &RawTool,
        reads: &BTreeMap<String, Read>,
    ) -> ResultSpec {
        let fields = self.field_types(&written.fields);
        let mut scope = scope.clone();
        let record = Type::Record(fields.clone());
        scope.insert("result", if written.list { Type::List(Box::new(record)) } else { record });
        let mut read_back = None;
        if let Some(back) = &written.read_back {
            let known = reads.keys().map(String::as_str);
            if self.known("pack/unknown_read", "read", TOOLS, &back.read, known) {
                read_back = Some(self.read_back(back, &fields, tool, reads));
                if let Some(read) = reads.get(&back.read.value) {
                    let ty = Type::Optional(Box::new(Type::Record(read.fields.clone())));
                    scope.insert(back.name.value.clone(), ty);
                }
            }
        }
        let ensure = self.conditions(&written.ensure, &scope, tool);
        ResultSpec { fields, is_list: written.list, read_back, ensure }
    }

    fn read_back(
        &mut self,
        back: &ReadBack,
        fields: &BTreeMap<String, Type>,
        tool: &RawTool,
        reads: &BTreeMap<String, Read>,
    ) -> Fact {
        let currency = self.currency;
        let type_of = |from: &str| match from.strip_prefix("result.") {
            Some(field) => fields.get(field).cloned(),
            None => argument_type(tool, from, currency),
        };
        let with = self.bind(&back.read, &back.with, reads, &type_of);
        let results: Vec<String> = fields.keys().map(|field| format!("result.{field}")).collect();
        for (_, from) in back.with.iter() {
            let known = tool.arguments.names().chain(results.iter().map(String::as_str));
            self.known("pack/unknown_argument", "argument or result field", TOOLS, from, known);
        }
        Fact { name: back.name.value.clone(), read: back.read.value.clone(), with }
    }

    /// A hash over what the tool does and asks, not over layout and comments.
    fn tool_hash(&self, name: &str, written: &RawTool) -> String {
        let tree = self.loaded.trees.get(TOOLS);
        let part = |section: &str, name: &str| {
            let node = tree.and_then(|tree| tree.get(section)).and_then(|section| section.get(name));
            node.map(crate::yaml::Node::canonical).unwrap_or_default()
        };
        let mut parts = vec![name.to_owned(), self.currency.code().to_owned(), part("tools", name)];
        let read_back = written.result.read_back.as_ref().map(|back| &back.read);
        let reads: BTreeSet<&str> =
            written.facts.iter().map(|(_, fact)| &fact.read).chain(read_back).map(|read| read.value.as_str()).collect();
        parts.extend(reads.into_iter().map(|read| part("reads", read)));
        if let Some(message) = written.confirm.as_ref().and_then(|confirm| confirm.message.as_ref()) {
            parts.extend(load::texts_of(self.raw, &message.value));
        }
        hash_text(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

fn lower_effect(effect: Effect) -> EffectClass {
    match effect {
        Effect::Read => EffectClass::Read,
        Effect::Write => EffectClass::Write,
        Effect::Money => EffectClass::Money,
        Effect::Message => EffectClass::Message,
    }
}
