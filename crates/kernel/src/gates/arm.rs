//! Gate 13, arm: breaker closed, no unresolved twin, key fixed, reservation stated.
//!
//! [`Armed`] is the kernel's proof that one uninterrupted run of gates 9-13 allows exactly this call. Its fields are
//! private and it is neither `Clone` nor serialisable, so the only way to have one is to pass the gates.
//!
//! ```compile_fail
//! // INVARIANT: nobody else can make one (more in `tests/compile_fail`).
//! let armed = countersign_kernel::gates::arm::Armed { key: String::new() };
//! ```

use std::collections::BTreeMap;

use countersign_nlu::Value;
use serde_json::{Value as Json, json};

use crate::act::{Halt, Stop};
use crate::canonical;
use crate::decision::{Decision, Gate, Verdict};
use crate::gates::approve::Approved;
use crate::policy::{BreakerSpec, EffectClass, Recovery, SpendLimit};
use crate::reason::Reason;
use crate::state::Call;

/// What the journal must reserve in the same transaction that writes the intent.
#[derive(Debug)]
pub struct Reservation {
    /// The confirmation row that is spent.
    pub nonce: Option<String>,
    /// Ceilings, with the amount this call takes.
    pub spend: Vec<(SpendLimit, i64)>,
    /// When the tool is left alone.
    pub breaker: BreakerSpec,
    /// What makes two calls the same for this customer.
    pub sameness: String,
    /// A repeat of a success within this many seconds is refused.
    pub repeat_s: i64,
    /// The newest message the decision saw.
    pub last_message: u64,
}

/// A call that may run, once. Only gate 13 makes one.
#[derive(Debug)]
pub struct Armed {
    call: Call,
    key: String,
    digest: String,
    effect: EffectClass,
    recovery: Recovery,
    scene: BTreeMap<String, Value>,
    reservation: Reservation,
}

impl Armed {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The arguments that run.
    #[must_use]
    pub fn arguments(&self) -> &BTreeMap<String, Value> {
        &self.call.arguments
    }

    /// Arguments, and the row each fact stood for.
    #[must_use]
    pub fn scene(&self) -> &BTreeMap<String, Value> {
        &self.scene
    }

    /// The idempotency key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// SHA-256 over tool, arguments and quote.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What the tool does to the world.
    #[must_use]
    pub fn effect(&self) -> EffectClass {
        self.effect
    }

    /// True for a tool that changes nothing.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.effect == EffectClass::Read
    }

    /// What may be done about an unknown outcome.
    #[must_use]
    pub fn recovery(&self) -> Recovery {
        self.recovery
    }

    /// What the journal must reserve.
    #[must_use]
    pub fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// The call as plain JSON, for hashing and for showing.
    #[must_use]
    pub fn describe(&self) -> Json {
        json!({
            "arguments": canonical::record(&self.call.arguments),
            "digest": self.digest,
            "key": self.key,
            "tool": self.call.tool,
        })
    }
}

pub(crate) fn check(approved: Approved<'_>, log: &mut Vec<Decision>) -> Result<Armed, Halt> {
    let confirmed = approved.confirmed;
    let permitted = &confirmed.permitted;
    let (walk, tool) = (permitted.walk(), permitted.tool());
    let is_read = tool.effect == EffectClass::Read;
    let sameness = sameness(&tool.name, &tool.sameness, permitted.arguments());
    let state = walk.state;
    let problem = if state.open_breakers.contains(&tool.name) {
        Some(Reason::BreakerOpen)
    } else if !is_read && state.unresolved.iter().any(|open| open.tool == tool.name && open.sameness == sameness) {
        Some(Reason::TwinUnresolved)
    } else if !is_read && state.counters.effects > 0 {
        Some(Reason::OneEffectPerTurn)
    } else {
        None
    };
    if let Some(reason) = problem {
        log.push(Decision::new(Gate::Arm, Verdict::Stop, reason).about(&tool.name));
        return Err(Halt::Stop(Stop { reason, scene: permitted.scene().clone(), choices: Vec::new() }));
    }
    log.push(Decision::new(Gate::Arm, Verdict::Pass, Reason::Armed).about(&tool.name));
    let amount = tool.amount.as_ref().and_then(|name| permitted.arguments().get(name));
    let minor = if let Some(Value::Money(money)) = amount { money.minor } else { 0 };
    let session = &state.session;
    let identity =
        json!([session.tenant, session.conversation, state.message, walk.call.number, tool.name, confirmed.digest]);
    Ok(Armed {
        call: Call { arguments: permitted.arguments().clone(), ..walk.call.clone() },
        key: canonical::sha256(identity.to_string().as_bytes()).chars().take(32).collect(),
        effect: tool.effect,
        recovery: tool.recovery,
        scene: permitted.scene().clone(),
        reservation: Reservation {
            nonce: confirmed.nonce.clone(),
            spend: tool.spend.iter().map(|limit| (limit.clone(), minor)).collect(),
            breaker: tool.breaker,
            sameness,
            repeat_s: tool.repeat_s,
            last_message: state.message,
        },
        digest: confirmed.digest,
    })
}

/// A hash of the arguments that make two calls the same.
fn sameness(tool: &str, names: &[String], arguments: &BTreeMap<String, Value>) -> String {
    let chosen: BTreeMap<String, Value> = arguments
        .iter()
        .filter(|(name, _)| names.is_empty() || names.contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    canonical::sha256(json!([tool, canonical::record(&chosen)]).to_string().as_bytes())
}
