//! Bringing two sides to one type: int widens to decimal, a written number becomes money.
//!
//! Invariant: only literals become money (`amount <= 50` means fifty of that currency); a number that was read from
//! somewhere has an unknown unit, cents or whole, and is refused.
//! Deliberately absent: conversion between currencies.

use countersign_nlu::{Currency, Money, Span, Value};
use rust_decimal::Decimal;

use super::{Checker, Typed};
use crate::expr::eval::{Op, Plan};
use crate::expr::exact;
use crate::expr::fault::Fault;
use crate::expr::types::Type;

impl Checker<'_> {
    /// Brings two sides to the one type that both fit into.
    pub(super) fn unify(&mut self, span: Span, left: Typed, right: Typed) -> Option<(Box<[Plan; 2]>, Type)> {
        let Some(ty) = left.ty.join(&right.ty) else {
            return self.fault(mismatch(span, &left, &right));
        };
        let (left, right) = (self.coerce(left, &ty), self.coerce(right, &ty));
        let (left, right) = left.zip(right)?;
        Some((Box::new([left, right]), ty))
    }

    /// The plan as one of the wanted type.
    pub(super) fn coerce(&mut self, typed: Typed, wanted: &Type) -> Option<Plan> {
        match conversion(&typed.ty, wanted) {
            Some(Conversion::None) => Some(typed.plan),
            Some(Conversion::Widen) => Some(widened(typed.plan)),
            Some(Conversion::Money(currency)) => match to_money(typed.plan, currency) {
                Ok(plan) => Some(plan),
                Err(fault) => self.fault(fault),
            },
            None => {
                let code = match (&typed.ty, wanted) {
                    (Type::Money(_), Type::Money(_)) => "expr/currency",
                    (_, _) => "expr/type",
                };
                self.fault(Fault::new(code, typed.plan.span, format!("expected {wanted}, this is {}", typed.ty)))
            }
        }
    }
}

enum Conversion {
    None,
    Widen,
    Money(Currency),
}

fn conversion(from: &Type, to: &Type) -> Option<Conversion> {
    match (from, to) {
        (from, to) if from == to => Some(Conversion::None),
        (Type::Int, Type::Decimal) => Some(Conversion::Widen),
        (Type::Int | Type::Decimal, Type::Money(currency)) => Some(Conversion::Money(*currency)),
        (Type::List(from), Type::List(to)) => {
            let is_kept = !matches!(**from, Type::Optional(_)) || matches!(**to, Type::Optional(_));
            // One level: elements of elements must be equal as they are.
            match (from.plain(), to.plain()) {
                (_, _) if !is_kept => None,
                (from, to) if from == to => Some(Conversion::None),
                (Type::Int, Type::Decimal) => Some(Conversion::Widen),
                (Type::Int | Type::Decimal, Type::Money(currency)) => Some(Conversion::Money(*currency)),
                (_, _) => None,
            }
        }
        (_, _) => None,
    }
}

/// Widens a constant now and anything else when it is evaluated.
fn widened(plan: Plan) -> Plan {
    let Plan { span, op } = plan;
    let op = match op {
        Op::Constant(value) => Op::Constant(exact::widen(&value)),
        Op::List(plans) => Op::List(plans.into_iter().map(widened).collect()),
        op @ (Op::Read(_)
        | Op::Has(_)
        | Op::Call(_)
        | Op::Not(_)
        | Op::Negate(_)
        | Op::Widen(_)
        | Op::All(_)
        | Op::Any(_)
        | Op::Compare(..)
        | Op::Within(_)
        | Op::Arithmetic(..)
        | Op::Choose(_)) => Op::Widen(Box::new(Plan { span, op })),
    };
    Plan { span, op }
}

/// A list of constants as one constant, so that a fixed set is not built again at every evaluation.
pub(super) fn frozen(plan: Plan) -> Plan {
    let Op::List(items) = &plan.op else { return plan };
    let constant = |item: &Plan| if let Op::Constant(value) = &item.op { Some(value.clone()) } else { None };
    match items.iter().map(constant).collect() {
        Some(values) => Plan { span: plan.span, op: Op::Constant(Value::List(values)) },
        None => plan,
    }
}

/// Turns written numbers into money, through the operators that keep them amounts.
fn to_money(plan: Plan, currency: Currency) -> Result<Plan, Fault> {
    let Plan { span, op } = plan;
    let op = match op {
        Op::Constant(Value::Int(n)) => Op::Constant(amount(Decimal::from(n), currency, span)?),
        Op::Constant(Value::Decimal(n)) => Op::Constant(amount(n, currency, span)?),
        Op::Widen(inner) => return to_money(*inner, currency),
        Op::Negate(inner) => Op::Negate(Box::new(to_money(*inner, currency)?)),
        Op::List(plans) => Op::List(plans.into_iter().map(|plan| to_money(plan, currency)).collect::<Result<_, _>>()?),
        Op::Choose(three) => {
            let [condition, yes, no] = *three;
            Op::Choose(Box::new([condition, to_money(yes, currency)?, to_money(no, currency)?]))
        }
        Op::Constant(_)
        | Op::Read(_)
        | Op::Has(_)
        | Op::Call(_)
        | Op::Not(_)
        | Op::All(_)
        | Op::Any(_)
        | Op::Compare(..)
        | Op::Within(_)
        | Op::Arithmetic(..) => return Err(money_and_number(span, currency)),
    };
    Ok(Plan { span, op })
}

fn amount(major: Decimal, currency: Currency, span: Span) -> Result<Value, Fault> {
    let major = major.normalize();
    if major.scale() > currency.exponent() {
        let message = format!("{} has {} decimal places, `{major}` needs more", currency.code(), currency.exponent());
        return Err(Fault::new("expr/too_many_places", span, message));
    }
    let money = Money::from_major(major, currency);
    money
        .map(Value::Money)
        .ok_or_else(|| Fault::new("expr/constant", span, format!("`{major}` is more {} than fits", currency.code())))
}

fn money_and_number(span: Span, currency: Currency) -> Fault {
    let message = format!("a number without a currency meets money({})", currency.code());
    Fault::new("expr/money_and_number", span, message)
        .help("use `minor(amount)` if the number counts cents, `major(amount)` if it counts whole units, or declare it as money")
}

/// The fault for two sides that fit into no common type.
pub(super) fn mismatch(span: Span, left: &Typed, right: &Typed) -> Fault {
    let message = format!("{} and {} do not go together", left.ty, right.ty);
    let written = [left, right]
        .into_iter()
        .find_map(|side| if let Op::Constant(Value::Text(text)) = &side.plan.op { Some(text) } else { None });
    match (&left.ty, &right.ty, written) {
        (Type::Money(_), Type::Money(_), _) => Fault::new("expr/currency", span, message),
        (Type::Date, Type::Text, Some(text)) | (Type::Text, Type::Date, Some(text)) => {
            Fault::new("expr/type", span, message).help(format!("write `date('{text}')`"))
        }
        (Type::Time, Type::Text, Some(text)) | (Type::Text, Type::Time, Some(text)) => {
            Fault::new("expr/type", span, message).help(format!("write `time('{text}')`"))
        }
        (Type::Duration, Type::Int, _) | (Type::Int, Type::Duration, _) | (Type::Date, Type::Int, _) => {
            Fault::new("expr/type", span, message).help("write `days(n)`, `hours(n)` or `minutes(n)`")
        }
        (_, _, _) => Fault::new("expr/type", span, message),
    }
}
