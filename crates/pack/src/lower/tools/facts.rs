//! Facts of a tool: names, parameters, and the conditions that read them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::{self, Scope, Type};
use countersign_kernel::policy::{Fact, Precondition, Read};

use crate::load::TOOLS;
use crate::lower::slots::day;
use crate::lower::types::kind_of;
use crate::lower::{Lowerer, expr_type};
use crate::raw::tools::{Condition, Tool as RawTool};
use crate::raw::{Entries, Items, Text};

impl Lowerer<'_, '_> {
    /// Arguments, facts, read-back and the clock share one set of names in expressions and sentences.
    pub(super) fn names_in_tool(&mut self, written: &RawTool) {
        let reserved = ["today", "now", "result", "slot", "first", "second", "choices", "existing", "offer", "number"];
        let mut seen: BTreeSet<&str> = reserved.into_iter().collect();
        let read_back = written.result.read_back.as_ref().map(|read_back| &read_back.name);
        let arguments = written.arguments.iter().map(|(name, _)| name);
        for name in arguments.chain(written.facts.iter().map(|(name, _)| name)).chain(read_back) {
            if !seen.insert(name.value.as_str()) {
                let message = format!("the name `{}` is taken", name.value);
                let help =
                    format!("arguments, facts and the read-back share their names; reserved: {}", reserved.join(", "));
                self.notes.error("pack/duplicate_name", (TOOLS, name.span), message, help);
            }
        }
    }

    pub(super) fn facts(&mut self, written: &RawTool, reads: &BTreeMap<String, Read>) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (name, fact) in written.facts.iter() {
            if !self.known("pack/unknown_read", "read", TOOLS, &fact.read, reads.keys().map(String::as_str)) {
                continue;
            }
            let currency = self.currency;
            let with = self.bind(&fact.read, &fact.with, reads, &|from| argument_type(written, from, currency));
            let known: Vec<&str> = written.arguments.names().collect();
            for (_, from) in fact.with.iter() {
                self.known("pack/unknown_argument", "argument", TOOLS, from, known.iter().copied());
            }
            facts.push(Fact { name: name.value.clone(), read: fact.read.value.clone(), with });
        }
        facts
    }

    /// Binds the parameters of a read: every one, none twice, each with a value of its type.
    pub(super) fn bind(
        &mut self,
        read: &Text,
        with: &Entries<Text>,
        reads: &BTreeMap<String, Read>,
        type_of: &dyn Fn(&str) -> Option<Type>,
    ) -> BTreeMap<String, String> {
        let Some(params) = reads.get(&read.value).map(|read| &read.params) else { return BTreeMap::new() };
        for missing in params.keys().filter(|param| !with.contains(param)) {
            let message = format!("the read `{}` needs the parameter `{missing}`", read.value);
            let help = format!("write `with: {{{missing}: <argument>}}`");
            self.notes.error("pack/missing_param", (TOOLS, read.span), message, help);
        }
        for (param, from) in with.iter() {
            if !self.known("pack/unknown_param", "parameter", TOOLS, param, params.keys().map(String::as_str)) {
                continue;
            }
            let (wanted, given) = (params.get(&param.value), type_of(&from.value));
            if let (Some(wanted), Some(given)) = (wanted, given)
                && !fits(wanted.plain(), given.plain())
            {
                let message = format!("the parameter `{}` is {wanted}, `{}` is {given}", param.value, from.value);
                self.notes.error("pack/type_mismatch", (TOOLS, from.span), message, None);
            }
        }
        with.iter().map(|(param, from)| (param.value.clone(), from.value.clone())).collect()
    }

    /// What a computed argument may read: the other arguments.
    pub(super) fn computed_scope(&self, written: &RawTool) -> Scope {
        let mut scope = day();
        for (name, argument) in written.arguments.iter().filter(|(_, argument)| argument.computed.is_none()) {
            if let Some(ty) = argument_type(written, &name.value, self.currency) {
                let ty = if argument.optional { Type::Optional(Box::new(ty)) } else { ty };
                scope.insert(name.value.clone(), ty);
            }
        }
        scope
    }

    /// What preconditions may read. A fact without a row is absent, so it is optional.
    pub(super) fn tool_scope(&mut self, written: &RawTool, reads: &BTreeMap<String, Read>) -> Scope {
        let mut scope = day().with("now", Type::Instant);
        for (name, fact) in written.facts.iter() {
            if let Some(read) = reads.get(&fact.read.value) {
                scope.insert(name.value.clone(), Type::Optional(Box::new(Type::Record(read.fields.clone()))));
            }
        }
        for (name, argument) in written.arguments.iter() {
            if let Some(ty) = argument_type(written, &name.value, self.currency) {
                let ty = if argument.optional { Type::Optional(Box::new(ty)) } else { ty };
                scope.insert(name.value.clone(), ty);
            }
        }
        scope
    }

    pub(super) fn conditions(
        &mut self,
        written: &Items<Condition>,
        scope: &Scope,
        tool: &RawTool,
    ) -> Vec<Precondition> {
        let mut lowered = Vec::new();
        for condition in written.iter() {
            let check = match (&condition.exists, &condition.check) {
                (Some(fact), None) => self.exists(fact, scope, tool),
                (None, Some(check)) if self.reads_nowhere(check, tool) => None,
                (None, Some(check)) => self.expr(TOOLS, check, scope, &Type::Bool),
                (Some(_), Some(_)) | (None, None) => {
                    let place = (TOOLS, condition.otherwise.span);
                    let message = "a condition needs exactly one of `exists`, `check`";
                    self.notes.error("pack/condition", place, message, None);
                    None
                }
            };
            let reason = self.reason(TOOLS, &condition.otherwise);
            if let (Some(check), Some(reason)) = (check, reason) {
                lowered.push(Precondition { check, reason });
            }
        }
        lowered
    }

    /// True if the expression is about a fact whose read does not exist, which is told at the fact.
    fn reads_nowhere(&self, check: &Text, tool: &RawTool) -> bool {
        let reads = &self.raw.tools.reads;
        tool.facts.iter().any(|(name, fact)| !reads.contains(&fact.read.value) && check.contains(name.value.as_str()))
    }

    fn exists(&mut self, fact: &Text, scope: &Scope, tool: &RawTool) -> Option<expr::Checked> {
        let read_back = tool.result.read_back.as_ref().map(|read_back| read_back.name.value.as_str());
        if !self.known("pack/unknown_fact", "fact", TOOLS, fact, tool.facts.names().chain(read_back)) {
            return None;
        }
        if self.reads_nowhere(fact, tool) {
            return None;
        }
        let check = Text { value: format!("has({})", fact.value), span: fact.span };
        self.expr(TOOLS, &check, scope, &Type::Bool)
    }
}

pub(super) fn argument_type(tool: &RawTool, name: &str, currency: countersign_nlu::Currency) -> Option<Type> {
    let written = &tool.arguments.get(name)?.kind;
    kind_of(&written.value).map(|kind| expr_type(kind, currency))
}

/// A number may be bound to a whole number; whether it is one is asked when it is bound.
fn fits(wanted: &Type, given: &Type) -> bool {
    wanted == given || matches!((wanted, given), (Type::Int | Type::Decimal, Type::Int | Type::Decimal))
}
