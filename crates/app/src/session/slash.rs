//! Slash commands: what can be asked of the terminal itself.
//!
//! Only these words are commands. Any other line that begins with a slash is a message, so that nothing a person
//! wrote is lost.

use anyhow::Result;
use countersign_pack::raw::scalar::Seconds;
use countersign_runtime::Incoming;
use jiff::SignedDuration;

use super::{Next, Session, Turn, json, show, why};
use crate::output::complain;

/// The commands and what they do, for `/help`.
pub(super) const HELP: &[(&str, &str)] = &[
    ("/trace", "what each gate decided in the last turn, and why"),
    ("/why", "where the values of the last call came from"),
    ("/wait 6m", "let time pass (90s, 6m, 2h, 1d)"),
    ("/voice", "send a voice note nobody can make out"),
    ("/handback", "a person hands the conversation back to the agent"),
    ("/help", "this list"),
    ("/quit", "end the conversation"),
];

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Slash {
    Trace,
    Why,
    /// None if the length is missing or malformed.
    Wait(Option<SignedDuration>),
    Voice,
    Handback,
    Help,
    Quit,
}

/// The command a line is; none if it is a message.
pub(super) fn parse(line: &str) -> Option<Slash> {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let slash = match word {
        "/trace" => Slash::Trace,
        "/why" => Slash::Why,
        "/wait" => {
            let seconds = Seconds::parse(rest.trim());
            return Some(Slash::Wait(seconds.map(|seconds| SignedDuration::from_secs(seconds.0))));
        }
        "/voice" => Slash::Voice,
        "/handback" => Slash::Handback,
        "/help" => Slash::Help,
        "/quit" => Slash::Quit,
        _ => return None,
    };
    // Words behind a command that takes none make the line a message.
    rest.trim().is_empty().then_some(slash)
}

impl Session {
    pub(super) async fn command(&mut self, slash: Slash) -> Result<Next> {
        let is_json = self.setting.is_json;
        match slash {
            Slash::Trace if is_json => json::print(&json::trace(&self.wired.agent.policy, &self.last))?,
            Slash::Trace => show::trace(&self.wired.agent.policy, &self.last)?,
            Slash::Why => {
                let origins = why::origins(&self.wired.agent.policy, self.traced.as_ref(), &self.texts);
                if is_json { json::print(&json::why(&origins))? } else { show::why(&origins)? }
            }
            Slash::Wait(by) => self.wait(by).await?,
            Slash::Voice => self.message("/voice", Incoming::Voice(Vec::new())).await?,
            Slash::Handback => self.handback().await?,
            Slash::Help if is_json => json::print(&json::help(HELP))?,
            Slash::Help => show::help(HELP)?,
            Slash::Quit if is_json => {
                json::print(&serde_json::json!({"command": "quit"}))?;
                return Ok(Next::Quit);
            }
            Slash::Quit => return Ok(Next::Quit),
        }
        Ok(Next::Go)
    }

    async fn wait(&mut self, by: Option<SignedDuration>) -> Result<()> {
        let Some(by) = by else {
            let problem = "`/wait` needs a length such as 90s, 6m, 2h or 1d";
            complain(problem);
            if self.setting.is_json {
                json::print(&serde_json::json!({"command": "wait", "error": problem}))?;
            }
            return Ok(());
        };
        self.wired.clock.advance(by);
        let reports = self.wired.engine.tick().await?;
        self.aside("wait", Turn { reports, sent: self.wired.channel.drain() })
    }

    async fn handback(&mut self) -> Result<()> {
        let (conversation, customer) = (&self.setting.conversation, &self.setting.customer);
        let report = self.wired.engine.operator_says(conversation, customer, "terminal", "", true).await?;
        self.aside("handback", Turn { reports: vec![report], sent: self.wired.channel.drain() })
    }

    /// Shows what a command led to; the next `/trace` is about it if there is anything in it.
    fn aside(&mut self, command: &str, turn: Turn) -> Result<()> {
        if self.setting.is_json {
            let mut object = json::turn(&self.wired.agent.policy, &self.setting.conversation, &turn);
            object.insert("command".to_owned(), command.into());
            object.insert("now".to_owned(), self.now().to_string().into());
            json::print(&object.into())?;
        } else {
            show::aside(&format!("it is now {}", self.local_now()))?;
            show::turn(&self.setting.conversation, &turn)?;
        }
        if !turn.is_empty() {
            self.last = turn;
        }
        Ok(())
    }

    fn local_now(&self) -> String {
        self.now().to_zoned(self.wired.agent.policy.zone.clone()).strftime("%F %T %Z").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_commands() {
        let check = |line: &str, expected: Option<Slash>| assert_eq!(parse(line), expected, "{line}");
        check("/trace", Some(Slash::Trace));
        check("  /why ", Some(Slash::Why));
        check("/wait 6m", Some(Slash::Wait(Some(SignedDuration::from_mins(6)))));
        check("/wait 90s", Some(Slash::Wait(Some(SignedDuration::from_secs(90)))));
        check("/wait", Some(Slash::Wait(None)));
        check("/wait a while", Some(Slash::Wait(None)));
        check("/quit", Some(Slash::Quit));
        check("/quit my job", None);
        check("/etc/passwd", None);
        check("sim", None);
        check("", None);
    }
}
