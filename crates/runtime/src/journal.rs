//! Intents and outcomes: the durable points around a call. `Armed` goes in, a [`Permit`] or a refusal comes out.

use countersign_kernel::event::{Refused, ToolOutcome};
use countersign_kernel::gates::arm::Armed;
use countersign_kernel::policy::{EffectClass, SpendScope};
use countersign_kernel::reason::Reason;
use countersign_kernel::snapshot;
use countersign_kernel::state::State;
use jiff::{Timestamp, ToSpan};

use crate::engine::EngineError;
use crate::permit::{Permit, SEND_WITHIN_S, WrittenCall};
use crate::ports::{Entry, Intended, IntentRow, Reservation, TenantStore};
use crate::vault::{Purpose, Vault};

/// What the journal needs to know about the turn.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) conversation: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) epoch: u64,
    pub(crate) state: &'a State,
    pub(crate) vault: &'a Vault,
    pub(crate) at: Timestamp,
}

/// The class of a call in the intent table.
pub(crate) fn risk(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::Money => "money",
        EffectClass::Message => "message",
        EffectClass::Read | EffectClass::Write => "write",
    }
}

/// Writes the call down and makes it real, or brings back why not.
pub(crate) async fn intend(
    store: &dyn TenantStore,
    page: &Page<'_>,
    armed: Armed,
    entry: Entry,
) -> Result<Result<Permit, Refused>, EngineError> {
    let row = intent_row(page, &armed, entry)?;
    match store.intend(row).await? {
        Intended::Granted => {
            let deadline = page.at.checked_add(SEND_WITHIN_S.seconds()).unwrap_or(page.at);
            Ok(Ok(Permit::new(armed, deadline)))
        }
        Intended::Refused { reason, existing } => {
            let existing = existing.and_then(|sealed| open_outcome(page.vault, &sealed).ok());
            let existing = existing.and_then(|outcome| match outcome {
                ToolOutcome::Done(value) => Some(value),
                ToolOutcome::Refused(_) | ToolOutcome::Failed(_) | ToolOutcome::Unknown(_) => None,
            });
            // A code this program does not know blocks like any other.
            let reason = Reason::parse(&reason).unwrap_or(Reason::CannotDecide);
            Ok(Err(Refused { key: armed.key().to_owned(), reason, existing }))
        }
    }
}

fn intent_row(page: &Page<'_>, armed: &Armed, entry: Entry) -> Result<IntentRow, EngineError> {
    let reservation = armed.reservation();
    let reservations = reservation
        .spend
        .iter()
        .map(|(limit, amount_minor)| Reservation {
            bucket: match limit.scope {
                SpendScope::Customer => format!("{}:customer:{}", armed.call().tool, page.subject),
                SpendScope::Tenant => format!("{}:tenant", armed.call().tool),
            },
            window_s: limit.window_s,
            max_minor: limit.max.minor,
            amount_minor: *amount_minor,
        })
        .collect();
    let written = WrittenCall {
        tool: armed.call().tool.clone(),
        arguments: armed.arguments().clone(),
        scene: armed.scene().clone(),
    };
    let bytes = serde_json::to_vec(&written).unwrap_or_default();
    Ok(IntentRow {
        conversation: page.conversation.to_owned(),
        subject: page.subject.to_owned(),
        epoch: page.epoch,
        key: armed.key().to_owned(),
        tool: armed.call().tool.clone(),
        risk: risk(armed.effect()),
        digest: armed.digest().to_owned(),
        sameness: reservation.sameness.clone(),
        repeat_s: reservation.repeat_s,
        class: armed.recovery(),
        nonce: reservation.nonce.clone(),
        reservations,
        breaker: (reservation.breaker.failures, reservation.breaker.open_s),
        last_message: reservation.last_message,
        at: page.at,
        sealed_call: page.vault.seal(Purpose::Call, &bytes)?,
        sealed_state: page.vault.seal(Purpose::State, &snapshot::encode_state(page.state))?,
        entry,
    })
}

/// How a call ended, sealed.
pub(crate) fn seal_outcome(vault: &Vault, outcome: &ToolOutcome) -> Result<Vec<u8>, EngineError> {
    Ok(vault.seal(Purpose::Outcome, &serde_json::to_vec(outcome).unwrap_or_default())?)
}

/// How a call ended, opened.
pub(crate) fn open_outcome(vault: &Vault, sealed: &[u8]) -> Result<ToolOutcome, EngineError> {
    let plain = vault.open(Purpose::Outcome, sealed)?;
    serde_json::from_slice(&plain).map_err(|source| EngineError::Unreadable { what: "an outcome", source })
}

/// The name of an outcome in the log.
pub(crate) fn verdict(outcome: &ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Done(_) => "done",
        ToolOutcome::Refused(_) => "refused",
        ToolOutcome::Failed(_) => "failed",
        ToolOutcome::Unknown(_) => "unknown",
    }
}
