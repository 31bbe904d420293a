//! What stands between a call and its effect: the question, the approval, the ceiling, the way back.

use countersign_kernel::expr::{Scope, Type};
use countersign_kernel::policy::{Approval, BreakerSpec, Confirm, EffectClass, Recovery, SpendLimit, SpendScope};
use countersign_nlu::{Money, Span};

use crate::load::TOOLS;
use crate::lower::Lowerer;
use crate::raw::Text;
use crate::raw::tools::{Effect, Recovery as RawRecovery, Spend, SpendScope as RawScope, Tool as RawTool};

/// A person approves money above this many major units, where the pack says nothing.
const APPROVAL_OVER_MAJOR: i64 = 500;
/// A failing tool is tried again after this many seconds, where the pack says nothing.
const BREAKER_OPEN_S: i64 = 300;

impl Lowerer<'_, '_> {
    pub(super) fn confirm(&mut self, name: &Text, written: &RawTool) -> Option<Confirm> {
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

    pub(super) fn approval(&mut self, name: &Text, written: &RawTool, scope: &Scope) -> Option<Approval> {
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

    fn bad_amount(&mut self, file: &str, span: Span) {
        let message = format!("not an amount of {}", self.currency.code());
        let help = format!("at most {} places", self.currency.exponent());
        self.notes.error("pack/bad_value", (file, span), message, help);
    }

    pub(super) fn spend(&mut self, file: &str, written: &Spend) -> Option<SpendLimit> {
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

    pub(super) fn recovery(&mut self, name: &Text, written: &RawTool) -> Recovery {
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
}

pub(super) fn breaker(written: &RawTool, effect: EffectClass) -> BreakerSpec {
    let spec = written.breaker.as_ref();
    let failures = if effect == EffectClass::Money { 1 } else { 3 };
    BreakerSpec {
        failures: spec.and_then(|spec| spec.failures.as_ref()).map_or(failures, |failures| failures.value),
        open_s: spec.and_then(|spec| spec.open).map_or(BREAKER_OPEN_S, |open| open.0),
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
