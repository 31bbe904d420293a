//! Gate 3, limit: under the rate limits for this customer.
//!
//! The counts are facts of the inbox that took the message in, so they hold across conversations and restarts. The
//! first message over the limit is answered, the ones after it are met with silence, so that a flood costs nothing.

use crate::decision::{Decision, Gate, Verdict};
use crate::gates::consent::Willing;
use crate::hear::{Halt, Hearing, Stop};
use crate::reason::Reason;

/// Proof that the person is under the limits.
#[derive(Debug)]
pub(crate) struct Paced<'w> {
    pub(crate) text: &'w str,
}

pub(crate) fn check<'w>(walk: &Hearing<'_>, willing: &Willing<'w>, log: &mut Vec<Decision>) -> Result<Paced<'w>, Halt> {
    let (around, limits) = (&walk.heard.around, &walk.policy.limits);
    let over =
        [(around.customer_minute, limits.per_minute, "per_minute"), (around.customer_day, limits.per_day, "per_day")];
    if let Some((count, max, name)) = over.into_iter().find(|(count, max, _)| count > max) {
        let decision = Decision::new(Gate::Limit, Verdict::Stop, Reason::RateLimited);
        log.push(decision.about(name).detail(format!("{count} messages, {max} allowed")));
        let say = (count == max.saturating_add(1)).then_some("slow_down");
        return Err(Halt::Stop(Stop::new(Reason::RateLimited, say)));
    }
    log.push(Decision::new(Gate::Limit, Verdict::Pass, Reason::Ok));
    Ok(Paced { text: willing.text })
}
