//! Taking messages in, once each and in order, and handing a conversation to its owner.
//!
//! Invariants: a provider's id is taken once; numbers in a conversation rise by one; every claim raises the epoch.

use countersign_kernel::event::Surroundings;
use countersign_runtime::ports::{Arrival, Ingested, Loaded, OpenIntentRow, StoreError, Waiting};
use rusqlite::{OptionalExtension, Row, params};

use super::file::File;
use super::rows::{before, class, foreign, moment, nanos};
use crate::error::{Doing, failed};

/// Messages counted for the limits at most: both limits lie far below.
const COUNT_MAX: i64 = 10_000;
/// Waiting messages handed out with one claim; the rest comes with the next.
pub(crate) const WAITING_MAX: i64 = 64;
/// Open breakers named with a message: there are at most as many as tools.
const BREAKERS_MAX: i64 = 256;

/// What is known before a message is added.
struct Before {
    is_duplicate: bool,
    is_opted_out: Option<bool>,
    owner: Option<String>,
    next_message: u64,
}

/// Takes a message in.
pub(crate) fn ingest(file: &File, arrival: &Arrival) -> Result<Ingested, StoreError> {
    const DOING: &str = "taking a message in";
    let at = nanos(arrival.at);
    let known = known_before(file, arrival)?;
    let Some(is_opted_out) = known.is_opted_out else {
        return Err(failed(DOING, "the person is not known, or was erased"));
    };
    if known.owner.is_some_and(|owner| owner != arrival.subject) {
        return Err(failed(DOING, "the conversation belongs to another person"));
    }
    let mut around = count(file, &arrival.subject, at)?;
    around.is_opted_out = is_opted_out;
    around.open_breakers = open_breakers(file, at)?;
    if known.is_duplicate {
        return Ok(Ingested { message: None, around });
    }
    around.customer_minute += 1;
    around.customer_day += 1;
    insert(file, arrival, known.next_message, &around)?;
    Ok(Ingested { message: Some(known.next_message), around })
}

/// Claims a conversation and loads it.
pub(crate) fn load(file: &File, conversation: &str) -> Result<Loaded, StoreError> {
    let (epoch, sealed_state, open_key) = file
        .connection
        .prepare_cached(
            "INSERT INTO conversation (conversation, epoch) VALUES (?1, 1)
             ON CONFLICT (conversation) DO UPDATE SET epoch = epoch + 1
             RETURNING epoch, sealed_state, open_key",
        )
        .and_then(|mut statement| {
            statement.query_row([conversation], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?)))
        })
        .doing("claiming a conversation")?;
    let waiting = waiting(file, conversation)?;
    let open_intent = open_key.map(|key| open_intent(file, &key)).transpose()?.flatten();
    Ok(Loaded { epoch, sealed_state, waiting, open_intent })
}

fn known_before(file: &File, arrival: &Arrival) -> Result<Before, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM inbox WHERE channel = ?1 AND provider_id = ?2),
                    (SELECT is_opted_out FROM subject WHERE pseudonym = ?3),
                    (SELECT subject FROM conversation WHERE conversation = ?4),
                    coalesce((SELECT next_message FROM conversation WHERE conversation = ?4), 1)",
        )
        .and_then(|mut statement| {
            let found = params![arrival.channel, arrival.provider_id, arrival.subject, arrival.conversation];
            statement.query_row(found, |row| {
                Ok(Before {
                    is_duplicate: row.get(0)?,
                    is_opted_out: row.get(1)?,
                    owner: row.get(2)?,
                    next_message: row.get(3)?,
                })
            })
        })
        .doing("looking for an earlier delivery")
}

