//! Gate 9, trace: every argument has an admissible origin, and the call agrees with the open request.
//!
//! An origin is necessary, not sufficient: most wrong calls of real models use only values that were seen. So the
//! call must serve the open request (*act*), a slot's current value is the only one that counts (*latest*, *role*),
//! numbers keep their unit (*unit*), ids belong to what was named (*link*, *row*), and facts are fresh (*freshness*).

use std::collections::BTreeMap;

use countersign_nlu::Value;

use crate::act::{Acting, Halt, Stop, Want};
use crate::decision::{Decision, Gate, Verdict};
use crate::evidence::Returned;
use crate::fill;
use crate::origin::Witness;
use crate::policy::{Argument, OriginKind, Resolve, Tool};
use crate::reason::Reason;
use crate::state::{FactRows, Frame};

/// Reads that belong to one call.
pub(crate) const READS_MAX: usize = 8;

/// One argument with its value and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) value: Value,
    pub(crate) witness: Witness,
}

/// Proof that every argument has an origin. Borrows the walk, so no state can hold it.
#[derive(Debug)]
pub(crate) struct Traced<'w> {
    walk: &'w Acting<'w>,
    tool: &'w Tool,
    arguments: BTreeMap<String, Bound>,
    scene: BTreeMap<String, Value>,
}

impl<'w> Traced<'w> {
    pub(crate) fn walk(&self) -> &'w Acting<'w> {
        self.walk
    }

    pub(crate) fn tool(&self) -> &'w Tool {
        self.tool
    }

    pub(crate) fn arguments(&self) -> &BTreeMap<String, Bound> {
        &self.arguments
    }

    pub(crate) fn scene(&self) -> &BTreeMap<String, Value> {
        &self.scene
    }
}

pub(crate) fn check<'w>(walk: &'w Acting<'w>, log: &mut Vec<Decision>) -> Result<Traced<'w>, Halt> {
    let refuse = |log: &mut Vec<Decision>, reason, about: &str| {
        log.push(Decision::new(Gate::Trace, Verdict::Stop, reason).about(about));
        Halt::Stop(Stop { reason, scene: BTreeMap::new(), choices: Vec::new() })
    };
    let Some(tool) = walk.policy.tools.get(&walk.call.tool) else {
        return Err(refuse(log, Reason::ToolUnknown, "tool"));
    };
    let Some(frame) = walk.frame else {
        return Err(refuse(log, Reason::NoOpenRequest, &tool.name));
    };
    if !tool.serves.contains(&frame.intent) {
        return Err(refuse(log, Reason::ActMismatch, &tool.name));
    }
    if let Some(unknown) = walk.call.arguments.keys().find(|name| !tool.arguments.contains_key(*name)) {
        // The name is the planner's own text, so it goes into the detail, not into the chain.
        log.push(Decision::new(Gate::Trace, Verdict::Stop, Reason::ArgumentUnknown).about(&tool.name).detail(unknown));
        return Err(Halt::Stop(Stop { reason: Reason::ArgumentUnknown, scene: BTreeMap::new(), choices: Vec::new() }));
    }
    let tracer = Tracer { walk, frame };
    let said = tracer.bind(tool).map_err(|(reason, about)| refuse(log, reason, &about))?;
    let facts = tracer.facts(tool, &said).map_err(|halt| match halt {
        Missing::Reads(wants) => Halt::Need(wants),
        Missing::TooMany => refuse(log, Reason::TooManyReads, &tool.name),
    })?;
    let arguments = tracer.resolve(tool, said, &facts).map_err(|stop| {
        log.push(Decision::new(Gate::Trace, Verdict::Stop, stop.reason).about(&tool.name));
        Halt::Stop(stop)
    })?;
    let witnesses = arguments.values().map(|bound| bound.witness.clone()).collect();
    let opened = format!("serves {} opened by message {}", frame.intent, frame.opened_by);
    let decision = Decision::new(Gate::Trace, Verdict::Pass, Reason::Ok).about(&tool.name);
    log.push(decision.witnessed(witnesses).detail(opened));
    let scene = scene(&arguments, &facts);
    Ok(Traced { walk, tool, arguments, scene })
}

