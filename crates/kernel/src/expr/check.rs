//! The static check: names and types, once, when a pack is loaded.
//!
//! Invariant: a plan that leaves this file runs without type surprises on values that fit the scope; two sides of an
//! operator have been brought to one type here, so evaluation never converts between money and numbers.
//! Deliberately absent: inference across expressions, and any conversion that could lose a digit.

mod call;
mod coerce;

use std::sync::Arc;

use countersign_nlu::{Span, Value};

use super::FAULTS_MAX;
use super::ast::{Arithmetic, Ast, Comparison, Node, NodeKind, Part};
use super::eval::{Checked, Inner, Op, Path, Plan};
use super::exact::DAY_SECONDS;
use super::fault::{Fault, nearest};
use super::types::{Scope, Type};

/// Checks an expression against the names it may read and the type it must have.
///
/// # Errors
/// Every fault found, at most [`FAULTS_MAX`], in the order of reading.
pub fn check(ast: &Ast, scope: &Scope, expected: &Type) -> Result<Checked, Vec<Fault>> {
    let mut checker = Checker { scope, faults: Vec::new() };
    let plan = checker.infer(ast.root()).and_then(|typed| checker.coerce(typed, expected.plain()));
    match plan {
        Some(plan) if checker.faults.is_empty() => {
            Ok(Checked(Arc::new(Inner { source: ast.source().to_owned(), plan, ty: expected.plain().clone() })))
        }
        Some(_) | None => Err(checker.faults),
    }
}

/// A plan and the type of its value; the type is never `Optional` at the top.
struct Typed {
    plan: Plan,
    ty: Type,
}

impl Typed {
    fn new(span: Span, op: Op, ty: Type) -> Option<Self> {
        Some(Self { plan: Plan { span, op }, ty })
    }
}

struct Checker<'s> {
    scope: &'s Scope,
    faults: Vec<Fault>,
}

