//! `audit show`: the records of a conversation, with the personal values where the person's key still exists.

use std::io::Write;

use anyhow::{Context, Result};
use countersign_kernel::event::{Content, Event, Happening};
use countersign_kernel::snapshot;
use countersign_runtime::ports::{StoredRecord, TenantStore};
use countersign_runtime::record::Personal;
use countersign_runtime::vault::{Purpose, Vault};
use serde_json::{Value as Json, json};

use crate::output::{ASIDE, TITLE, excerpt, paint, printable, table};

/// Records read at a time.
const PAGE: u32 = 256;

/// Prints a conversation's records; returns how many there are.
pub(super) async fn show(store: &dyn TenantStore, conversation: &str, is_json: bool) -> Result<usize> {
    let (mut shown, mut after) = (0, 0);
    loop {
        let records = store.records(Some(conversation), after, PAGE).await?;
        let Some(last) = records.last() else { return Ok(shown) };
        after = last.seq;
        for record in &records {
            let body: Json = serde_json::from_str(&record.body).context("a record's body cannot be read")?;
            let personal = open(store, record).await?;
            if is_json {
                print_json(record, &body, personal.as_ref())?
            } else {
                print(record, &body, personal.as_ref())?
            }
        }
        shown += records.len();
    }
}

/// How many records are about a person.
pub(super) async fn of_subject(store: &dyn TenantStore, pseudonym: &str) -> Result<usize> {
    let (mut found, mut after) = (0, 0);
    loop {
        let records = store.records(None, after, PAGE).await?;
        let Some(last) = records.last() else { return Ok(found) };
        after = last.seq;
        found += records.iter().filter(|record| record.subject == pseudonym).count();
    }
}

/// The personal part of a record; none once the person was erased.
async fn open(store: &dyn TenantStore, record: &StoredRecord) -> Result<Option<Personal>> {
    let subject = store.subject_by_name(&record.subject).await?;
    let (Some(subject), Some(sealed)) = (subject, &record.sealed) else { return Ok(None) };
    let plain = Vault::new(&subject.key)?.open(Purpose::Record, sealed)?;
    let personal = serde_json::from_slice(&plain);
    personal.with_context(|| format!("the personal part of record {} cannot be read", record.seq)).map(Some)
}

fn print_json(record: &StoredRecord, body: &Json, personal: Option<&Personal>) -> Result<()> {
    let personal = personal.map(|personal| {
        let events: Vec<Json> = personal
            .events
            .iter()
            .map(|event| serde_json::from_str(event).unwrap_or_else(|_| event.as_str().into()))
            .collect();
        json!({"events": events, "details": personal.details})
    });
    let object = json!({"record": record.seq, "body": body, "personal": personal});
    writeln!(anstream::stdout(), "{object}")?;
    Ok(())
}

fn print(record: &StoredRecord, body: &Json, personal: Option<&Personal>) -> Result<()> {
    let mut out = anstream::stdout();
    let text = |name: &str| body.get(name).and_then(Json::as_str).unwrap_or_default();
    let about: Vec<&str> = [text("tool"), text("verdict")].into_iter().filter(|word| !word.is_empty()).collect();
    let heading = format!("record {} {} {}", record.seq, text("kind"), about.join(" "));
    let policy: String = text("policy").chars().take(12).collect();
    writeln!(out, "{} {}", paint(TITLE, heading.trim_end()), paint(ASIDE, &format!("policy {policy}")))?;
    match personal {
        Some(personal) => {
            for event in &personal.events {
                writeln!(out, "  {}", self::event(event))?;
            }
        }
        None => writeln!(out, "  {}", paint(ASIDE, "(erased: only what is not personal is left)"))?,
    }
    let decisions = body.get("decisions").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let details = personal.map(|personal| personal.details.as_slice()).unwrap_or_default();
    let rows: Vec<Vec<String>> = decisions
        .iter()
        .enumerate()
        .map(|(at, decision)| {
            let word = |at: usize| decision.get(at).and_then(Json::as_str).unwrap_or_default().to_owned();
            vec![
                format!("    {}", word(0)),
                word(1),
                word(2),
                word(3),
                details.get(at).map(|d| excerpt(d)).unwrap_or_default(),
            ]
        })
        .collect();
    for line in table(&rows) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// An event in one line.
fn event(encoded: &str) -> String {
    let Ok(Event { at, what }) = snapshot::decode_event(encoded.as_bytes()) else {
        return excerpt(encoded);
    };
    let words = match &what {
        Happening::Heard(heard) => match &heard.content {
            Content::Text(text) => format!("message {}: \"{}\"", heard.message, excerpt(text)),
            Content::Button(_) => format!("message {}: a button", heard.message),
            Content::Voice => format!("message {}: a voice note", heard.message),
        },
        Happening::Sensed(reading) => {
            let intent = reading.intent.as_deref().unwrap_or("unknown");
            format!("{intent} at {}/1000", reading.confidence)
        }
        Happening::OperatorSaid { operator, text, .. } => format!("{}: {}", printable(operator), excerpt(text)),
        Happening::TimerFired(timer) => timer.name().to_owned(),
        Happening::Proposed(_)
        | Happening::FactRead { .. }
        | Happening::ToolReturned { .. }
        | Happening::Refused(_)
        | Happening::Drafted(_)
        | Happening::Judged(_)
        | Happening::OperatorDecided(_)
        | Happening::CalledBack { .. }
        | Happening::Delivered { .. }
        | Happening::Resumed(_) => String::new(),
    };
    format!("{at} {} {words}", what.name()).trim_end().to_owned()
}
