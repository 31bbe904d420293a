//! Gate 12, approve: not marked, or an operator approved exactly this digest.
//!
//! Approval comes after the customer's yes. The queue itself (who may decide, dual control) belongs to the operator's
//! side and arrives with it; here a decision is an event, and only the digest it names can pass.

use crate::act::{Appeal, Halt};
use crate::decision::{Decision, Gate, Verdict};
use crate::gates::confirm::Confirmed;
use crate::reason::Reason;
use crate::state::Occasion;

/// Proof that nobody else has to agree. Borrows the walk, so no state can hold it.
#[derive(Debug)]
pub(crate) struct Approved<'w> {
    pub(crate) confirmed: Confirmed<'w>,
}

pub(crate) fn check<'w>(confirmed: Confirmed<'w>, log: &mut Vec<Decision>) -> Result<Approved<'w>, Halt> {
    let permitted = &confirmed.permitted;
    let name = &permitted.tool().name;
    if !permitted.is_marked() {
        log.push(Decision::new(Gate::Approve, Verdict::Pass, Reason::Ok).about(name));
        return Ok(Approved { confirmed });
    }
    if let Occasion::Approved { digest, operator, .. } = permitted.walk().occasion
        && *digest == confirmed.digest
    {
        let decision = Decision::new(Gate::Approve, Verdict::Pass, Reason::ApprovalGiven).about(name);
        log.push(decision.detail(format!("approved by {operator}")));
        return Ok(Approved { confirmed });
    }
    log.push(Decision::new(Gate::Approve, Verdict::Wait, Reason::ApprovalRequired).about(name));
    Err(Halt::Approve(Appeal {
        digest: confirmed.digest.clone(),
        arguments: permitted.arguments().clone(),
        scene: permitted.scene().clone(),
        nonce: confirmed.nonce.clone(),
    }))
}
