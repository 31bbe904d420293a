//! Tools: what each may do, on which facts, after which question.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::{self, Scope, Type};
use countersign_kernel::policy::{
    Approval, BreakerSpec, Confirm, EffectClass, Fact, Precondition, Read, Recovery, ResultSpec, Slot, SpendLimit,
    SpendScope, Tool,
};
use countersign_kernel::reason::Reason;
use countersign_nlu::Money;

use super::arguments::Around;
use super::slots::day;
use super::{Lowerer, expr_type};
use crate::load::{self, TOOLS};
use crate::raw::tools::{
    Condition, Effect, Recovery as RawRecovery, ResultSpec as RawResult, Spend, SpendScope as RawScope, Tool as RawTool,
};
use crate::raw::{Entries, Items, Text};
use crate::source::hash_text;

/// A person approves money above this many major units, where the pack says nothing.
const APPROVAL_OVER_MAJOR: i64 = 500;
/// A failing tool is tried again after this many seconds, where the pack says nothing.
const BREAKER_OPEN_S: i64 = 300;

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
            breaker: breaker(written, effect),
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

    /// Arguments, facts, read-back and the clock share one set of names in expressions and sentences.
    fn names_in_tool(&mut self, written: &RawTool) {
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

    fn facts(&mut self, written: &RawTool, reads: &BTreeMap<String, Read>) -> Vec<Fact> {
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
    fn bind(
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
    fn computed_scope(&self, written: &RawTool) -> Scope {
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
    fn tool_scope(&mut self, written: &RawTool, reads: &BTreeMap<String, Read>) -> Scope {
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

    fn conditions(&mut self, written: &Items<Condition>, scope: &Scope, tool: &RawTool) -> Vec<Precondition> {
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

    fn confirm(&mut self, name: &Text, written: &RawTool) -> Option<Confirm> {
        let confirm = written.confirm.as_ref()?;
        match (&confirm.message, &confirm.never) {
            (Some(message), None) => Some(Confirm { message: message.value.clone() }),
            (None, Some(_)) => None,
            (Some(_), Some(_)) | (None, None) => {
                let message = format!("`confirm` of `{}` needs exactly one of `message`, `never`", name.value);
                self.notes.error("pack/confirm", (TOOLS, name.span), message, None);
                None
            }
        }
    }

    fn approval(&mut self, name: &Text, written: &RawTool, scope: &Scope) -> Option<Approval> {
        let amount = written.amount.as_ref().filter(|amount| written.arguments.contains(&amount.value));
        let Some(approval) = &written.approval else {
            let is_money = matches!(written.effect.value, Effect::Money);
            let minor = APPROVAL_OVER_MAJOR.checked_mul(10_i64.checked_pow(self.currency.exponent())?)?;
            return is_money.then_some(amount?).and_then(|amount| self.over(amount, minor, scope));
        };
        match (&approval.over, &approval.when, &approval.never) {
            (Some(over), None, None) => {
                let Some(minor) = over.value.minor(self.currency.exponent()) else {
                    self.bad_amount(TOOLS, over.span);
                    return None;
                };
                let Some(amount) = amount else {
                    let message = format!("`approval: {{over: ..}}` of `{}` needs `amount`", name.value);
                    let help = "say which argument is the money: `amount: <argument>`".to_owned();
                    self.notes.error("pack/money_without_amount", (TOOLS, over.span), message, help);
                    return None;
                };
                self.over(amount, minor, scope)
            }
            (None, Some(when), None) => self.expr(TOOLS, when, scope, &Type::Bool).map(|when| Approval { when }),
            (None, None, Some(_)) => None,
            (_, _, _) => {
                let message = format!("`approval` of `{}` needs exactly one of `over`, `when`, `never`", name.value);
                self.notes.error("pack/approval", (TOOLS, name.span), message, None);
                None
            }
        }
    }

    fn over(&mut self, amount: &Text, minor: i64, scope: &Scope) -> Option<Approval> {
        let check = Text { value: format!("minor({}) > {minor}", amount.value), span: amount.span };
        self.expr(TOOLS, &check, scope, &Type::Bool).map(|when| Approval { when })
    }

    fn bad_amount(&mut self, file: &str, span: countersign_nlu::Span) {
        let message = format!("not an amount of {}", self.currency.code());
        let help = format!("at most {} places", self.currency.exponent());
        self.notes.error("pack/bad_value", (file, span), message, help);
    }

    fn spend(&mut self, file: &str, written: &Spend) -> Option<SpendLimit> {
        let Some(minor) = written.max.value.minor(self.currency.exponent()) else {
            self.bad_amount(file, written.max.span);
            return None;
        };
        let scope = match written.scope {
            RawScope::Customer => SpendScope::Customer,
            RawScope::Tenant => SpendScope::Tenant,
        };
        let window_s = written.window.map_or(0, |window| window.0);
        Some(SpendLimit { scope, window_s, max: Money::new(minor, self.currency) })
    }

    fn recovery(&mut self, name: &Text, written: &RawTool) -> Recovery {
        let is_read = matches!(written.effect.value, Effect::Read);
        match written.recovery.as_ref().map(|recovery| (recovery.value, recovery.span)) {
            None if is_read => Recovery::R,
            None => {
                let message = format!("the tool `{}` does not say what to do when its outcome is unknown", name.value);
                let help =
                    "`recovery: A` resend, `B` look up, `C` a person decides, `D` wait for the provider".to_owned();
                self.notes.error("pack/missing_recovery", (TOOLS, name.span), message, help);
                Recovery::C
            }
            Some((RawRecovery::R, span)) if !is_read => {
                let message = "`R` is for reads; this tool acts";
                self.notes.error("pack/missing_recovery", (TOOLS, span), message, "one of A, B, C, D".to_owned());
                Recovery::C
            }
            Some((recovery, _)) => lower_recovery(recovery),
        }
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
        back: &crate::raw::tools::ReadBack,
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

    /// A tenant may add ceilings and lower them, never lift one.
    fn overlay_spend(&mut self, tools: &mut BTreeMap<String, Tool>) {
        let Some(tenant) = &self.raw.tenant else { return };
        let file = self.overlay.clone();
        for (name, limits) in tenant.spend.iter() {
            if !self.known("pack/unknown_tool", "tool", &file, name, tools.keys().map(String::as_str)) {
                continue;
            }
            for written in limits.iter() {
                let Some(limit) = self.spend(&file, written) else { continue };
                let Some(tool) = tools.get_mut(&name.value) else { continue };
                let same = |old: &&mut SpendLimit| old.scope == limit.scope && old.window_s == limit.window_s;
                match tool.spend.iter_mut().find(same) {
                    Some(old) if limit.max.minor > old.max.minor => {
                        let message = "a tenant may lower a ceiling, not lift it";
                        let help = format!("the pack's is {}", old.max.major());
                        self.notes.error("pack/tenant_loosens", (&file, written.max.span), message, help);
                    }
                    Some(old) => *old = limit,
                    None => tool.spend.push(limit),
                }
            }
        }
    }

    /// A tool that is off stays in the set, so that journeys still stand, and is refused on every call.
    fn switch_off(&mut self, tools: &mut BTreeMap<String, Tool>) {
        let Some(tenant) = &self.raw.tenant else { return };
        let file = self.overlay.clone();
        for name in tenant.tools_off.iter() {
            if !self.known("pack/unknown_tool", "tool", &file, name, tools.keys().map(String::as_str)) {
                continue;
            }
            let never = Text { value: "false".to_owned(), span: name.span };
            let check = self.expr(&file, &never, &Scope::new(), &Type::Bool);
            if let (Some(check), Some(tool)) = (check, tools.get_mut(&name.value)) {
                tool.preconditions.insert(0, Precondition { check, reason: Reason::ToolNotAllowedHere });
                tool.hash = hash_text(&[&tool.hash, "off"]);
            }
        }
    }
}

fn argument_type(tool: &RawTool, name: &str, currency: countersign_nlu::Currency) -> Option<Type> {
    let written = &tool.arguments.get(name)?.kind;
    super::types::kind_of(&written.value).map(|kind| expr_type(kind, currency))
}

/// A number may be bound to a whole number; whether it is one is asked when it is bound.
fn fits(wanted: &Type, given: &Type) -> bool {
    wanted == given || matches!((wanted, given), (Type::Int | Type::Decimal, Type::Int | Type::Decimal))
}

fn breaker(written: &RawTool, effect: EffectClass) -> BreakerSpec {
    let spec = written.breaker.as_ref();
    let failures = if effect == EffectClass::Money { 1 } else { 3 };
    BreakerSpec {
        failures: spec.and_then(|spec| spec.failures.as_ref()).map_or(failures, |failures| failures.value),
        open_s: spec.and_then(|spec| spec.open).map_or(BREAKER_OPEN_S, |open| open.0),
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

fn lower_recovery(recovery: RawRecovery) -> Recovery {
    match recovery {
        RawRecovery::A => Recovery::A,
        RawRecovery::B => Recovery::B,
        RawRecovery::C => Recovery::C,
        RawRecovery::D => Recovery::D,
        RawRecovery::R => Recovery::R,
    }
}