impl Checker<'_> {
    /// Notes a fault; `None` says that the node has no type.
    fn fault<T>(&mut self, fault: Fault) -> Option<T> {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
        None
    }

    /// The plan and type of a node, or none after noting at least one fault.
    fn infer(&mut self, node: &Node) -> Option<Typed> {
        let span = node.span;
        match &node.kind {
            NodeKind::Bool(is_true) => Typed::new(span, Op::Constant(Value::Bool(*is_true)), Type::Bool),
            NodeKind::Int(n) => Typed::new(span, Op::Constant(Value::Int(*n)), Type::Int),
            NodeKind::Decimal(n) => Typed::new(span, Op::Constant(Value::Decimal(*n)), Type::Decimal),
            NodeKind::Text(text) => Typed::new(span, Op::Constant(Value::text(text)), Type::Text),
            NodeKind::List(nodes) => self.list(span, nodes),
            NodeKind::Path(parts) => {
                let path = self.path(parts)?;
                let ty = path.ty.clone();
                Typed::new(span, Op::Read(Box::new(path)), ty)
            }
            NodeKind::Call { name, args } => self.call(span, name, args),
            NodeKind::Not(inner) => {
                let inner = self.condition(inner)?;
                Typed::new(span, Op::Not(Box::new(inner)), Type::Bool)
            }
            NodeKind::Negate(inner) => self.negate(span, inner),
            NodeKind::All(nodes) => {
                let plans = self.conditions(nodes)?;
                Typed::new(span, Op::All(plans), Type::Bool)
            }
            NodeKind::Any(nodes) => {
                let plans = self.conditions(nodes)?;
                Typed::new(span, Op::Any(plans), Type::Bool)
            }
            NodeKind::Compare(comparison, left, right) => self.compare(span, *comparison, left, right),
            NodeKind::Within(item, list) => self.within(span, item, list),
            NodeKind::Arithmetic(operator, left, right) => self.arithmetic(span, *operator, left, right),
            NodeKind::Choose(condition, yes, no) => self.choose(span, condition, yes, no),
        }
    }

    /// Both nodes, so that faults on both sides are reported.
    fn both(&mut self, left: &Node, right: &Node) -> Option<(Typed, Typed)> {
        let (left, right) = (self.infer(left), self.infer(right));
        left.zip(right)
    }

    fn condition(&mut self, node: &Node) -> Option<Plan> {
        let typed = self.infer(node)?;
        if typed.ty == Type::Bool {
            return Some(typed.plan);
        }
        let fault = Fault::new("expr/type", node.span, format!("expected a condition, this is {}", typed.ty));
        self.fault(fault.help("compare it with something, such as `x == 1`, or ask `has(x)`"))
    }

    fn conditions(&mut self, nodes: &[Node]) -> Option<Vec<Plan>> {
        let plans: Vec<Option<Plan>> = nodes.iter().map(|node| self.condition(node)).collect();
        plans.into_iter().collect()
    }

    fn list(&mut self, span: Span, nodes: &[Node]) -> Option<Typed> {
        let typed: Vec<Option<Typed>> = nodes.iter().map(|node| self.infer(node)).collect();
        let typed: Vec<Typed> = typed.into_iter().collect::<Option<_>>()?;
        let mut element: Option<Type> = None;
        for item in &typed {
            let joined = element.as_ref().map_or_else(|| Some(item.ty.clone()), |ty| ty.join(&item.ty));
            if joined.is_none() {
                let message = format!("a list holds one type; {} stands beside {}", item.ty, shown(element.as_ref()));
                return self.fault(Fault::new("expr/type", item.plan.span, message));
            }
            element = joined;
        }
        let Some(element) = element else {
            let fault = Fault::new("expr/empty_list", span, "an empty list has no type and contains nothing");
            return self.fault(fault);
        };
        let plans: Vec<Option<Plan>> = typed.into_iter().map(|item| self.coerce(item, &element)).collect();
        Typed::new(span, Op::List(plans.into_iter().collect::<Option<_>>()?), Type::List(Box::new(element)))
    }

    /// Looks a path up in the scope, part by part.
    fn path(&mut self, parts: &[Part]) -> Option<Path> {
        let (first, rest) = parts.split_first()?;
        let scope = self.scope;
        let Some(mut ty) = scope.get(&first.name) else {
            let fault = Fault::new("expr/unknown_name", first.span, format!("unknown name `{}`", first.name));
            let help = nearest(&first.name, scope.names()).map(|name| format!("did you mean `{name}`?"));
            return self.fault(Fault { help, ..fault });
        };
        let mut above = first.name.as_str();
        for part in rest {
            let Type::Record(fields) = ty.plain() else {
                let message = format!("`{above}` is {ty} and has no fields");
                let fault = Fault::new("expr/not_a_record", part.span, message);
                return self.fault(fault);
            };
            let Some(field) = fields.get(&part.name) else {
                let message = format!("`{above}` has no field `{}`", part.name);
                let help = nearest(&part.name, fields.keys().map(String::as_str));
                let help = help.map(|name| format!("did you mean `{name}`?"));
                return self.fault(Fault { help, ..Fault::new("expr/unknown_field", part.span, message) });
            };
            (ty, above) = (field, &part.name);
        }
        Some(Path {
            dotted: parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join("."),
            name: first.name.clone(),
            fields: rest.iter().map(|part| part.name.clone()).collect(),
            ty: ty.plain().clone(),
        })
    }

    fn negate(&mut self, span: Span, node: &Node) -> Option<Typed> {
        let typed = self.infer(node)?;
        if typed.ty.is_number() || matches!(typed.ty, Type::Money(_) | Type::Duration) {
            return Typed::new(span, Op::Negate(Box::new(typed.plan)), typed.ty);
        }
        self.fault(Fault::new("expr/type", node.span, format!("{} has no sign to turn", typed.ty)))
    }

    fn compare(&mut self, span: Span, comparison: Comparison, left: &Node, right: &Node) -> Option<Typed> {
        let is_chained = matches!(&left.kind, NodeKind::Compare(inner, ..) if !inner.is_equality());
        let (left, right) = self.both(left, right)?;
        if is_chained && right.ty != Type::Bool {
            let fault = Fault::new("expr/type", span, "comparisons do not chain");
            return self.fault(fault.help("write `a < b && b < c`"));
        }
        let (pair, ty) = self.unify(span, left, right)?;
        let is_allowed = if comparison.is_equality() { ty.is_equatable() } else { ty.is_ordered() };
        if !is_allowed {
            let message = format!("{ty} cannot be compared with `{}`", comparison.symbol());
            return self.fault(Fault::new("expr/type", span, message));
        }
        Typed::new(span, Op::Compare(comparison, pair), Type::Bool)
    }

    fn within(&mut self, span: Span, item: &Node, list: &Node) -> Option<Typed> {
        let (item, list) = self.both(item, list)?;
        let Type::List(element) = &list.ty else {
            let message = format!("`in` looks into a list, this is {}", list.ty);
            let fault = Fault::new("expr/type", list.plan.span, message);
            let is_text = list.ty == Type::Text;
            return self.fault(if is_text { fault.help("write `contains(text, part)`") } else { fault });
        };
        let element = (**element).clone();
        let Some(joined) = item.ty.join(&element).filter(Type::is_scalar) else {
            return self.fault(coerce::mismatch(span, &item, &Typed { plan: list.plan, ty: element }));
        };
        // The list keeps its own absence: a null element is dealt with when it is met.
        let is_optional = matches!(element, Type::Optional(_));
        let wanted = if is_optional { Type::Optional(Box::new(joined.clone())) } else { joined.clone() };
        let item = self.coerce(item, &joined);
        let list = self.coerce(list, &Type::List(Box::new(wanted)));
        let (item, list) = item.zip(list.map(coerce::frozen))?;
        Typed::new(span, Op::Within(Box::new([item, list])), Type::Bool)
    }

    fn choose(&mut self, span: Span, condition: &Node, yes: &Node, no: &Node) -> Option<Typed> {
        let condition = self.condition(condition);
        let (yes, no) = self.both(yes, no)?;
        let (pair, ty) = self.unify(span, yes, no)?;
        let [yes, no] = *pair;
        Typed::new(span, Op::Choose(Box::new([condition?, yes, no])), ty)
    }

    fn arithmetic(&mut self, span: Span, operator: Arithmetic, left: &Node, right: &Node) -> Option<Typed> {
        let (left, right) = self.both(left, right)?;
        if let Some(ty) = mixed(operator, &left.ty, &right.ty) {
            self.whole_days(&ty, &right)?;
            return Typed::new(span, Op::Arithmetic(operator, Box::new([left.plan, right.plan])), ty);
        }
        let is_product = operator == Arithmetic::Multiply;
        let has_money = [&left.ty, &right.ty].iter().any(|ty| matches!(ty, Type::Money(_)));
        if is_product && has_money {
            let fault = Fault::new("expr/type", span, format!("{} times {} is not an amount", left.ty, right.ty));
            return self.fault(fault.help("multiply money by an int, or use `major(x)` for an exact decimal"));
        }
        let (pair, ty) = self.unify(span, left, right)?;
        let is_allowed = match operator {
            Arithmetic::Multiply => ty.is_number(),
            Arithmetic::Subtract => ty.is_number() || matches!(ty, Type::Money(_) | Type::Duration),
            Arithmetic::Add => ty.is_number() || matches!(ty, Type::Money(_) | Type::Duration | Type::Text),
        };
        if is_allowed {
            return Typed::new(span, Op::Arithmetic(operator, pair), ty);
        }
        self.fault(Fault::new("expr/type", span, format!("`{}` does not work on {ty}", operator.symbol())))
    }

    /// Refuses a written duration that cannot move a date.
    fn whole_days(&mut self, ty: &Type, right: &Typed) -> Option<()> {
        if let Op::Constant(Value::Duration(seconds)) = right.plan.op
            && *ty == Type::Date
            && seconds % DAY_SECONDS != 0
        {
            let fault = Fault::new("expr/constant", right.plan.span, "a date moves by whole days only");
            return self.fault(fault.help("write `days(1)`"));
        }
        Some(())
    }
}

