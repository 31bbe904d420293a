//! Money and records change only behind a question, and money only below a ceiling.

use countersign_nlu::Kind;

use super::{Check, Code, Context};
use crate::load::TOOLS;
use crate::notes::Notes;
use crate::raw::Text;
use crate::raw::tools::{Effect, Tool};

const UNCONFIRMED: Code = Code {
    code: "pack/unconfirmed_effect",
    help: "add `confirm: {message: <sentence>}`; a write that nobody needs to confirm says why: `confirm: {never: <why>}`",
};
const NO_AMOUNT: Code = Code {
    code: "pack/money_without_amount",
    help: "say which argument is the money: `amount: <argument of type money>`",
};
const NO_LIMIT: Code = Code {
    code: "pack/money_without_limit",
    help: "add a ceiling: `spend: [{scope: customer, window: 1d, max: \"1000.00\"}]`",
};
const UNCHECKED: Code =
    Code { code: "pack/result_unchecked", help: "add `ensure` conditions that compare the result with what was asked" };
const NO_REASON: Code = Code { code: "pack/no_reason_given", help: "write a sentence somebody can disagree with" };

pub(super) const CHECK: Check =
    Check { codes: &[UNCONFIRMED, NO_AMOUNT, NO_LIMIT, UNCHECKED, NO_REASON], needs_names: false, run };

/// Shortest text that can be a reason: `n/a` and `because` are not.
const REASON_CHARS_MIN: usize = 10;

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (name, tool) in context.raw.tools.tools.iter() {
        confirmed(name, tool, notes);
        reasons(tool, notes);
        if matches!(tool.effect.value, Effect::Money) {
            money(context, name, tool, notes);
        }
    }
}

fn confirmed(name: &Text, tool: &Tool, notes: &mut Notes<'_>) {
    let (is_money, must_ask) = match tool.effect.value {
        Effect::Money => (true, true),
        Effect::Write => (false, true),
        Effect::Read | Effect::Message => (false, false),
    };
    let Some(confirm) = &tool.confirm else {
        if must_ask {
            let message = format!("`{}` changes something and asks nobody", name.value);
            notes.error(UNCONFIRMED.code, (TOOLS, name.span), message, UNCONFIRMED.help.to_owned());
        }
        return;
    };
    if let Some(never) = confirm.never.as_ref().filter(|_| is_money) {
        let message = format!("`{}` moves money; no reason makes that right without a yes", name.value);
        notes.error(UNCONFIRMED.code, (TOOLS, never.span), message, "add `confirm: {message: <sentence>}`".to_owned());
    }
}

fn reasons(tool: &Tool, notes: &mut Notes<'_>) {
    let never =
        [tool.confirm.as_ref().and_then(|c| c.never.as_ref()), tool.approval.as_ref().and_then(|a| a.never.as_ref())];
    let public =
        tool.sql.iter().flat_map(|statements| statements.iter()).filter_map(|statement| statement.public.as_ref());
    for why in never.into_iter().flatten().chain(public) {
        if why.trim().chars().count() < REASON_CHARS_MIN {
            let message = format!("`{}` is not a reason", why.value);
            notes.error(NO_REASON.code, (TOOLS, why.span), message, NO_REASON.help.to_owned());
        }
    }
}

fn money(context: &Context<'_>, name: &Text, tool: &Tool, notes: &mut Notes<'_>) {
    let lowered = context.parts().tools.get(&name.value);
    match &tool.amount {
        None => {
            let message = format!("`{}` moves money and does not say how much", name.value);
            notes.error(NO_AMOUNT.code, (TOOLS, name.span), message, NO_AMOUNT.help.to_owned());
        }
        Some(amount) => {
            let argument = lowered.and_then(|tool| tool.arguments.get(&amount.value));
            if argument.is_some_and(|argument| argument.kind != Kind::Money) {
                let message = format!("`{}` is not of type money", amount.value);
                notes.error(NO_AMOUNT.code, (TOOLS, amount.span), message, NO_AMOUNT.help.to_owned());
            }
        }
    }
    if lowered.is_some_and(|tool| tool.spend.is_empty()) && tool.spend.is_empty() {
        let message = format!("`{}` moves money without a ceiling", name.value);
        notes.error(NO_LIMIT.code, (TOOLS, name.span), message, NO_LIMIT.help.to_owned());
    }
    if tool.result.ensure.is_empty() {
        let message = format!("`{}` moves money and nothing is compared afterwards", name.value);
        notes.error(UNCHECKED.code, (TOOLS, name.span), message, UNCHECKED.help.to_owned());
    }
}
