//! Sends what was committed, and marks it.

use serde::Deserialize;

use crate::engine::{Engine, EngineError, Person};
use crate::ports::{OutboxItem, OutgoingClass, SendOutcome};
use crate::vault::Purpose;

/// Times a reply is begun before it is left as unknown.
const REPLY_ATTEMPTS_MAX: u32 = 3;
/// Times a message to somebody else is begun. The person was told that it was sent, so one that may not have left is
/// sent once more; not again after that, because a stranger should not be written to over and over.
const MESSAGE_ATTEMPTS_MAX: u32 = 2;

/// A message as it lies sealed in the outbox.
#[derive(Debug, Deserialize)]
struct Sealed {
    buttons: Vec<(String, String)>,
    text: String,
    to: Option<String>,
}

impl Engine {
    /// Sends one message and marks it.
    pub(crate) async fn deliver(
        &self,
        id: u64,
        conversation: &str,
        to: Option<&str>,
        text: &str,
        buttons: &[(String, String)],
    ) -> Result<(), EngineError> {
        let sent = self.ports.channel.send(conversation, to, text, buttons).await;
        self.ports.faults.at("sent");
        let outcome = if sent.is_ok() { SendOutcome::Sent } else { SendOutcome::Unknown };
        self.ports.store.mark(id, outcome).await?;
        self.ports.faults.at("marked");
        Ok(())
    }

    /// Sends again what was committed and never marked.
    pub(crate) async fn deliver_unsent(&self) -> Result<u32, EngineError> {
        let mut count = 0;
        for item in self.ports.store.unsent().await? {
            if self.deliver_again(&item).await? {
                count += 1;
            }
        }
        Ok(count)
    }

    async fn deliver_again(&self, item: &OutboxItem) -> Result<bool, EngineError> {
        let known = self.ports.store.subject_by_name(&item.outgoing.subject).await?;
        let attempts_max = match item.outgoing.class {
            OutgoingClass::Reply => REPLY_ATTEMPTS_MAX,
            OutgoingClass::Message => MESSAGE_ATTEMPTS_MAX,
        };
        let Some(known) = known.filter(|_| item.attempts < attempts_max) else {
            self.ports.store.mark(item.id, SendOutcome::Unknown).await?;
            return Ok(false);
        };
        let person = Person::new(known)?;
        let plain = person.vault.open(Purpose::Outbox, &item.outgoing.sealed)?;
        let message: Sealed = serde_json::from_slice(&plain)
            .map_err(|source| EngineError::Unreadable { what: "a message in the outbox", source })?;
        self.deliver(item.id, &item.outgoing.conversation, message.to.as_deref(), &message.text, &message.buttons)
            .await?;
        Ok(true)
    }
}
