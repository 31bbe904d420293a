//! A conversation in the terminal: lines in, turns and slash commands, what is shown of them.
//!
//! Invariant: every line of input is either a slash command or a message that reaches the agent whole; with `--json`
//! each leads to exactly one object. Deliberately absent: any say in what the agent answers.

// Lines from a terminal or a pipe.
mod input;
// What a person sees.
mod show;
// What a program sees.
mod json;
// Slash commands.
mod slash;
// Where the values of a call came from.
mod why;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use countersign_connect::channels::terminal::Sent;
use countersign_kernel::decision::{Decision, Gate, Verdict};
use countersign_runtime::ports::Clock;
use countersign_runtime::{Delivery, EngineError, Executed, Incoming, TurnReport};
use countersign_sim::folder::TempFolder;
use jiff::Timestamp;

use self::input::{Input, Line};
use crate::output::{self, note};
use crate::wire::Wired;

/// Messages whose words `/why` can quote: the window in which the kernel itself looks for evidence, and some more.
const TEXTS_MAX: usize = 64;

/// What a session is started with.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) conversation: String,
    pub(crate) customer: String,
    pub(crate) is_json: bool,
    pub(crate) folder: Folder,
}

/// Where state lives.
#[derive(Debug)]
pub(crate) enum Folder {
    /// Until the end of the session.
    Temporary(TempFolder),
    /// For good.
    Kept(PathBuf),
}

impl Folder {
    /// The folder somebody named, or a new one.
    pub(crate) fn new(named: Option<&PathBuf>) -> Result<Self> {
        Ok(match named {
            Some(path) => Folder::Kept(path.clone()),
            None => Folder::Temporary(TempFolder::new()?),
        })
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        match self {
            Folder::Temporary(folder) => folder.path(),
            Folder::Kept(path) => path,
        }
    }
}

/// What something led to: a message, the passing of time, a restart.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) reports: Vec<TurnReport>,
    pub(crate) sent: Vec<Sent>,
}

impl Turn {
    fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.reports.iter().flat_map(|report| &report.decisions)
    }

    /// Calls that were made; one that a tool refused did nothing and is only a decision.
    fn effects(&self) -> impl Iterator<Item = &Executed> {
        self.reports.iter().flat_map(|report| &report.executed).filter(|executed| executed.outcome != "refused")
    }

    fn is_empty(&self) -> bool {
        self.reports.is_empty() && self.sent.is_empty()
    }
}

/// The last call whose arguments were all traced, for `/why`.
#[derive(Debug)]
struct Traced {
    decision: Decision,
    confirmed: Option<Decision>,
    arguments: Option<serde_json::Value>,
}

/// A conversation in the terminal.
pub(crate) struct Session {
    wired: Wired,
    setting: Setting,
    is_terminal: bool,
    turns: u64,
    last: Turn,
    traced: Option<Traced>,
    texts: BTreeMap<u64, String>,
}

impl Session {
    pub(crate) fn new(wired: Wired, setting: Setting) -> Self {
        let is_terminal = input::is_terminal() && !setting.is_json;
        let (last, texts) = (Turn::default(), BTreeMap::new());
        Self { wired, setting, is_terminal, turns: 0, last, traced: None, texts }
    }

    /// Finishes what an earlier run left open, then takes lines until they end.
    pub(crate) fn run(mut self, runtime: &tokio::runtime::Runtime) -> Result<()> {
        self.welcome()?;
        let resumed = runtime.block_on(self.recover())?;
        if !resumed.is_empty() {
            self.show_resumed(&resumed)?;
        }
        let mut input = Input::new(self.is_terminal, self.setting.folder.path())?;
        while let Some(line) = input.next()? {
            if runtime.block_on(self.line(line))? == Next::Quit {
                break;
            }
        }
        Ok(())
    }

    fn welcome(&self) -> Result<()> {
        if self.setting.is_json {
            return Ok(());
        }
        if let Folder::Temporary(folder) = &self.setting.folder {
            let path = folder.path().display();
            note(&format!("state lives in `{path}` and is removed at the end; --data DIR keeps it"));
        }
        if self.is_terminal { show::greeting(&self.wired.agent.policy.name) } else { Ok(()) }
    }

    async fn recover(&self) -> Result<Turn> {
        let mut reports = self.wired.engine.recover().await?;
        reports.extend(self.wired.engine.tick().await?);
        Ok(Turn { reports, sent: self.wired.channel.drain() })
    }

    async fn line(&mut self, line: Line) -> Result<Next> {
        if let Some(problem) = &line.problem {
            note(problem);
        }
        match slash::parse(&line.text) {
            Some(slash) => self.command(slash).await,
            None => {
                if self.is_terminal && line.text.starts_with('/') {
                    note("sent as a message; /help lists the commands");
                }
                self.message(&line.text, Incoming::Text(line.text.clone())).await?;
                Ok(Next::Go)
            }
        }
    }

    /// One message of the person and everything it leads to.
    async fn message(&mut self, shown: &str, content: Incoming) -> Result<()> {
        self.turns += 1;
        // What has become due by itself is said before the message is heard.
        let mut reports = self.wired.engine.tick().await?;
        let delivery = Delivery {
            conversation: self.setting.conversation.clone(),
            customer: self.setting.customer.clone(),
            channel: "terminal".to_owned(),
            provider_id: format!("terminal-{}", self.wired.clock.nonce()),
            content,
        };
        match self.wired.engine.receive(delivery).await {
            Ok(more) => reports.extend(more),
            Err(error @ EngineError::TooLarge { .. }) => {
                output::complain(&error.to_string());
                return self.show_refused(shown, &error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        let turn = Turn { reports, sent: self.wired.channel.drain() };
        self.remember(shown, &turn);
        self.show_turn(shown, &turn)?;
        self.last = turn;
        Ok(())
    }

    fn remember(&mut self, text: &str, turn: &Turn) {
        if let Some(message) = turn.reports.iter().filter_map(|report| report.message).next_back() {
            self.texts.insert(message, text.to_owned());
            if self.texts.len() > TEXTS_MAX {
                self.texts.pop_first();
            }
        }
        let passed = |decision: &&Decision| decision.gate == Gate::Trace && decision.verdict == Verdict::Pass;
        if let Some(decision) = turn.decisions().filter(passed).last().cloned() {
            let confirms = |other: &&Decision| {
                other.gate == Gate::Confirm && other.verdict == Verdict::Pass && !other.witnesses.is_empty()
            };
            let confirmed = turn.decisions().filter(confirms).last().cloned();
            let run = turn.effects().filter(|executed| executed.tool == decision.about).last();
            let arguments = run.map(|executed| executed.arguments.clone());
            self.traced = Some(Traced { decision, confirmed, arguments });
        }
    }

    fn now(&self) -> Timestamp {
        self.wired.clock.now()
    }
}

/// What happens after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Go,
    Quit,
}