enum Missing {
    Reads(Vec<Want>),
    TooMany,
}

struct Tracer<'w> {
    walk: &'w Acting<'w>,
    frame: &'w Frame,
}

impl Tracer<'_> {
    /// The arguments as they were said, before named things become records.
    fn bind(&self, tool: &Tool) -> Result<BTreeMap<String, Bound>, (Reason, String)> {
        let mut bound: BTreeMap<String, Bound> = BTreeMap::new();
        // What belongs to another argument's row is looked for once that row is known, whatever the names' order.
        let of_none = tool.arguments.values().filter(|argument| argument.of.is_none());
        let of_some = tool.arguments.values().filter(|argument| argument.of.is_some());
        for argument in of_none.chain(of_some).filter(|argument| argument.computed.is_none()) {
            let fail = |reason| (reason, argument.name.clone());
            let Some(found) = self.origin(argument, &bound).map_err(fail)? else {
                if argument.is_required {
                    return Err(fail(Reason::ArgumentMissing));
                }
                continue;
            };
            if !argument.origins.contains(&found.witness.kind()) {
                return Err(fail(Reason::OriginNotAllowed));
            }
            bound.insert(argument.name.clone(), found);
        }
        for argument in tool.arguments.values() {
            if let Some(found) = self.computed(argument, &bound).map_err(|reason| (reason, argument.name.clone()))? {
                bound.insert(argument.name.clone(), found);
            }
        }
        Ok(bound)
    }

    /// One argument's value: from its slot, or from the window of evidence.
    fn origin(&self, argument: &Argument, bound: &BTreeMap<String, Bound>) -> Result<Option<Bound>, Reason> {
        let proposed = self.walk.call.arguments.get(&argument.name);
        if let Some(slot) = &argument.slot {
            let Some(given) = self.frame.slots.get(slot) else {
                return match (proposed, &argument.default) {
                    (Some(value), _) => Err(self.why_not(slot, value)),
                    (None, Some(value)) => Ok(Some(Bound { value: value.clone(), witness: Witness::Default })),
                    (None, None) => Ok(None),
                };
            };
            // A resolved argument is compared once its record is known.
            if let Some(value) = proposed.filter(|value| **value != given.value && argument.resolve.is_none()) {
                return Err(self.disagrees(slot, &given.value, value));
            }
            return Ok(Some(Bound { value: given.value.clone(), witness: given.witness.clone() }));
        }
        let Some(value) = proposed else {
            return Ok(argument.default.clone().map(|value| Bound { value, witness: Witness::Default }));
        };
        self.seen(argument, value, bound).map(Some)
    }

    /// Why a planner's value for an empty slot has no origin.
    fn why_not(&self, slot: &str, value: &Value) -> Reason {
        let is_withdrawn = self.frame.withdrawn.iter().any(|(name, old)| name == slot && old == value);
        if is_withdrawn {
            Reason::ValueWithdrawn
        } else if self.walk.state.evidence.said(value).is_some() {
            Reason::RoleMismatch
        } else {
            Reason::NoOrigin
        }
    }

    /// Why a planner's value differs from the slot's current one.
    fn disagrees(&self, slot: &str, current: &Value, proposed: &Value) -> Reason {
        if let (Value::Money(current), Value::Money(proposed)) = (current, proposed) {
            let scale = 10_i64.pow(current.currency.exponent());
            let is_scaled = proposed.minor.checked_mul(scale) == Some(current.minor)
                || current.minor.checked_mul(scale) == Some(proposed.minor);
            if is_scaled || current.currency != proposed.currency {
                return Reason::UnitMismatch;
            }
        }
        let elsewhere = self.frame.slots.iter().any(|(name, given)| name != slot && given.value == *proposed);
        if elsewhere { Reason::RoleMismatch } else { self.why_not(slot, proposed) }
    }

    /// A planner's value without a slot: fixed search order, admissible origins only.
    fn seen(&self, argument: &Argument, value: &Value, bound: &BTreeMap<String, Bound>) -> Result<Bound, Reason> {
        let evidence = &self.walk.state.evidence;
        if argument.default.as_ref() == Some(value) {
            return Ok(Bound { value: value.clone(), witness: Witness::Default });
        }
        if self.frame.withdrawn.iter().any(|(_, old)| old == value) {
            return Err(Reason::ValueWithdrawn);
        }
        if let Some(witness) = evidence.said(value).filter(|_| argument.origins.contains(&OriginKind::Span)) {
            return Ok(Bound { value: value.clone(), witness });
        }
        for (source, field) in &argument.results {
            let Some((witness, returned)) = self.in_row(argument, value, (source, field), bound)? else { continue };
            let age = self.walk.now.duration_since(returned.at).as_secs();
            if age > argument.lifetime_s {
                return Err(Reason::FactStale);
            }
            return Ok(Bound { value: value.clone(), witness });
        }
        let was_seen = evidence.said(value).is_some()
            || evidence.returned.iter().any(|r| r.rows.iter().any(|row| row.values().any(|field| field == value)));
        Err(if was_seen { Reason::OriginNotAllowed } else { Reason::NoOrigin })
    }

    /// Where a result holds the value; an argument declared `of` another only counts in the very row that one names.
    fn in_row(
        &self,
        argument: &Argument,
        value: &Value,
        (source, field): (&str, &str),
        bound: &BTreeMap<String, Bound>,
    ) -> Result<Option<(Witness, &Returned)>, Reason> {
        let evidence = &self.walk.state.evidence;
        let anywhere = evidence.returned(source, field, value);
        let Some(other) = &argument.of else { return Ok(anywhere) };
        if anywhere.is_none() {
            return Ok(None);
        }
        let place = bound.get(other).and_then(|other| place(&other.witness)).ok_or(Reason::RowMismatch)?;
        let returned = evidence.returned.iter().find(|returned| returned.call == place.0 && returned.source == source);
        let row = returned.and_then(|returned| returned.rows.get(place.1 as usize));
        match (returned, row.and_then(|row| row.get(field))) {
            (Some(returned), Some(found)) if found == value => {
                let witness = Witness::Result { call: place.0, row: place.1, field: field.to_owned() };
                Ok(Some((witness, returned)))
            }
            _ => Err(Reason::RowMismatch),
        }
    }

    /// A computed argument; a planner's value must be equal.
    fn computed(&self, argument: &Argument, bound: &BTreeMap<String, Bound>) -> Result<Option<Bound>, Reason> {
        let Some(expression) = &argument.computed else { return Ok(None) };
        let mut env: BTreeMap<String, Value> =
            bound.iter().map(|(name, bound)| (name.clone(), bound.value.clone())).collect();
        env.insert("today".to_owned(), Value::Date(self.walk.today));
        let crate::expr::Outcome::Value(value) = expression.eval(&env) else { return Err(Reason::CannotDecide) };
        if self.walk.call.arguments.get(&argument.name).is_some_and(|proposed| *proposed != value) {
            return Err(Reason::NoOrigin);
        }
        let names = expression.names();
        let of = bound.iter().filter(|(name, _)| names.contains(*name)).map(|(_, bound)| bound.witness.clone());
        Ok(Some(Bound { value, witness: Witness::Computed { of: of.collect() } }))
    }

    /// The facts the tool declares, or the reads that are still to be made.
    fn facts(&self, tool: &Tool, said: &BTreeMap<String, Bound>) -> Result<BTreeMap<String, FactRows>, Missing> {
        let (mut facts, mut wants) = (BTreeMap::new(), Vec::new());
        for fact in &tool.facts {
            let bind = |(param, argument): (&String, &String)| {
                said.get(argument).map(|bound| (param.clone(), bound.value.clone()))
            };
            let Some(params) = fact.with.iter().map(bind).collect::<Option<BTreeMap<_, _>>>() else { continue };
            match self.walk.facts.get(&fact.name).filter(|rows| rows.params == params) {
                Some(rows) => {
                    facts.insert(fact.name.clone(), rows.clone());
                }
                None => wants.push(Want { fact: fact.name.clone(), read: fact.read.clone(), params }),
            }
        }
        if wants.is_empty() {
            return Ok(facts);
        }
        let reads = usize::from(self.walk.state.counters.reads) + wants.len();
        Err(if reads > READS_MAX { Missing::TooMany } else { Missing::Reads(wants) })
    }

    /// Named things become the records that bear the name.
    fn resolve(
        &self,
        tool: &Tool,
        mut arguments: BTreeMap<String, Bound>,
        facts: &BTreeMap<String, FactRows>,
    ) -> Result<BTreeMap<String, Bound>, Stop> {
        for argument in tool.arguments.values() {
            let (Some(resolve), Some(bound)) = (&argument.resolve, arguments.get(&argument.name)) else { continue };
            let found = link(resolve, bound, facts).map_err(|(reason, choices)| {
                let mut scene = scene(&arguments, facts);
                let rows = choices.iter().cloned().map(Value::Record).collect();
                scene.insert("choices".to_owned(), Value::List(rows));
                Stop { reason, scene, choices }
            })?;
            let proposed = self.walk.call.arguments.get(&argument.name);
            if proposed.is_some_and(|value| *value != found.value && *value != bound.value) {
                return Err(Stop { reason: Reason::LinkMismatch, scene: BTreeMap::new(), choices: Vec::new() });
            }
            arguments.insert(argument.name.clone(), found);
        }
        Ok(arguments)
    }
}

