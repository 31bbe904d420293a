//! Explains where the values of a call came from, out of the witnesses that the gate recorded.

use std::collections::BTreeMap;

use countersign_kernel::origin::Witness;
use countersign_kernel::policy::Policy;
use countersign_nlu::Span;

use super::Traced;
use crate::output::excerpt;

/// Witnesses inside witnesses that are followed; the kernel nests two.
const DEPTH_MAX: usize = 4;

/// The origin of one argument.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The argument; `yes` for what confirmed the call.
    pub(super) argument: String,
    /// Its value, once the call was made.
    pub(super) value: Option<String>,
    /// The kinds of origin, outermost first.
    pub(super) kind: String,
    /// In words.
    pub(super) words: String,
}

/// The origins of a call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Origins {
    /// The tool; empty while there was no call.
    pub(super) tool: String,
    /// Which request it serves.
    pub(super) request: String,
    pub(super) list: Vec<Origin>,
}

/// Explains the last call whose arguments were all traced.
pub(super) fn origins(policy: &Policy, traced: Option<&Traced>, texts: &BTreeMap<u64, String>) -> Origins {
    let Some(traced) = traced else { return Origins::default() };
    let tool = &traced.decision.about;
    let names: Vec<String> = match policy.tools.get(tool) {
        // The gate binds arguments in the order of their names, and leaves out only optional ones.
        Some(known) if known.arguments.len() == traced.decision.witnesses.len() => {
            known.arguments.keys().cloned().collect()
        }
        Some(_) | None => (1..=traced.decision.witnesses.len()).map(|number| format!("argument {number}")).collect(),
    };
    let value = |name: &String| {
        let value = traced.arguments.as_ref()?.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let mut list: Vec<Origin> = names
        .iter()
        .zip(&traced.decision.witnesses)
        .map(|(name, witness)| origin(name, value(name), witness, texts))
        .collect();
    let yes = traced.confirmed.iter().flat_map(|confirmed| &confirmed.witnesses);
    list.extend(yes.map(|witness| origin("yes", None, witness, texts)));
    Origins { tool: tool.clone(), request: traced.decision.detail.clone(), list }
}

fn origin(name: &str, value: Option<String>, witness: &Witness, texts: &BTreeMap<u64, String>) -> Origin {
    let kind = serde_json::to_value(witness.kind()).ok();
    let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("unknown").to_owned();
    Origin { argument: name.to_owned(), value, kind, words: explain(witness, texts, 0) }
}

fn explain(witness: &Witness, texts: &BTreeMap<u64, String>, depth: usize) -> String {
    if depth >= DEPTH_MAX {
        return "...".to_owned();
    }
    let inner = |witness: &Witness| explain(witness, texts, depth + 1);
    match witness {
        Witness::Span { message, span } => quoted(*message, *span, texts),
        Witness::Choice { message, list, row } => {
            format!("entry {} of the list shown after message {list}, picked in message {message}", row + 1)
        }
        Witness::Offer { message } => match texts.get(message) {
            Some(text) => format!("our proposal, accepted in message {message}: \"{}\"", excerpt(text)),
            None => format!("our proposal, accepted in message {message}"),
        },
        Witness::Relative { message, span, slot } => {
            format!("{}, applied to `{slot}`", quoted(*message, *span, texts))
        }
        Witness::Result { call, row, field } => format!("call {call}, row {}, field `{field}`", row + 1),
        Witness::Linked { said, found } => format!("{}, found as {}", inner(said), inner(found)),
        Witness::Computed { of } if of.is_empty() => "computed by the pack's own expression".to_owned(),
        Witness::Computed { of } => {
            let of: Vec<String> = of.iter().map(inner).collect();
            format!("computed from {}", of.join(" and "))
        }
        Witness::Default => "the pack's default".to_owned(),
        Witness::Configuration => "configuration of the pack or tenant".to_owned(),
        Witness::Profile => "the customer's profile".to_owned(),
        Witness::Session => "the session".to_owned(),
        Witness::Operator => "a person on the operator's side".to_owned(),
    }
}

/// The words of a message; only their place if the message is older than this session.
fn quoted(message: u64, span: Span, texts: &BTreeMap<u64, String>) -> String {
    let place = format!("message {message}, bytes {}-{}", span.start, span.end);
    match texts.get(&message).map(|text| span.of(text)).filter(|words| !words.is_empty()) {
        Some(words) => format!("{place}: \"{}\"", excerpt(words)),
        None => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn witnesses_are_told_with_the_words_they_point_at() {
        let texts = BTreeMap::from([(1, "boleto para a Ana".to_owned())]);
        let check = |witness: &Witness, expected: &str| assert_eq!(explain(witness, &texts, 0), expected);
        let ana = Witness::Span { message: 1, span: Span::new(14, 17) };
        check(&ana, "message 1, bytes 14-17: \"Ana\"");
        check(&Witness::Span { message: 2, span: Span::new(0, 3) }, "message 2, bytes 0-3");
        let row = Witness::Result { call: 3, row: 0, field: "name".to_owned() };
        let linked = Witness::Linked { said: Box::new(ana.clone()), found: Box::new(row) };
        check(&linked, "message 1, bytes 14-17: \"Ana\", found as call 3, row 1, field `name`");
        check(
            &Witness::Choice { message: 4, list: 3, row: 1 },
            "entry 2 of the list shown after message 3, picked in message 4",
        );
        check(&Witness::Offer { message: 1 }, "our proposal, accepted in message 1: \"boleto para a Ana\"");
        check(&Witness::Computed { of: vec![ana] }, "computed from message 1, bytes 14-17: \"Ana\"");
        let mut deep = Witness::Session;
        for _ in 0..10 {
            deep = Witness::Computed { of: vec![deep] };
        }
        assert!(explain(&deep, &texts, 0).ends_with("..."));
    }
}
