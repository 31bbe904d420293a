//! After an interruption: what was decided before the intent is not decided again.
//!
//! The proof across a crash is the intent row and its database constraints. A call of class A is sent again with the
//! same key and the same arguments; of the other classes nothing is sent: the customer is told that it is being
//! checked and a person finds out. (Look-ups for class B and D come with the connectors that need them.)

use countersign_kernel::event::{Event, Happening, OpenIntent};
use countersign_kernel::policy::Recovery;

use crate::engine::{Engine, EngineError, Seat};
use crate::journal;
use crate::permit::{Resend, WrittenCall};
use crate::ports::OpenIntentRow;
use crate::report::TurnReport;
use crate::vault::Purpose;

impl Engine {
    /// Finishes what a restart found: open calls, waiting messages, messages that were committed and not sent.
    ///
    /// # Errors
    /// The store failed.
    pub async fn recover(&self) -> Result<Vec<TurnReport>, EngineError> {
        let mut reports = Vec::new();
        self.deliver_unsent().await?;
        for unfinished in self.ports.store.unfinished().await? {
            let chair = self.chair(&unfinished.conversation).await;
            let mut seat = chair.lock().await;
            let Some(known) = self.ports.store.subject_by_name(&unfinished.subject).await? else { continue };
            let person = std::sync::Arc::new(crate::engine::Person::new(known)?);
            let address = self.ports.store.address(&unfinished.subject).await?.unwrap_or_default();
            let (fresh, resumed) = self.sit(&unfinished.conversation, &address, &person).await?;
            reports.extend(resumed);
            *seat = Some(fresh);
        }
        Ok(reports)
    }

    /// Finishes an open call and feeds one event, `Resumed`.
    pub(crate) async fn resume(&self, seat: &mut Seat, open: OpenIntentRow) -> Result<TurnReport, EngineError> {
        let vault = &seat.person.vault;
        let outcome = match &open.sealed_outcome {
            Some(sealed) => Some(journal::open_outcome(vault, sealed)?),
            None if open.class == Recovery::A => {
                let plain = vault.open(Purpose::Call, &open.sealed_call)?;
                let call: WrittenCall = serde_json::from_slice(&plain)
                    .map_err(|source| EngineError::Unreadable { what: "a written-down call", source })?;
                let resend = Resend::new(open.key.clone(), call);
                let now = self.ports.clock.now();
                let reply = self.ports.tools.resend(&self.policy, &seat.state.session, &resend, now).await;
                self.write_outcome(seat, &open.key, &open.tool, &reply).await?;
                Some(reply.outcome)
            }
            None => None,
        };
        let open = OpenIntent { key: open.key, tool: open.tool, class: open.class, outcome };
        let event = Event { at: self.ports.clock.now(), what: Happening::Resumed(Some(open)) };
        let report = self.turn(seat, event, None).await?;
        // Messages of the call lie in the outbox since its outcome was written.
        self.deliver_unsent().await?;
        Ok(report)
    }
}