/// The type of an operation on two different types, if there is such an operation.
fn mixed(operator: Arithmetic, left: &Type, right: &Type) -> Option<Type> {
    match (operator, left, right) {
        (Arithmetic::Add | Arithmetic::Subtract, Type::Date, Type::Duration)
        | (Arithmetic::Add, Type::Duration, Type::Date) => Some(Type::Date),
        (Arithmetic::Add | Arithmetic::Subtract, Type::Instant, Type::Duration)
        | (Arithmetic::Add, Type::Duration, Type::Instant) => Some(Type::Instant),
        (Arithmetic::Subtract, Type::Date, Type::Date) | (Arithmetic::Subtract, Type::Instant, Type::Instant) => {
            Some(Type::Duration)
        }
        (Arithmetic::Multiply, Type::Money(currency), Type::Int)
        | (Arithmetic::Multiply, Type::Int, Type::Money(currency)) => Some(Type::Money(*currency)),
        (Arithmetic::Multiply, Type::Duration, Type::Int) | (Arithmetic::Multiply, Type::Int, Type::Duration) => {
            Some(Type::Duration)
        }
        (_, _, _) => None,
    }
}

fn shown(ty: Option<&Type>) -> String {
    ty.map_or_else(|| "nothing".to_owned(), Type::to_string)
}