/// The call and row a witness points at, if it points at one.
fn place(witness: &Witness) -> Option<(u64, u32)> {
    let found = if let Witness::Linked { found, .. } = witness { found } else { witness };
    if let Witness::Result { call, row, .. } = found { Some((*call, *row)) } else { None }
}

type Choices = Vec<BTreeMap<String, Value>>;

/// The one row that bears the name, or why there is not one.
fn link(resolve: &Resolve, bound: &Bound, facts: &BTreeMap<String, FactRows>) -> Result<Bound, (Reason, Choices)> {
    let none = || (Reason::NotFound, Vec::new());
    let fact = facts.get(&resolve.fact).ok_or_else(none)?;
    let labels: Vec<&str> =
        fact.rows.iter().map(|row| row.get(&resolve.field).and_then(Value::as_text).unwrap_or("")).collect();
    let said = bound.value.as_text().ok_or_else(none)?;
    let matches = fill::best_match(&labels, said).ok_or_else(none)?;
    let [index] = matches.as_slice() else {
        let choices = matches.iter().filter_map(|index| fact.rows.get(*index).cloned()).collect();
        return Err((Reason::AmbiguousMatch, choices));
    };
    let value = fact.rows.get(*index).and_then(|row| row.get(&resolve.field)).cloned().ok_or_else(none)?;
    let row = u32::try_from(*index).unwrap_or(u32::MAX);
    let found = Witness::Result { call: fact.number, row, field: resolve.field.clone() };
    let witness = Witness::Linked { said: Box::new(bound.witness.clone()), found: Box::new(found) };
    Ok(Bound { value, witness })
}

/// What preconditions, questions and sentences may look at: arguments, and the row each fact stands for.
fn scene(arguments: &BTreeMap<String, Bound>, facts: &BTreeMap<String, FactRows>) -> BTreeMap<String, Value> {
    let mut scene: BTreeMap<String, Value> =
        arguments.iter().map(|(name, bound)| (name.clone(), bound.value.clone())).collect();
    for (name, fact) in facts {
        let row_of = |bound: &Bound| {
            let is_linked = matches!(bound.witness, Witness::Linked { .. });
            let (_, row) = place(&bound.witness).filter(|(call, _)| is_linked && *call == fact.number)?;
            Some(row as usize)
        };
        let index = arguments.values().find_map(row_of).unwrap_or(0);
        if let Some(row) = fact.rows.get(index) {
            scene.insert(name.clone(), Value::Record(row.clone()));
        }
    }
    scene
}
