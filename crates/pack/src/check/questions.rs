//! A question about money shows how much and to whom; a yes to anything less is a yes to nothing.

use countersign_kernel::policy::{EffectClass, Tool};
use countersign_nlu::{Kind, Language};

use super::{Check, Code, Context};
use crate::notes::Notes;

const AMOUNT: Code =
    Code { code: "pack/question_hides_amount", help: "show the amount argument in the sentence: `{amount}`" };
const COUNTERPARTY: Code = Code {
    code: "pack/question_hides_counterparty",
    help: "show an argument of type name, id, phone, email or text, or a fact's field",
};

pub(super) const CHECK: Check = Check { codes: &[AMOUNT, COUNTERPARTY], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let parts = context.parts();
    for tool in parts.tools.values().filter(|tool| tool.effect == EffectClass::Money) {
        for language in &parts.languages {
            question(context, tool, *language, notes);
        }
    }
}

fn question(context: &Context<'_>, tool: &Tool, language: Language, notes: &mut Notes<'_>) {
    let Some(confirm) = &tool.confirm else { return };
    let template = context.parts().messages.get(&language).and_then(|all| all.get(&confirm.message));
    let written = context.lowered.texts.get(&language).and_then(|all| all.get(&confirm.message));
    let (Some(template), Some(written)) = (template, written) else { return };
    let place = (written.file.as_str(), written.text.span);
    let paths = template.paths();
    if let Some(amount) =
        tool.amount.as_ref().filter(|amount| tool.arguments.contains_key(*amount) && !paths.contains(*amount))
    {
        let message = format!("the question for `{}` does not show `{{{amount}}}`", tool.name);
        notes.error(AMOUNT.code, place, message, AMOUNT.help.to_owned());
    }
    let names_somebody = |path: &String| {
        let of_fact = path.split_once('.').is_some_and(|(fact, _)| tool.facts.iter().any(|known| known.name == fact));
        let argument = tool.arguments.get(path).map(|argument| argument.kind);
        of_fact || matches!(argument, Some(Kind::Name | Kind::Id | Kind::Phone | Kind::Email | Kind::Text))
    };
    if !paths.iter().any(names_somebody) {
        let message = format!("the question for `{}` does not show who is on the other side", tool.name);
        notes.error(COUNTERPARTY.code, place, message, COUNTERPARTY.help.to_owned());
    }
}
