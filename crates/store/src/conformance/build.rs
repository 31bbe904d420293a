//! Rows for the checks, with everything filled in that a check does not care about.
//!
//! Invariant: a bench talks to one tenant and one conversation of it through the ports, like the runtime does.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_kernel::policy::Recovery;
use countersign_runtime::ports::{
    Arrival, ConfirmationRow, Entry, Ingested, Intended, IntentRow, Loaded, OutcomeRow, Outgoing, OutgoingClass, Store,
    StoreError, Subject, TenantStore, TurnRow,
};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

/// The moment all checks count from: 2026-11-15T10:00:00Z.
const START_S: i64 = 1_794_736_800;

/// A moment, in seconds after the start.
#[must_use]
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH.saturating_add(SignedDuration::from_secs(START_S + seconds)).unwrap_or(Timestamp::MAX)
}

/// One tenant, one person, one conversation.
pub struct Bench {
    /// The tenant's handle.
    pub tenant: Arc<dyn TenantStore>,
    /// The person.
    pub subject: Subject,
    /// The conversation.
    pub conversation: String,
}

#[expect(clippy::expect_used, reason = "a check ends at the first store error, and says at which step")]
impl Bench {
    /// A bench in a tenant of its own.
    pub async fn new(store: &Arc<dyn Store>, tenant: &str) -> Self {
        let tenant = store.tenant(tenant).await.expect("a tenant is made on first use");
        Self::in_tenant(tenant, "web:ana", "c1").await
    }

    /// A bench for another person or conversation of a tenant.
    pub async fn in_tenant(tenant: Arc<dyn TenantStore>, address: &str, conversation: &str) -> Self {
        let subject = tenant.subject(address).await.expect("a person is made on first use");
        Self { tenant, subject, conversation: conversation.to_owned() }
    }

    /// Delivers a message.
    pub async fn hear(&self, provider_id: &str, seconds: i64) -> Ingested {
        let arrival = Arrival {
            conversation: self.conversation.clone(),
            subject: self.subject.pseudonym.clone(),
            channel: "web".to_owned(),
            provider_id: provider_id.to_owned(),
            sealed: provider_id.as_bytes().to_vec(),
            at: at(seconds),
        };
        self.tenant.ingest(arrival).await.expect("a message is taken in")
    }

    /// Claims the conversation.
    pub async fn load(&self) -> Loaded {
        self.tenant.load(&self.conversation).await.expect("a conversation can be claimed")
    }

    /// A record that names what an auditor needs, with further fields.
    #[must_use]
    pub fn entry(&self, kind: &str, fields: &[(&str, &str)]) -> Entry {
        let (conversation, subject) = (self.conversation.clone(), self.subject.pseudonym.clone());
        let mut body = BTreeMap::from([("conversation", conversation.as_str()), ("kind", kind), ("subject", &subject)]);
        body.extend(fields.iter().copied());
        let body = serde_json::to_string(&body).unwrap_or_default();
        let body_hash = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
        Entry { conversation, subject, body, body_hash, sealed: b"sealed values".to_vec() }
    }

    /// The end of a turn.
    #[must_use]
    pub fn turn(&self, epoch: u64, done_until: u64) -> TurnRow {
        TurnRow {
            conversation: self.conversation.clone(),
            subject: self.subject.pseudonym.clone(),
            epoch,
            sealed_state: b"state".to_vec(),
            done_until,
            outgoing: Vec::new(),
            confirmations: Vec::new(),
            voided: Vec::new(),
            timers: Vec::new(),
            timer_done: None,
            tickets: Vec::new(),
            consent: None,
            breaker: None,
            at: at(0),
            entry: self.entry("turn", &[]),
        }
    }

    /// Ends a turn.
    pub async fn commit(&self, row: TurnRow) -> Vec<u64> {
        self.tenant.commit(row).await.expect("the owner ends a turn")
    }

