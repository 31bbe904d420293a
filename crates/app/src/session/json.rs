//! What a program sees of a session: one object per line of input.

use std::io::Write;

use anyhow::Result;
use countersign_kernel::decision::{Decision, Verdict};
use countersign_kernel::policy::Policy;
use countersign_runtime::Executed;
use serde_json::{Map, Value as Json, json};

use super::why::Origins;
use super::{Session, Turn};

/// Prints one object on one line.
pub(super) fn print(object: &Json) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{object}")?;
    out.flush()?;
    Ok(())
}

/// What a turn did.
pub(super) fn turn(policy: &Policy, conversation: &str, turn: &Turn) -> Map<String, Json> {
    let is_here = |other: &str| other == conversation;
    let replies = turn.sent.iter().filter(|sent| sent.to.is_none() && is_here(&sent.conversation));
    let others = turn.sent.iter().filter(|sent| sent.to.is_some() || !is_here(&sent.conversation));
    let messages = others.map(|sent| match &sent.to {
        Some(to) => json!({"to": to, "text": sent.text}),
        // A timer of another conversation of the same tenant.
        None => json!({"to": null, "conversation": sent.conversation, "text": sent.text}),
    });
    let mut object = Map::new();
    object.insert("replies".to_owned(), replies.map(|sent| sent.text.as_str()).collect());
    object.insert("decisions".to_owned(), turn.decisions().map(|made| decision(policy, made)).collect());
    object.insert("effects".to_owned(), turn.effects().map(effect).collect());
    let reads = turn.reports.iter().flat_map(|report| &report.reads);
    object.insert("reads".to_owned(), reads.map(String::as_str).collect());
    object.insert("messages".to_owned(), messages.collect());
    let tickets = turn.reports.iter().flat_map(|report| &report.tickets);
    object.insert("tickets".to_owned(), tickets.cloned().collect());
    object
}

/// One gate's verdict, with the pack's own name for it where it has one.
pub(crate) fn decision(policy: &Policy, decision: &Decision) -> Json {
    let mut object = json!({
        "gate": decision.gate.name(),
        "verdict": decision.verdict.name(),
        "reason": decision.reason.code(),
        "about": decision.about,
        "detail": decision.detail,
        "witnesses": decision.witnesses,
    });
    if let (Some(name), Some(object)) = (log_name(policy, decision), object.as_object_mut()) {
        object.insert("log".to_owned(), name.into());
    }
    object
}

/// What the pack calls a decision in its own log. `gate/*` names what the gate stopped, whatever the reason.
pub(crate) fn log_name<'p>(policy: &'p Policy, decision: &Decision) -> Option<&'p str> {
    let gate = decision.gate.name();
    let exact = policy.log_names.get(&format!("{gate}/{}", decision.reason.code()));
    let any = || policy.log_names.get(&format!("{gate}/*")).filter(|_| decision.verdict == Verdict::Stop);
    exact.or_else(any).map(String::as_str)
}

fn effect(executed: &Executed) -> Json {
    json!({
        "tool": executed.tool,
        "args": executed.arguments,
        "outcome": executed.outcome,
        "result": executed.result,
    })
}

pub(super) fn trace(policy: &Policy, turn: &Turn) -> Json {
    let decisions: Vec<Json> = turn.decisions().map(|made| decision(policy, made)).collect();
    json!({"command": "trace", "decisions": decisions})
}

pub(super) fn why(origins: &Origins) -> Json {
    let list: Vec<Json> = origins
        .list
        .iter()
        .map(|origin| {
            json!({
                "argument": origin.argument,
                "value": origin.value,
                "origin": origin.kind,
                "words": origin.words,
            })
        })
        .collect();
    json!({"command": "why", "tool": origins.tool, "request": origins.request, "origins": list})
}

pub(super) fn help(commands: &[(&str, &str)]) -> Json {
    let commands: Map<String, Json> =
        commands.iter().map(|(command, what)| ((*command).to_owned(), (*what).into())).collect();
    json!({"command": "help", "commands": commands})
}

impl Session {
    /// The object of a message's turn.
    pub(super) fn object(&self, message: &str, done: &Turn) -> Map<String, Json> {
        let mut object = Map::new();
        object.insert("turn".to_owned(), self.turns.into());
        object.insert("message".to_owned(), message.into());
        object.extend(turn(&self.wired.agent.policy, &self.setting.conversation, done));
        object
    }
}
