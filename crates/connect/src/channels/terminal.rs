//! The terminal as a channel: messages wait in a queue until the command line shows them.
//!
//! Invariant: messages leave in the order they came, each once. A full queue refuses, so that a message that nobody
//! will see is never counted as sent.
//! Deliberately absent: printing. The command that owns the terminal does that.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use countersign_runtime::ports::Channel;

/// Messages that may wait to be shown; a turn sends a handful, so more means that nobody is reading.
pub const QUEUE_MAX: usize = 1000;

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The conversation it belongs to.
    pub conversation: String,
    /// Somebody else's address; none for the person of the conversation.
    pub to: Option<String>,
    /// What it says.
    pub text: String,
    /// Buttons: label and payload.
    pub buttons: Vec<(String, String)>,
}

/// Collects messages for the command line.
#[derive(Debug, Default)]
pub struct TerminalChannel {
    queue: Mutex<VecDeque<Sent>>,
}

impl TerminalChannel {
    /// A channel with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes everything that was sent, in order.
    #[must_use]
    pub fn drain(&self) -> Vec<Sent> {
        // A queue of finished messages is whole even if another thread died while holding the lock.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

#[async_trait]
impl Channel for TerminalChannel {
    async fn send(
        &self,
        conversation: &str,
        to: Option<&str>,
        text: &str,
        buttons: &[(String, String)],
    ) -> Result<(), String> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= QUEUE_MAX {
            return Err(format!("{QUEUE_MAX} messages wait to be shown"));
        }
        queue.push_back(Sent {
            conversation: conversation.to_owned(),
            to: to.map(str::to_owned),
            text: text.to_owned(),
            buttons: buttons.to_vec(),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_leave_in_order_and_once() {
        let channel = TerminalChannel::new();
        let button = ("Sim".to_owned(), "n-1".to_owned());
        channel.send("c1", None, "Confirma?", std::slice::from_ref(&button)).await.unwrap();
        channel.send("c1", Some("+5511990000001"), "bom dia", &[]).await.unwrap();
        let sent = channel.drain();
        let seen: Vec<_> = sent.iter().map(|m| (m.to.as_deref(), m.text.as_str(), m.buttons.len())).collect();
        assert_eq!(seen, [(None, "Confirma?", 1), (Some("+5511990000001"), "bom dia", 0)]);
        assert_eq!(sent[0].buttons, [button]);
        assert!(channel.drain().is_empty());
    }

    #[tokio::test]
    async fn a_full_queue_refuses_until_it_is_read() {
        let channel = TerminalChannel::new();
        for _ in 0..QUEUE_MAX {
            channel.send("c1", None, "x", &[]).await.unwrap();
        }
        assert!(channel.send("c1", None, "one too many", &[]).await.is_err());
        assert_eq!(channel.drain().len(), QUEUE_MAX);
        channel.send("c1", None, "again", &[]).await.unwrap();
        assert_eq!(channel.drain().len(), 1);
    }
}
