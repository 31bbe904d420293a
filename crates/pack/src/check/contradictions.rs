//! Conditions that must all hold leave at least one value, as far as whole-number bounds can tell.
//!
//! `minor(amount) > 100` beside `minor(amount) <= 50` stops everybody, although each is fine by itself. Only
//! comparisons of one term with a written whole number are looked at; anything else is taken to be satisfiable, so
//! the check never refuses a pack that could work.

use std::collections::BTreeMap;

use countersign_kernel::expr::{self, Comparison, Node, NodeKind};

use super::{Check, Code, Context};
use crate::load::{INTENTS, TOOLS};
use crate::notes::Notes;
use crate::raw::Text;

const CONTRADICT: Code = Code {
    code: "pack/rules_contradict",
    help: "no value satisfies this and the conditions before it; mend one of them",
};

pub(super) const CHECK: Check = Check { codes: &[CONTRADICT], needs_names: false, run };

/// Functions whose value is a whole number, so that `> 5` means at least 6.
const WHOLE: [&str; 3] = ["minor", "size", "weekday"];

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (_, slot) in context.raw.intents.slots.iter() {
        together(INTENTS, slot.rules.iter().map(|rule| &rule.check), notes);
    }
    for (_, slot) in context.raw.tenant.iter().flat_map(|tenant| tenant.slots.iter()) {
        together(&context.overlay, slot.rules.iter().map(|rule| &rule.check), notes);
    }
    for (_, tool) in context.raw.tools.tools.iter() {
        together(TOOLS, tool.preconditions.iter().filter_map(|condition| condition.check.as_ref()), notes);
    }
}

/// The values a term may still have.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: i64,
    high: i64,
}

/// Narrows the range of every term, condition by condition; the first one that leaves nothing is told.
fn together<'t>(file: &str, checks: impl Iterator<Item = &'t Text>, notes: &mut Notes<'_>) {
    let mut ranges: BTreeMap<String, Range> = BTreeMap::new();
    for written in checks {
        let Ok(ast) = expr::parse(&written.value) else { continue };
        let mut is_empty = false;
        for (comparison, left, right) in comparisons(ast.root()) {
            if let Some((term, range)) = bound(&written.value, comparison, left, right) {
                let known = ranges.entry(term).or_insert(Range { low: i64::MIN, high: i64::MAX });
                *known = Range { low: known.low.max(range.low), high: known.high.min(range.high) };
                is_empty |= known.low > known.high;
            }
        }
        if is_empty {
            let message = format!("`{}` contradicts what is asked beside it", written.value);
            notes.error(CONTRADICT.code, (file, written.span), message, CONTRADICT.help.to_owned());
            return;
        }
    }
}

/// The comparisons that must all hold for a condition to hold.
fn comparisons(root: &Node) -> Vec<(Comparison, &Node, &Node)> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if let NodeKind::All(nodes) = &node.kind {
            open.extend(nodes);
        }
        if let NodeKind::Compare(comparison, left, right) = &node.kind {
            found.push((*comparison, left.as_ref(), right.as_ref()));
        }
    }
    found
}

/// The term of a comparison with a written whole number, and what it allows.
fn bound(source: &str, comparison: Comparison, left: &Node, right: &Node) -> Option<(String, Range)> {
    let (term, number, comparison) = match (&left.kind, &right.kind) {
        (_, NodeKind::Int(number)) => (left, *number, comparison),
        (NodeKind::Int(number), _) => (right, *number, turned(comparison)),
        (_, _) => return None,
    };
    let is_whole = match &term.kind {
        NodeKind::Call { name, .. } => WHOLE.contains(&name.name.as_str()),
        NodeKind::Path(_) => false,
        NodeKind::Bool(_)
        | NodeKind::Int(_)
        | NodeKind::Decimal(_)
        | NodeKind::Text(_)
        | NodeKind::List(_)
        | NodeKind::Not(_)
        | NodeKind::Negate(_)
        | NodeKind::All(_)
        | NodeKind::Any(_)
        | NodeKind::Compare(..)
        | NodeKind::Within(..)
        | NodeKind::Arithmetic(..)
        | NodeKind::Choose(..) => return None,
    };
    let step = i64::from(is_whole);
    let (low, high) = match comparison {
        Comparison::Equal => (number, number),
        Comparison::Unequal => (i64::MIN, i64::MAX),
        Comparison::Less => (i64::MIN, number.saturating_sub(step)),
        Comparison::LessOrEqual => (i64::MIN, number),
        Comparison::Greater => (number.saturating_add(step), i64::MAX),
        Comparison::GreaterOrEqual => (number, i64::MAX),
    };
    Some((term.span.of(source).to_owned(), Range { low, high }))
}

/// `5 < x` is `x > 5`.
fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::Equal,
        Comparison::Unequal => Comparison::Unequal,
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn check(checks: &[&str], is_fine: bool) {
        let source = Source::default();
        let mut notes = Notes::new(&source);
        let texts: Vec<Text> =
            checks.iter().map(|check| Text { value: (*check).to_owned(), ..Text::default() }).collect();
        together(INTENTS, texts.iter(), &mut notes);
        assert_eq!(notes.list.is_empty(), is_fine, "{checks:?}");
    }

    #[test]
    fn both_sides_of_every_bound() {
        check(&["minor(a) > 0", "minor(a) <= 1"], true);
        check(&["minor(a) > 0", "minor(a) < 1"], false);
        check(&["minor(a) >= 5 && minor(a) <= 4"], false);
        check(&["minor(a) >= 5 && 5 >= minor(a)"], true);
        check(&["minor(a) == 5", "minor(a) != 5"], true);
        check(&["minor(a) == 5", "minor(a) == 6"], false);
        check(&["minor(a) > 9", "minor(b) < 3"], true);
        check(&["minor(a) > 9 || minor(a) < 3", "minor(a) == 5"], true);
        check(&["n > 5", "n < 6"], true);
        check(&["n > 6", "n < 5"], false);
    }
}
