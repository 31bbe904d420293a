//! What must hold between records: no outcome without its intent, no money without a confirmation, nothing twice.
//!
//! Invariant: only what a body states is judged; a field that is absent is not invented, except that money without a
//! nonce is a problem, because absence is exactly what must not be.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What earlier records said.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// Keys of intents, and their final verdict.
    intents: BTreeMap<String, Option<String>>,
    nonces: BTreeSet<String>,
}

impl Rules {
    /// Judges one record's body against those before it.
    pub(super) fn judge(&mut self, body: &Value) -> Vec<String> {
        match field(body, "kind") {
            Some("intent") => self.intent(body),
            Some("outcome") => self.outcome(body).into_iter().collect(),
            Some(_) | None => Vec::new(),
        }
    }

    fn intent(&mut self, body: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        let key = field(body, "key");
        match key {
            None => problems.push("an intent names no key".to_owned()),
            Some(key) if self.intents.contains_key(key) => {
                problems.push(format!("the key `{key}` has a second intent"));
            }
            Some(key) => {
                self.intents.insert(key.to_owned(), None);
            }
        }
        match field(body, "nonce") {
            Some(nonce) if !self.nonces.insert(nonce.to_owned()) => {
                problems.push(format!("the confirmation `{nonce}` was used twice"));
            }
            Some(_) => {}
            None if field(body, "risk") == Some("money") => {
                problems.push("money without a confirmation".to_owned());
            }
            None => {}
        }
        problems
    }

    fn outcome(&mut self, body: &Value) -> Option<String> {
        let Some(key) = field(body, "key") else { return Some("an outcome names no key".to_owned()) };
        let Some(earlier) = self.intents.get_mut(key) else {
            return Some(format!("an outcome of `{key}`, which has no earlier intent"));
        };
        let verdict = field(body, "verdict").filter(|verdict| *verdict != "unknown")?;
        let first = earlier.replace(verdict.to_owned());
        first.map(|first| format!("`{key}` ended twice: `{first}`, then `{verdict}`"))
    }
}

/// A text field of an object.
pub(super) fn field<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_between_records() {
        let mut rules = Rules::default();
        let mut check = |body: &str, expected: &[&str]| {
            assert_eq!(rules.judge(&serde_json::from_str(body).unwrap()), expected, "{body}");
        };
        check(r#"{"kind":"intent","key":"a","risk":"money","nonce":"n1"}"#, &[]);
        check(r#"{"kind":"outcome","key":"a","verdict":"unknown"}"#, &[]);
        check(r#"{"kind":"outcome","key":"a","verdict":"done"}"#, &[]);
        check(r#"{"kind":"outcome","key":"a","verdict":"failed"}"#, &["`a` ended twice: `done`, then `failed`"]);
        check(r#"{"kind":"outcome","key":"b"}"#, &["an outcome of `b`, which has no earlier intent"]);
        check(r#"{"kind":"intent","key":"c","risk":"money","nonce":null}"#, &["money without a confirmation"]);
        check(r#"{"kind":"intent","key":"d","risk":"money","nonce":"n1"}"#, &["the confirmation `n1` was used twice"]);
        check(r#"{"kind":"intent","key":"a","risk":"write"}"#, &["the key `a` has a second intent"]);
        check(r#"{"kind":"intent","risk":"write"}"#, &["an intent names no key"]);
        check(r#"{"kind":"outcome"}"#, &["an outcome names no key"]);
        check(r#"{"kind":"turn"}"#, &[]);
        check(r#"{"message":"a body of another kind"}"#, &[]);
    }
}