    /// A call of tool `pay`, for money, with its confirmation.
    #[must_use]
    pub fn intent(&self, epoch: u64, key: &str, nonce: Option<&str>) -> IntentRow {
        let mut fields = vec![("key", key), ("risk", "money")];
        fields.extend(nonce.map(|nonce| ("nonce", nonce)));
        IntentRow {
            conversation: self.conversation.clone(),
            subject: self.subject.pseudonym.clone(),
            epoch,
            key: key.to_owned(),
            tool: "pay".to_owned(),
            risk: "money",
            digest: "digest".to_owned(),
            sameness: "same".to_owned(),
            repeat_s: 0,
            class: Recovery::C,
            nonce: nonce.map(str::to_owned),
            reservations: Vec::new(),
            breaker: (3, 60),
            last_message: 0,
            at: at(0),
            sealed_call: b"call".to_vec(),
            sealed_state: b"state with a call".to_vec(),
            entry: self.entry("intent", &fields),
        }
    }

    /// A call of another tool, which needs no confirmation.
    #[must_use]
    pub fn write(&self, epoch: u64, key: &str, tool: &str) -> IntentRow {
        let entry = self.entry("intent", &[("key", key), ("risk", "write")]);
        IntentRow { risk: "write", tool: tool.to_owned(), entry, ..self.intent(epoch, key, None) }
    }

    /// Asks the journal.
    pub async fn intend(&self, row: IntentRow) -> Intended {
        self.tenant.intend(row).await.expect("the journal answers its owner")
    }

    /// How a call ended.
    #[must_use]
    pub fn outcome(&self, key: &str, verdict: &'static str) -> OutcomeRow {
        let entry = self.entry("outcome", &[("key", key), ("verdict", verdict)]);
        let sealed = format!("{verdict} {key}").into_bytes();
        OutcomeRow { key: key.to_owned(), verdict, sealed, outgoing: Vec::new(), at: at(0), entry }
    }

    /// Writes down how a call ended, at a moment.
    pub async fn end(&self, key: &str, verdict: &'static str, seconds: i64) -> Vec<u64> {
        let row = OutcomeRow { at: at(seconds), ..self.outcome(key, verdict) };
        self.tenant.record_outcome(row).await.expect("an outcome is a fact anybody may write")
    }

    /// Ends a call's turn.
    pub async fn close(&self, epoch: u64) {
        self.commit(self.turn(epoch, 0)).await;
    }

    /// Asks questions, good until a moment.
    pub async fn ask(&self, epoch: u64, nonces: &[&str], until: i64) {
        let question = |nonce: &&str| ConfirmationRow {
            nonce: (*nonce).to_owned(),
            tool: "pay".to_owned(),
            digest: "digest".to_owned(),
            expires_at: at(until),
        };
        let confirmations = nonces.iter().map(question).collect();
        self.commit(TurnRow { confirmations, ..self.turn(epoch, 0) }).await;
    }

    /// A message to be sent.
    #[must_use]
    pub fn outgoing(&self, text: &str) -> Outgoing {
        Outgoing {
            conversation: self.conversation.clone(),
            subject: self.subject.pseudonym.clone(),
            class: OutgoingClass::Reply,
            sealed: text.as_bytes().to_vec(),
        }
    }
}

/// Asserts that a call was granted.
pub(super) fn granted(answer: &Intended, why: &str) {
    assert_eq!(*answer, Intended::Granted, "{why}");
}

/// Asserts that a call was refused for this reason, with nothing to quote.
pub(super) fn refused(answer: &Intended, reason: &str, why: &str) {
    assert_eq!(*answer, Intended::Refused { reason: reason.to_owned(), existing: None }, "{why}");
}

/// Asserts that a stale owner was told so.
pub(super) fn fenced<T: std::fmt::Debug>(answer: &Result<T, StoreError>, why: &str) {
    assert!(matches!(answer, Err(StoreError::Fenced)), "{why}: {answer:?}");
}
