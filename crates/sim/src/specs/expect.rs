//! Compares what happened in one turn with the lines that say what must have happened.
//!
//! Replies are matched in order, none left over if any is expected: a spec that names a reply names all of them.

use countersign_kernel::decision::{Decision, Gate, Verdict};
use countersign_kernel::policy::{EffectClass, Policy};
use countersign_kernel::reason::Reason;
use countersign_pack::spec::{Line, LineKind, Reply};
use countersign_runtime::{Executed, TurnReport};
use serde_json::Value as Json;

use super::Failure;
use crate::world::Heard;

/// What does not hold of the lines after one turn.
pub(super) fn check(policy: &Policy, heard: &Heard, lines: &[&Line]) -> Vec<Failure> {
    let turn = Turn { policy, heard };
    let mut failures = Vec::new();
    let mut said = Said { replies: &heard.replies, next: 0, line: None, is_lost: false };
    for line in lines {
        let failed = match &line.kind {
            LineKind::Reply(reply) => said.expect(line.number, reply),
            LineKind::Decision { verdict, reason } => turn.decided(*verdict, *reason),
            LineKind::Effect { tool, arguments } => turn.carried_out(tool, arguments),
            LineKind::NoEffect => turn.changed_nothing(),
            LineKind::Refused { tool, reason } => turn.refused(tool, *reason),
            LineKind::Customer(_)
            | LineKind::Wait(_)
            | LineKind::Now(_)
            | LineKind::Voice
            | LineKind::Restart
            | LineKind::Tenant(_) => Ok(()),
        };
        failures.extend(failed.err().map(|what| turn.failure(line.number, what)));
    }
    failures.extend(said.finish().err().map(|(line, what)| turn.failure(line, what)));
    failures
}

/// Expected and got.
type Mismatch = (String, String);

/// A call in the notation of specs.
pub(super) fn call(executed: &Executed) -> String {
    let arguments = executed.arguments.as_object().into_iter().flatten();
    let words = arguments.map(|(name, value)| {
        let text = plain(value);
        if text.contains(' ') { format!("{name}=\"{text}\"") } else { format!("{name}={text}") }
    });
    let words: Vec<String> = words.collect();
    format!("{}: {}", format!("! effect {} {}", executed.tool, words.join(" ")).trim_end(), executed.outcome)
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

struct Turn<'a> {
    policy: &'a Policy,
    heard: &'a Heard,
}

impl Turn<'_> {
    fn failure(&self, line: u32, (expected, got): Mismatch) -> Failure {
        Failure { line, expected, got, decisions: self.decisions().cloned().collect() }
    }

    fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.heard.reports.iter().flat_map(|report: &TurnReport| &report.decisions)
    }

    /// Calls that were really made: a tool that refused or failed did nothing.
    fn made(&self) -> impl Iterator<Item = &Executed> {
        let all = self.heard.reports.iter().flat_map(|report| &report.executed);
        all.filter(|executed| executed.outcome == "done" || executed.outcome == "unknown")
    }

    fn calls(&self) -> String {
        let calls: Vec<String> = self.heard.reports.iter().flat_map(|report| &report.executed).map(call).collect();
        if calls.is_empty() { "no call".to_owned() } else { calls.join("; ") }
    }

    fn decided(&self, verdict: Verdict, reason: Reason) -> Result<(), Mismatch> {
        if self.decisions().any(|decision| decision.verdict == verdict && decision.reason == reason) {
            return Ok(());
        }
        let notable = self.decisions().filter(|decision| decision.verdict != Verdict::Pass);
        let got: Vec<String> =
            notable.map(|d| format!("{} {} ({})", d.verdict.name(), d.reason.code(), d.gate.name())).collect();
        let got = if got.is_empty() { "every gate passed".to_owned() } else { got.join(", ") };
        Err((format!("{} {}", verdict.name(), reason.code()), got))
    }

    fn carried_out(&self, tool: &str, arguments: &[(String, String)]) -> Result<(), Mismatch> {
        let has = |executed: &Executed| {
            arguments.iter().all(|(name, value)| executed.arguments.get(name).is_some_and(|got| plain(got) == *value))
        };
        if self.made().any(|executed| executed.tool == tool && executed.outcome == "done" && has(executed)) {
            return Ok(());
        }
        let words: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Err((format!("effect {tool} {}", words.join(" ")).trim_end().to_owned(), self.calls()))
    }

    fn changed_nothing(&self) -> Result<(), Mismatch> {
        let changes = |executed: &Executed| {
            self.policy.tools.get(&executed.tool).is_none_or(|tool| tool.effect != EffectClass::Read)
        };
        if self.made().any(changes) { Err(("no effect".to_owned(), self.calls())) } else { Ok(()) }
    }

    fn refused(&self, tool: &str, reason: Option<Reason>) -> Result<(), Mismatch> {
        let expected = match reason {
            Some(reason) => format!("refused {tool} {}", reason.code()),
            None => format!("refused {tool}"),
        };
        if self.made().any(|executed| executed.tool == tool) {
            return Err((expected, self.calls()));
        }
        let is_refusal = |decision: &&Decision| {
            decision.verdict == Verdict::Stop && (Gate::Trace..=Gate::Result).contains(&decision.gate)
        };
        let mut refusals = self.decisions().filter(is_refusal);
        if refusals.any(|decision| reason.is_none_or(|reason| decision.reason == reason)) {
            return Ok(());
        }
        let stops: Vec<String> = self.decisions().filter(is_refusal).map(|d| d.reason.code().to_owned()).collect();
        let got =
            if stops.is_empty() { "no call was refused".to_owned() } else { format!("stop {}", stops.join(", ")) };
        Err((expected, got))
    }
}

