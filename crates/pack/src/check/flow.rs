//! How a journey can go on from a step.

use std::collections::BTreeSet;

use countersign_kernel::policy::{Body, Ending, Journey, Step};

/// A way from one step to another; the ending of the call it belongs to, if it belongs to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) ending: Option<Ending>,
}

/// Every way out of a step. A handoff has none: a person goes on from there.
pub(super) fn edges(step: &Step) -> Vec<Edge> {
    let plain = |to: usize| Edge { to, ending: None };
    match &step.body {
        Body::Collect { .. } | Body::Choose { .. } | Body::Plan { .. } | Body::Say { .. } | Body::Answer { .. } => {
            vec![plain(step.next)]
        }
        Body::Call { on, .. } => {
            let mut edges: Vec<Edge> = on.iter().map(|(ending, to)| Edge { to: *to, ending: Some(*ending) }).collect();
            if !on.contains_key(&Ending::Done) {
                edges.push(Edge { to: step.next, ending: Some(Ending::Done) });
            }
            edges
        }
        Body::Branch { cases, otherwise } => {
            cases.iter().map(|(_, to)| plain(*to)).chain([plain(*otherwise)]).collect()
        }
        Body::Handoff { .. } | Body::End => Vec::new(),
    }
}

/// Every step that can be reached from a step along the edges that `is_taken` accepts, the step itself included.
pub(super) fn reach(journey: &Journey, from: usize, is_taken: &dyn Fn(usize, &Edge) -> bool) -> BTreeSet<usize> {
    let mut seen: BTreeSet<usize> = [from].into();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        let Some(step) = journey.steps.get(at) else { continue };
        for edge in edges(step) {
            if is_taken(at, &edge) && seen.insert(edge.to) {
                open.push(edge.to);
            }
        }
    }
    seen
}

/// True if a step can be reached again from itself along the accepted edges.
pub(super) fn is_on_cycle(journey: &Journey, at: usize, is_taken: &dyn Fn(usize, &Edge) -> bool) -> bool {
    let Some(step) = journey.steps.get(at) else { return false };
    edges(step).iter().filter(|edge| is_taken(at, edge)).any(|edge| reach(journey, edge.to, is_taken).contains(&at))
}
