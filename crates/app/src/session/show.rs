//! What a person sees of a session, in the notation of specs: `>` the customer, `<` the agent, `!` what was done.

use std::io::Write;

use anyhow::Result;
use countersign_kernel::decision::{Decision, Verdict};
use countersign_kernel::policy::Policy;
use countersign_kernel::reason::Reason;
use serde_json::Value as Json;

use super::why::Origins;
use super::{Session, Turn, json};
use crate::output::{ASIDE, BAD, GOOD, REPLY, TITLE, WARN, excerpt, paint, printable, table};

pub(super) fn greeting(name: &str) -> Result<()> {
    let mut out = anstream::stdout();
    writeln!(out, "{} is listening; /help lists what else can be typed, /quit ends", paint(TITLE, name))?;
    Ok(())
}

/// What a turn did and said.
pub(super) fn turn(conversation: &str, turn: &Turn) -> Result<()> {
    let mut out = anstream::stdout();
    for executed in turn.effects() {
        let call = format!("! effect {} {}", executed.tool, arguments(&executed.arguments));
        writeln!(out, "{}", paint(ASIDE, &format!("{}: {}", excerpt(call.trim_end()), executed.outcome)))?;
    }
    for sent in &turn.sent {
        let to = match &sent.to {
            Some(to) => format!("(to {}) ", printable(to)),
            None if sent.conversation != conversation => format!("(in {}) ", printable(&sent.conversation)),
            None => String::new(),
        };
        for line in printable(&sent.text).split('\n') {
            writeln!(out, "< {}{}", paint(ASIDE, &to), paint(REPLY, line))?;
        }
        if !sent.buttons.is_empty() {
            let labels: Vec<String> = sent.buttons.iter().map(|(label, _)| format!("[{}]", printable(label))).collect();
            writeln!(out, "  {}", paint(ASIDE, &labels.join(" ")))?;
        }
    }
    for ticket in turn.reports.iter().flat_map(|report| &report.tickets) {
        let text = |name: &str| ticket.get(name).and_then(Json::as_str).unwrap_or("?").to_owned();
        aside(&format!("! ticket {}: {}", text("kind"), text("reason")))?;
    }
    if turn.sent.is_empty() && !turn.reports.is_empty() {
        aside("(nothing was said)")?;
    }
    Ok(())
}

/// Something that stands beside the conversation.
pub(super) fn aside(text: &str) -> Result<()> {
    writeln!(anstream::stdout(), "{}", paint(ASIDE, &printable(text)))?;
    Ok(())
}

/// What each gate decided, and why.
pub(super) fn trace(policy: &Policy, turn: &Turn) -> Result<()> {
    let mut out = anstream::stdout();
    let mut rows = vec![["gate", "verdict", "reason", "about", "why"].map(str::to_owned).to_vec()];
    rows.extend(turn.decisions().map(|decision| row(policy, decision)));
    if rows.len() == 1 {
        return aside("nothing has been decided yet");
    }
    let verdicts = std::iter::once(None).chain(turn.decisions().map(|decision| Some(decision.verdict)));
    for (line, verdict) in table(&rows).iter().zip(verdicts) {
        writeln!(out, "{}", paint(style(verdict), line))?;
    }
    Ok(())
}

fn row(policy: &Policy, decision: &Decision) -> Vec<String> {
    let mut why = match (decision.detail.as_str(), decision.reason) {
        ("", Reason::Ok) => String::new(),
        ("", reason) => reason.summary().to_owned(),
        (detail, _) => excerpt(detail),
    };
    if let Some(name) = json::log_name(policy, decision) {
        why = format!("{why} [{name}]").trim_start().to_owned();
    }
    let (gate, verdict, reason) = (decision.gate.name(), decision.verdict.name(), decision.reason.code());
    vec![gate.to_owned(), verdict.to_owned(), reason.to_owned(), decision.about.clone(), why]
}

fn style(verdict: Option<Verdict>) -> anstyle::Style {
    match verdict {
        None => TITLE,
        Some(Verdict::Pass) => anstyle::Style::new(),
        Some(Verdict::Note) => GOOD,
        Some(Verdict::Ask | Verdict::Wait) => WARN,
        Some(Verdict::Stop) => BAD,
    }
}

/// Where the values of a call came from.
pub(super) fn why(origins: &Origins) -> Result<()> {
    if origins.tool.is_empty() {
        return aside("no call has been traced yet");
    }
    let mut out = anstream::stdout();
    writeln!(out, "{} {}", paint(TITLE, &origins.tool), printable(&origins.request))?;
    let rows: Vec<Vec<String>> = origins
        .list
        .iter()
        .map(|origin| {
            let value = origin.value.as_deref().map(excerpt).unwrap_or_default();
            vec![format!("  {}", origin.argument), value, origin.kind.clone(), origin.words.clone()]
        })
        .collect();
    for line in table(&rows) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

pub(super) fn help(commands: &[(&str, &str)]) -> Result<()> {
    let rows: Vec<Vec<String>> =
        commands.iter().map(|(command, what)| vec![(*command).to_owned(), (*what).to_owned()]).collect();
    let mut out = anstream::stdout();
    for line in table(&rows) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// `name=value` for each argument.
fn arguments(arguments: &Json) -> String {
    let words = arguments.as_object().into_iter().flatten().map(|(name, value)| match value.as_str() {
        Some(text) if text.contains(' ') => format!("{name}=\"{text}\""),
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Session {
    /// A message and what it led to.
    pub(super) fn show_turn(&self, message: &str, done: &Turn) -> Result<()> {
        if self.setting.is_json {
            return json::print(&self.object(message, done).into());
        }
        self.echo(message)?;
        turn(&self.setting.conversation, done)
    }

    /// A message that was not taken in.
    pub(super) fn show_refused(&self, message: &str, why: &str) -> Result<()> {
        if self.setting.is_json {
            let mut object = self.object(&excerpt(message), &Turn::default());
            object.insert("error".to_owned(), why.into());
            return json::print(&object.into());
        }
        self.echo(message)
    }

    /// What an earlier run left open and this one finished.
    pub(super) fn show_resumed(&self, resumed: &Turn) -> Result<()> {
        if self.setting.is_json {
            let mut object = json::turn(&self.wired.agent.policy, &self.setting.conversation, resumed);
            object.insert("command".to_owned(), "recover".into());
            return json::print(&object.into());
        }
        aside("an earlier run was interrupted; this is what was left to do:")?;
        turn(&self.setting.conversation, resumed)
    }

    /// From a pipe nobody has seen the message yet.
    fn echo(&self, message: &str) -> Result<()> {
        if !self.is_terminal {
            writeln!(anstream::stdout(), "{}", format!("> {}", excerpt(message)).trim_end())?;
        }
        Ok(())
    }
}
