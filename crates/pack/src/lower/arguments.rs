//! Arguments of a tool: type, slot, origins, where a record or result comes in.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::Scope;
use countersign_kernel::policy::{Argument, FreeText, OriginKind, Read, Resolve, Slot};
use countersign_nlu::{Kind, Money, Value};

use super::{Lowerer, expr_type};
use crate::load::TOOLS;
use crate::raw::Text;
use crate::raw::scalar::{Amount, Seconds};
use crate::raw::tools::{Argument as RawArgument, FreeText as RawFreeText, Origin, Tool as RawTool};

/// Longest text argument unless the pack says otherwise: a long message, not a document.
const CHARS_MAX: u32 = 1_000;
/// Facts behind an argument are read again after this many seconds unless the pack says otherwise.
const LIFETIME_S: i64 = 300;

/// What arguments are lowered against.
pub(super) struct Around<'a> {
    pub(super) tool: &'a RawTool,
    pub(super) slots: &'a BTreeMap<String, Slot>,
    pub(super) reads: &'a BTreeMap<String, Read>,
    /// What a computed argument may read.
    pub(super) scope: &'a Scope,
}

impl Lowerer<'_, '_> {
    /// One argument, or none if not even its type is known.
    pub(super) fn argument(&mut self, name: &Text, written: &RawArgument, around: &Around<'_>) -> Option<Argument> {
        let kind = self.kind(TOOLS, &written.kind)?;
        let ty = expr_type(kind, self.currency);
        if let Some(slot) = &written.slot {
            let known: Vec<&str> = self.raw.intents.slots.names().collect();
            self.known("pack/unknown_slot", "slot", TOOLS, slot, known.into_iter());
        }
        if let Some(of) = &written.of {
            self.known("pack/unknown_argument", "argument", TOOLS, of, around.tool.arguments.names());
        }
        let slot = written.slot.as_ref().filter(|slot| around.slots.contains_key(&slot.value));
        let computed = written.computed.as_ref().and_then(|check| self.expr(TOOLS, check, around.scope, &ty));
        let default = written.default.as_ref().and_then(|value| self.written_value(value, kind));
        let allowed = written
            .allowed
            .as_ref()
            .map(|values| values.iter().filter_map(|value| self.written_value(value, kind)).collect::<Vec<_>>());
        Some(Argument {
            name: name.value.clone(),
            kind,
            slot: slot.map(|slot| slot.value.clone()),
            origins: written.origins.iter().map(|origin| lower_origin(origin.value)).collect(),
            resolve: self.resolve(written, around),
            results: written.results.iter().filter_map(|path| self.result_path(path)).collect(),
            of: written.of.as_ref().map(|of| of.value.clone()),
            computed,
            default,
            free_text: written.free_text.as_ref().map(|free| lower_free_text(free.value)),
            is_required: !written.optional,
            allowed,
            chars_max: written.chars_max.as_ref().map_or(CHARS_MAX, |max| max.value),
            lifetime_s: written.lifetime.as_ref().map_or(LIFETIME_S, |lifetime| lifetime.value.0),
        })
    }

    fn resolve(&mut self, written: &RawArgument, around: &Around<'_>) -> Option<Resolve> {
        let resolve = written.resolve.as_ref()?;
        if !self.known("pack/unknown_fact", "fact", TOOLS, &resolve.fact, around.tool.facts.names()) {
            return None;
        }
        let read = &around.tool.facts.get(&resolve.fact.value)?.read;
        let fields: BTreeSet<&str> = around.reads.get(&read.value)?.fields.keys().map(String::as_str).collect();
        let is_known = self.known("pack/unknown_field", "field", TOOLS, &resolve.field, fields.into_iter());
        is_known.then(|| Resolve { fact: resolve.fact.value.clone(), field: resolve.field.value.clone() })
    }

    /// `tool.field` or `read.field`, where both exist.
    fn result_path(&mut self, written: &Text) -> Option<(String, String)> {
        let Some((of, field)) = written.split_once('.') else {
            let message = format!("`{}` is not a path into a result", written.value);
            let help = "write `<tool>.<field>` or `<read>.<field>`".to_owned();
            self.notes.error("pack/unknown_result", (TOOLS, written.span), message, help);
            return None;
        };
        let tools = &self.raw.tools;
        let fields = tools.tools.get(of).map(|tool| &tool.result.fields);
        let Some(fields) = fields.or_else(|| tools.reads.get(of).map(|read| &read.fields)) else {
            let known: Vec<&str> = tools.tools.names().chain(tools.reads.names()).collect();
            let part = Text { value: of.to_owned(), span: written.span };
            self.unknown("pack/unknown_result", "tool or read", TOOLS, &part, known.into_iter());
            return None;
        };
        let part = Text { value: field.to_owned(), span: written.span };
        let is_known = self.known("pack/unknown_result", "field", TOOLS, &part, fields.names());
        is_known.then(|| (of.to_owned(), field.to_owned()))
    }

    fn written_value(&mut self, written: &Text, kind: Kind) -> Option<Value> {
        let text = written.value.as_str();
        let value = match kind {
            Kind::Number | Kind::Ordinal => text.parse().ok().map(Value::Int),
            Kind::Money => Amount::parse(text)
                .and_then(|amount| amount.minor(self.currency.exponent()))
                .map(|minor| Value::Money(Money::new(minor, self.currency))),
            Kind::Date => text.parse().ok().map(Value::Date),
            Kind::Time => text.parse().ok().map(Value::Time),
            Kind::Duration => Seconds::parse(text).map(|seconds| Value::Duration(seconds.0)),
            Kind::Phone | Kind::Email | Kind::Id | Kind::Name | Kind::Text => Some(Value::text(text)),
            Kind::Flag => text.parse().ok().map(Value::Bool),
        };
        if value.is_none() {
            let message = format!("`{text}` is not a value of type {}", super::kind_name(kind));
            self.notes.error("pack/bad_value", (TOOLS, written.span), message, None);
        }
        value
    }
}

fn lower_origin(origin: Origin) -> OriginKind {
    match origin {
        Origin::Span => OriginKind::Span,
        Origin::Choice => OriginKind::Choice,
        Origin::Offer => OriginKind::Offer,
        Origin::Relative => OriginKind::Relative,
        Origin::Result => OriginKind::Result,
        Origin::Computed => OriginKind::Computed,
        Origin::Default => OriginKind::Default,
        Origin::Configuration => OriginKind::Configuration,
        Origin::Profile => OriginKind::Profile,
        Origin::Session => OriginKind::Session,
        Origin::Operator => OriginKind::Operator,
    }
}

fn lower_free_text(free: RawFreeText) -> FreeText {
    match free {
        RawFreeText::Verbatim => FreeText::Verbatim,
        RawFreeText::Query => FreeText::Query,
        RawFreeText::Authored => FreeText::Authored,
    }
}
