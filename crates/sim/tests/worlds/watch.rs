//! Watches a world from outside: what was asked, what was done, what was claimed, and whether the three agree.
//!
//! Invariant: it reads only what people saw, the reports of turns and the business database; it asks no gate.

use std::collections::{BTreeMap, BTreeSet};

use countersign_runtime::report::{Executed, TurnReport};
use countersign_runtime::{Delivery, Incoming};
use countersign_sim::world::{Heard, TENANT, World};
use jiff::{SignedDuration, Timestamp};

use crate::ensure;
use crate::muddle::YES;

/// Boletos of the seed data, and how many of them are cancelled.
const SEEDED: (u64, u64) = (7, 1);
/// How long a question may be answered, as the pack says.
const CONFIRM: SignedDuration = SignedDuration::from_mins(5);
const CONFIRM_AGAIN: &str = "Confirma? (Sim/Não)";

/// A question that waits for a yes.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The last words that spelled the call out.
    text: String,
    /// When it was last asked.
    at: Timestamp,
}

/// One conversation, as its person sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Talk {
    /// The question that was asked last and not yet settled.
    pub(crate) question: Option<Question>,
    /// Payloads of all buttons that were shown.
    pub(crate) buttons: Vec<String>,
    /// A person has taken over.
    pub(crate) is_handed_over: bool,
    /// No messages are wanted.
    pub(crate) is_opted_out: bool,
}

impl Talk {
    /// True for the two buttons that were shown last.
    fn is_latest(&self, pressed: &str) -> bool {
        self.buttons.iter().rev().take(2).any(|button| button == pressed)
    }
}

/// How often what happened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    created: u64,
    cancelled: u64,
    messages: u64,
    looks: u64,
    repeats: u64,
    restarts: u64,
    expired: u64,
    handovers: u64,
    opt_outs: u64,
    pressed: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.created += other.created;
        self.cancelled += other.cancelled;
        self.messages += other.messages;
        self.looks += other.looks;
        self.repeats += other.repeats;
        self.restarts += other.restarts;
        self.expired += other.expired;
        self.handovers += other.handovers;
        self.opt_outs += other.opt_outs;
        self.pressed += other.pressed;
    }

    /// Everything worth watching happened at least once.
    pub(crate) fn check_varied(&self) {
        let counts = [self.created, self.cancelled, self.messages, self.looks, self.repeats, self.restarts];
        let rarer = [self.expired, self.handovers, self.opt_outs, self.pressed];
        assert!(counts.iter().all(|count| *count >= 5) && rarer.iter().all(|count| *count >= 1), "{self:?}");
    }
}

/// Everything seen so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub(crate) tally: Tally,
    talks: BTreeMap<String, Talk>,
    issued: BTreeSet<String>,
    history: Vec<String>,
}

impl Watch {
    pub(crate) fn talk(&self, conversation: &str) -> Talk {
        self.talks.get(conversation).cloned().unwrap_or_default()
    }

    pub(crate) fn begin(&mut self, action: String) {
        self.tally.restarts += u64::from(action.ends_with("Restarts"));
        self.history.push(action);
    }

    pub(crate) fn history(&self) -> String {
        self.history.join("\n")
    }

    pub(crate) fn handed_back(&mut self, conversation: &str) {
        self.talks.entry(conversation.to_owned()).or_default().is_handed_over = false;
    }

    /// A message that came before leads to no turn and no word.
    pub(crate) fn repeated(&mut self, heard: &Heard) -> Result<(), String> {
        self.tally.repeats += 1;
        let is_silent = heard.reports.is_empty() && heard.replies.is_empty() && heard.messages.is_empty();
        ensure(is_silent, || format!("a repeated delivery led to {heard:?}"))
    }

    /// What a delivery, or the passing of time, led to.
    pub(crate) fn answered(
        &mut self,
        heard: &Heard,
        delivery: Option<&Delivery>,
        now: Timestamp,
    ) -> Result<(), String> {
        let said = heard.reports.iter().flat_map(|report| &report.replies).map(|reply| &reply.text);
        ensure(said.eq(&heard.replies), || format!("sent and reported differ: {heard:?}"))?;
        let posted = heard.reports.iter().flat_map(|report| &report.messages);
        ensure(posted.eq(&heard.messages), || format!("posted and reported differ: {heard:?}"))?;
        if let Some(delivery) = delivery {
            let is_one =
                heard.reports.len() == 1 && heard.reports.iter().all(|r| r.conversation == delivery.conversation);
            ensure(is_one, || format!("one delivery led to {:?}", heard.reports))?;
        }
        for report in &heard.reports {
            for executed in &report.executed {
                self.history.push(format!("    {} {} {}", executed.tool, executed.arguments, executed.outcome));
                self.done(report, executed, delivery, now)?;
            }
            for reply in &report.replies {
                self.history.push(format!("    < {}", reply.text));
                self.check_claim(report, &reply.text)?;
            }
            self.remember(report, now);
        }
        Ok(())
    }

