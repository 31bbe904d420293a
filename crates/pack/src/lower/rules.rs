//! `rules.yaml`: scopes, patterns, expressions.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::Type;
use countersign_kernel::policy::{Enforcement, Rule, Scope, Slot};

use super::slots::day;
use super::{Lowerer, expr_type};
use crate::load::RULES;
use crate::raw::Text;
use crate::raw::rules::{Judge, Rule as RawRule};

/// Memory one compiled pattern may take, in bytes: each reply is matched against all of them.
const PATTERN_SIZE_MAX: usize = 256 * 1024;
/// Most rules of a pack: every reply meets every `always` rule.
const RULES_MAX: usize = 1_000;

impl Lowerer<'_, '_> {
    /// The rules, highest priority first, then by name.
    pub(super) fn rules(&mut self, slots: &BTreeMap<String, Slot>) -> Vec<Rule> {
        let mut rules = Vec::new();
        let mut names = BTreeSet::new();
        if self.raw.rules.rules.len() > RULES_MAX {
            self.notes.file("pack/too_large", RULES, "too many rules", &format!("at most {RULES_MAX}"));
        }
        for written in self.raw.rules.rules.iter().take(RULES_MAX) {
            if !names.insert(written.name.value.as_str()) {
                let message = format!("two rules are called `{}`", written.name.value);
                let help = "records name the rule that stopped a reply; give each its own name".to_owned();
                self.notes.error("pack/duplicate_name", (RULES, written.name.span), message, help);
            }
            let scope = self.rule_scope(&written.scope);
            let enforcement = self.enforcement(written, slots);
            if let (Some(scope), Some(enforcement)) = (scope, enforcement) {
                let name = written.name.value.clone();
                rules.push(Rule { name, scope, priority: written.priority, is_always: written.always, enforcement });
            }
        }
        rules.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)));
        rules
    }

    fn rule_scope(&mut self, written: &Text) -> Option<Scope> {
        if written.value == "global" {
            return Some(Scope::Global);
        }
        let journeys = &self.raw.journeys.journeys;
        let part = |name: &str| Text { value: name.to_owned(), span: written.span };
        if let Some(name) = written.strip_prefix("journey:") {
            let known: Vec<&str> = journeys.names().collect();
            let is_known = self.known("pack/unknown_journey", "journey", RULES, &part(name), known.into_iter());
            return is_known.then(|| Scope::Journey(name.to_owned()));
        }
        if let Some((journey, step)) = written.strip_prefix("step:").and_then(|path| path.split_once('/')) {
            let known: Vec<&str> = journeys.names().collect();
            if !self.known("pack/unknown_journey", "journey", RULES, &part(journey), known.into_iter()) {
                return None;
            }
            let steps = journeys.get(journey).map(|journey| journey.steps.0.as_slice()).unwrap_or_default();
            let names: Vec<&str> = steps.iter().filter_map(|step| Some(step.name.as_ref()?.value.as_str())).collect();
            let is_known = self.known("pack/unknown_step", "step", RULES, &part(step), names.into_iter());
            return is_known.then(|| Scope::Step(journey.to_owned(), step.to_owned()));
        }
        let help = "write `global`, `journey:<name>` or `step:<journey>/<step>`".to_owned();
        let message = format!("`{}` is not a scope", written.value);
        self.notes.error("pack/bad_scope", (RULES, written.span), message, help);
        None
    }

    fn enforcement(&mut self, rule: &RawRule, slots: &BTreeMap<String, Slot>) -> Option<Enforcement> {
        match (&rule.forbid, &rule.require, &rule.judge) {
            (Some(pattern), None, None) => self.pattern(pattern).map(Enforcement::Forbid),
            (None, Some(check), None) => {
                let mut scope = day();
                for slot in slots.values() {
                    let ty = expr_type(slot.kind, self.currency);
                    scope.insert(slot.name.clone(), Type::Optional(Box::new(ty)));
                }
                // Last, so that a slot called `amount` does not hide what the reply says.
                let scope = scope.with("amount", Type::Money(self.currency));
                self.expr(RULES, check, &scope, &Type::Bool).map(Enforcement::Require)
            }
            (None, None, Some(judge)) => {
                Some(Enforcement::Subjective { is_blocking: matches!(judge.value, Judge::Block) })
            }
            (_, _, _) => {
                let message =
                    format!("the rule `{}` needs exactly one of `forbid`, `require`, `judge`", rule.name.value);
                let help = "a rule that is not enforced is a wish; split a rule that needs two".to_owned();
                self.notes.error("pack/rule_enforcement", (RULES, rule.name.span), message, help);
                None
            }
        }
    }

    fn pattern(&mut self, written: &Text) -> Option<regex::Regex> {
        match regex::RegexBuilder::new(&written.value).size_limit(PATTERN_SIZE_MAX).build() {
            Ok(pattern) if pattern.is_match("") => {
                let message = "the pattern matches every text, so nothing could be said";
                let help = "a pattern must need at least one character".to_owned();
                self.notes.error("pack/pattern", (RULES, written.span), message, help);
                None
            }
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                let help = "look-around and back-references do not exist here".to_owned();
                self.notes.error("pack/pattern", (RULES, written.span), format!("not a pattern: {reason}"), help);
                None
            }
        }
    }
}