/// The replies of a turn and how far they have been matched.
struct Said<'a> {
    replies: &'a [String],
    next: usize,
    /// The line of the last expected reply.
    line: Option<u32>,
    /// One message about replies is enough: those behind a wrong one would be compared with the wrong neighbours.
    is_lost: bool,
}

impl Said<'_> {
    fn expect(&mut self, line: u32, reply: &Reply) -> Result<(), Mismatch> {
        self.line = Some(line);
        if self.is_lost {
            return Ok(());
        }
        let last = self.next.checked_sub(1).and_then(|last| self.replies.get(last));
        // Two `<~` lines may speak of the same reply.
        if matches!(reply, Reply::Contains(_)) && last.is_some_and(|last| reply.matches(last)) {
            return Ok(());
        }
        let left = self.replies.get(self.next..).unwrap_or_default();
        // Consecutive `<` lines are read as one text, so they may stand for several replies.
        let lengths = match reply {
            Reply::Contains(_) => 1..=1,
            Reply::Exact(_) | Reply::Prefix(_) => 1..=left.len().max(1),
        };
        for length in lengths {
            let joined = left.get(..length).map(|replies| replies.join("\n"));
            if joined.is_some_and(|joined| reply.matches(&joined)) {
                self.next += length;
                return Ok(());
            }
        }
        self.is_lost = true;
        let got = if left.is_empty() { "nothing more was said".to_owned() } else { shown(left) };
        Err((wanted(reply), got))
    }

    fn finish(&self) -> Result<(), (u32, Mismatch)> {
        let left = self.replies.get(self.next..).unwrap_or_default();
        match self.line {
            Some(line) if !left.is_empty() && !self.is_lost => {
                Err((line, ("nothing more to be said".to_owned(), shown(left))))
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn wanted(reply: &Reply) -> String {
    match reply {
        Reply::Exact(text) => prefixed(text),
        Reply::Prefix(text) => format!("{}...", prefixed(text)),
        Reply::Contains(text) => format!("<~ {text}"),
    }
}

fn shown(replies: &[String]) -> String {
    let replies: Vec<String> = replies.iter().map(|reply| prefixed(reply)).collect();
    replies.join("\n")
}

fn prefixed(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| format!("< {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(replies: &[&str], expected: &[Reply], is_fine: bool) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let mut said = Said { replies: &replies, next: 0, line: None, is_lost: false };
        let mut all: Vec<Mismatch> = expected.iter().filter_map(|reply| said.expect(1, reply).err()).collect();
        all.extend(said.finish().err().map(|(_, what)| what));
        assert_eq!(all.is_empty(), is_fine, "{replies:?} {expected:?} {all:?}");
        assert!(all.len() <= 1, "one message about replies: {all:?}");
    }

    #[test]
    fn replies_are_matched_in_order_and_none_is_left_over() {
        let exact = |text: &str| Reply::Exact(text.to_owned());
        let prefix = |text: &str| Reply::Prefix(text.to_owned());
        let contains = |text: &str| Reply::Contains(text.to_owned());
        check(&["a"], &[exact("a")], true);
        check(&["a"], &[exact("b")], false);
        check(&["a", "b"], &[], true);
        check(&["a", "b"], &[exact("a")], false);
        check(&["a", "b"], &[exact("a\nb")], true);
        check(&["a\nb", "c"], &[exact("a\nb\nc")], true);
        check(&["abc", "d"], &[prefix("ab"), exact("d")], true);
        check(&["abc"], &[contains("b"), contains("c")], true);
        check(&["abc", "xyz"], &[contains("b"), contains("y")], true);
        check(&["abc", "xyz"], &[contains("y"), contains("b")], false);
        check(&["abc"], &[contains("d"), contains("e")], false);
        check(&[], &[exact("a")], false);
    }
}
