//! The `outbox` connector: a message to somebody, handed to the runtime's own outbox with the call's outcome.
//!
//! Invariant: the address comes from a fact that was read for this call, the words from its argument; neither is
//! composed here. Deliberately absent: sending. The outbox sends after the outcome is durable, under the call's key.

use std::collections::BTreeMap;

use countersign_kernel::event::ToolOutcome;
use countersign_kernel::policy::Tool;
use countersign_nlu::Value;
use countersign_runtime::ports::ToolReply;

/// The message of a call: `to` is a path in the scene, `text` the name of an argument.
pub(crate) fn post(
    tool: &Tool,
    to: &str,
    text: &str,
    arguments: &BTreeMap<String, Value>,
    scene: &BTreeMap<String, Value>,
) -> ToolReply {
    let names = tool.result.fields.keys().map(String::as_str);
    match compose(names, to, text, arguments, scene) {
        Ok((result, message)) => {
            ToolReply { outcome: ToolOutcome::Done(Value::Record(result)), messages: vec![message] }
        }
        Err(message) => super::failed(message),
    }
}

type Composed = (BTreeMap<String, Value>, (String, String));

fn compose<'n>(
    fields: impl Iterator<Item = &'n str>,
    to: &str,
    text: &str,
    arguments: &BTreeMap<String, Value>,
    scene: &BTreeMap<String, Value>,
) -> Result<Composed, String> {
    let address = address(to, scene).ok_or_else(|| format!("`{to}` is no address"))?;
    let words = arguments.get(text).and_then(Value::as_text).filter(|words| !words.trim().is_empty());
    let words = words.ok_or_else(|| format!("`{text}` is no text"))?;
    let mut result = BTreeMap::new();
    for field in fields {
        let value = arguments.get(field).ok_or_else(|| format!("no argument is called `{field}` like the result"))?;
        result.insert(field.to_owned(), value.clone());
    }
    Ok((result, (address.to_owned(), words.to_owned())))
}

fn address<'s>(path: &str, scene: &'s BTreeMap<String, Value>) -> Option<&'s str> {
    let mut names = path.split('.');
    let first = scene.get(names.next()?)?;
    let value = names.try_fold(first, |value, name| value.field(name))?;
    value.as_text().filter(|address| !address.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(to: &str, text: &str, fields: &[&str], expected: Result<(&str, &str), &str>) {
        let arguments: BTreeMap<_, _> = [
            ("contact_name".to_owned(), Value::text("Ana Souza")),
            ("message_content".to_owned(), Value::text("bom dia")),
            ("blank".to_owned(), Value::text(" ")),
            ("count".to_owned(), Value::Int(1)),
        ]
        .into();
        let contact = [("phone".to_owned(), Value::text("+5511990000001")), ("none".to_owned(), Value::text(""))];
        let mut scene = arguments.clone();
        scene.insert("contact".to_owned(), Value::Record(contact.into()));
        let found = compose(fields.iter().copied(), to, text, &arguments, &scene);
        let seen = found.as_ref().map(|(_, (to, text))| (to.as_str(), text.as_str())).map_err(String::as_str);
        assert_eq!(seen, expected);
        if let Ok((result, _)) = &found {
            assert_eq!(result.len(), fields.len());
            assert!(result.iter().all(|(name, value)| arguments.get(name) == Some(value)));
        }
    }

    #[test]
    fn the_address_is_a_fact_and_the_words_are_an_argument() {
        let fields = &["contact_name", "message_content"];
        check("contact.phone", "message_content", fields, Ok(("+5511990000001", "bom dia")));
        check("contact.phone", "message_content", &[], Ok(("+5511990000001", "bom dia")));
        check("contact.email", "message_content", fields, Err("`contact.email` is no address"));
        check("contact.none", "message_content", fields, Err("`contact.none` is no address"));
        check("contact", "message_content", fields, Err("`contact` is no address"));
        check("nobody.phone", "message_content", fields, Err("`nobody.phone` is no address"));
        check("contact.phone", "missing", fields, Err("`missing` is no text"));
        check("contact.phone", "blank", fields, Err("`blank` is no text"));
        check("contact.phone", "count", fields, Err("`count` is no text"));
        check("contact.phone", "message_content", &["id"], Err("no argument is called `id` like the result"));
    }
}