fn count(file: &File, subject: &str, at: i64) -> Result<Surroundings, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT count(*), coalesce(sum(at > ?3), 0)
             FROM (SELECT at FROM inbox WHERE subject = ?1 AND at > ?2 ORDER BY at DESC LIMIT ?4)",
        )
        .and_then(|mut statement| {
            let (day, minute) = (before(at, 86_400), before(at, 60));
            statement.query_row(params![subject, day, minute, COUNT_MAX], |row| {
                let (customer_day, customer_minute) = (row.get(0)?, row.get(1)?);
                Ok(Surroundings { customer_minute, customer_day, open_breakers: Vec::new(), is_opted_out: false })
            })
        })
        .doing("counting a person's messages")
}

fn open_breakers(file: &File, at: i64) -> Result<Vec<String>, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT tool FROM breaker WHERE failures >= failures_max AND ?1 < failed_at + open_s * 1000000000
             ORDER BY tool LIMIT ?2",
        )
        .and_then(|mut statement| statement.query_map([at, BREAKERS_MAX], |row| row.get(0)).and_then(Iterator::collect))
        .doing("listing the open breakers")
}

fn insert(file: &File, arrival: &Arrival, message: u64, around: &Surroundings) -> Result<(), StoreError> {
    let text = serde_json::to_string(around).doing("writing down a message's surroundings")?;
    file.connection
        .prepare_cached(
            "INSERT INTO inbox (channel, provider_id, conversation, message, subject, sealed, around, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )
        .and_then(|mut statement| {
            statement.execute(params![
                arrival.channel,
                arrival.provider_id,
                arrival.conversation,
                message,
                arrival.subject,
                arrival.sealed,
                text,
                nanos(arrival.at)
            ])
        })
        .doing("adding a message to the inbox")?;
    file.connection
        .prepare_cached(
            "INSERT INTO conversation (conversation, subject, next_message) VALUES (?1, ?2, ?3 + 1)
             ON CONFLICT (conversation) DO UPDATE SET next_message = excluded.next_message, subject = excluded.subject",
        )
        .and_then(|mut statement| statement.execute(params![arrival.conversation, arrival.subject, message]))
        .doing("numbering a message")
        .map(|_| ())
}

/// The messages that wait, with one more attempt counted for each: a message that ends its process every time is
/// recognised by the number.
fn waiting(file: &File, conversation: &str) -> Result<Vec<Waiting>, StoreError> {
    let mut waiting: Vec<Waiting> = file
        .connection
        .prepare_cached(
            "UPDATE inbox SET attempts = attempts + 1
             WHERE conversation = ?1 AND state = 'new'
               AND message < ?2 + (SELECT min(message) FROM inbox WHERE conversation = ?1 AND state = 'new')
             RETURNING message, sealed, at, around, attempts",
        )
        .and_then(|mut statement| {
            statement.query_map(params![conversation, WAITING_MAX], read_waiting).and_then(Iterator::collect)
        })
        .doing("reading the waiting messages")?;
    waiting.sort_by_key(|message| message.message);
    Ok(waiting)
}

fn read_waiting(row: &Row<'_>) -> rusqlite::Result<Waiting> {
    let around: String = row.get(3)?;
    Ok(Waiting {
        message: row.get(0)?,
        sealed: row.get(1)?,
        at: moment(2, row.get(2)?)?,
        around: serde_json::from_str(&around).map_err(|error| foreign(3, Box::new(error)))?,
        attempts: row.get(4)?,
    })
}

fn open_intent(file: &File, key: &str) -> Result<Option<OpenIntentRow>, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT key, tool, class, sealed_call,
                    (SELECT sealed FROM outcome WHERE outcome.key = intent.key ORDER BY k DESC LIMIT 1)
             FROM intent WHERE key = ?1",
        )
        .and_then(|mut statement| {
            let read = |row: &Row<'_>| {
                Ok(OpenIntentRow {
                    key: row.get(0)?,
                    tool: row.get(1)?,
                    class: class(2, &row.get::<_, String>(2)?)?,
                    sealed_call: row.get::<_, Option<Vec<u8>>>(3)?.unwrap_or_default(),
                    sealed_outcome: row.get(4)?,
                })
            };
            statement.query_row([key], read).optional()
        })
        .doing("reading an open intent")
}