    fn done(
        &mut self,
        report: &TurnReport,
        executed: &Executed,
        delivery: Option<&Delivery>,
        now: Timestamp,
    ) -> Result<(), String> {
        ensure(executed.outcome == "done", || format!("{executed:?}"))?;
        match executed.tool.as_str() {
            "check_status" | "list_boletos" => {
                self.tally.looks += 1;
                return Ok(());
            }
            "send_message" => {
                self.tally.messages += 1;
                return ensure(delivery.is_some(), || "a message was sent without being asked for".to_owned());
            }
            "create_boleto" => {
                self.tally.created += 1;
                let is_new = self.issued.insert(text(&executed.result, "boleto_id"));
                ensure(is_new, || format!("a boleto was issued twice: {executed:?}"))?;
            }
            "cancel_boleto" => self.tally.cancelled += 1,
            _ => return Err(format!("a tool the pack does not have: {executed:?}")),
        }
        let talk = self.talks.entry(report.conversation.clone()).or_default();
        let line = delivery.map(|delivery| &delivery.content);
        let is_yes = match line {
            Some(Incoming::Text(line)) => YES.contains(&line.as_str()),
            Some(Incoming::Button(pressed)) => {
                self.tally.pressed += 1;
                pressed.starts_with("yes:") && talk.is_latest(pressed)
            }
            Some(Incoming::Voice(_)) | None => false,
        };
        ensure(is_yes, || format!("{executed:?} was done upon {line:?}"))?;
        // Taken away: a second call upon the same yes finds no question.
        let question = talk.question.take().ok_or_else(|| format!("{executed:?} was done without a question"))?;
        ensure(shows(&question.text, executed), || format!("{executed:?} was done upon {:?}", question.text))?;
        let age = now.duration_since(question.at);
        ensure(age <= CONFIRM, || format!("{executed:?} was done upon a yes after {age:?}"))
    }

    /// What is said to be so was done or looked up in this very turn.
    fn check_claim(&self, report: &TurnReport, reply: &str) -> Result<(), String> {
        let has = |tool: &str, id: &str| {
            report.executed.iter().any(|done| done.tool == tool && text(&done.result, "boleto_id") == id)
        };
        let has_tool = |tool: &str| report.executed.iter().any(|done| done.tool == tool);
        let is_looking = |done: &Executed| matches!(done.tool.as_str(), "check_status" | "list_boletos");
        if reply.to_lowercase().contains("nada foi feito") || reply.contains("Nada novo foi feito") {
            ensure(report.executed.iter().all(is_looking), || format!("said {reply:?}, done {:?}", report.executed))?;
        }
        let words: Vec<&str> = reply.split_whitespace().collect();
        let is_true = match words.as_slice() {
            ["Boleto", id, "criado:", ..] => has("create_boleto", id),
            ["Boleto", id, "cancelado."] => has("cancel_boleto", id),
            ["Um", "boleto", "igual", "acabou", "de", "ser", "criado:", id, ..] => {
                self.issued.contains(id.trim_end_matches('.'))
            }
            ["Mensagem", "enviada", ..] => has_tool("send_message"),
            ["Boleto", id, ..] if id.ends_with(':') => has_tool("check_status"),
            ["Seus", "boletos:", ..] => has_tool("list_boletos"),
            // "O boleto ... está cancelado e não pode ser cancelado."
            _ if reply.contains("cancelado") => !report.reads.is_empty(),
            _ => !reply.contains("criado"),
        };
        ensure(is_true, || format!("said {reply:?}, done {:?}, read {:?}", report.executed, report.reads))
    }

    fn remember(&mut self, report: &TurnReport, now: Timestamp) {
        let talk = self.talks.entry(report.conversation.clone()).or_default();
        for reply in &report.replies {
            let said = reply.text.as_str();
            if said.starts_with("A confirmação expirou") {
                self.tally.expired += 1;
                talk.question = None;
            } else if said == "Operação cancelada." {
                talk.question = None;
            } else if said == CONFIRM_AGAIN {
                if let Some(question) = &mut talk.question {
                    question.at = now;
                }
            } else if said.ends_with(CONFIRM_AGAIN) {
                talk.question = Some(Question { text: said.to_owned(), at: now });
            } else if said.starts_with("Pronto, você não receberá") {
                self.tally.opt_outs += 1;
                talk.is_opted_out = true;
            } else if said.starts_with("Pronto, você voltará") {
                talk.is_opted_out = false;
            }
            talk.buttons.extend(reply.buttons.iter().map(|(_, payload)| payload.clone()));
        }
        if report.tickets.iter().any(|ticket| text(ticket, "kind") == "handover") {
            self.tally.handovers += 1;
            talk.is_handed_over = true;
        }
    }

    /// The business database holds exactly what was reported as done.
    pub(crate) fn count(&self, world: &World) -> Result<(), String> {
        let path = world.path().join("business").join(format!("{TENANT}.db"));
        let failed = |error: rusqlite::Error| error.to_string();
        let business = rusqlite::Connection::open(path).map_err(failed)?;
        let sql = "select count(*), count(*) filter (where status = 'CANCELLED') from boletos";
        let found: (i64, i64) = business.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
        let expected = (SEEDED.0 + self.tally.created, SEEDED.1 + self.tally.cancelled);
        let is_same = u64::try_from(found.0) == Ok(expected.0) && u64::try_from(found.1) == Ok(expected.1);
        ensure(is_same, || format!("boletos and cancelled: {found:?} in the database, {expected:?} by the reports"))
    }
}

fn text(json: &serde_json::Value, name: &str) -> String {
    json.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// The question spelled out exactly the arguments that ran.
fn shows(question: &str, executed: &Executed) -> bool {
    let arguments = &executed.arguments;
    if executed.tool == "cancel_boleto" {
        return question.starts_with(&format!("Cancelar o boleto {}:", text(arguments, "boleto_id")));
    }
    let date = text(arguments, "due_date");
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let date = [day, month, year].map(Option::unwrap_or_default).join("/");
    let amount = reais(arguments.get("amount_cents"));
    let name = text(arguments, "contact_name");
    question.starts_with(&format!("Boleto de {amount} para {name}, com vencimento em {date}."))
}

/// An amount as Brazilians write it.
fn reais(json: Option<&serde_json::Value>) -> String {
    let minor = json.and_then(|json| json.as_i64().or_else(|| json.get("minor")?.as_i64())).unwrap_or(-1);
    let whole = (minor / 100).to_string();
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    format!("R$ {grouped},{:02}", minor % 100)
}
