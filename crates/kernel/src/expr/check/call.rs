//! Calls: `has`, and every entry of the function table.
//!
//! Invariant: a written date and a written pattern are read here, so evaluation cannot fail on them.
//! Deliberately absent: overloads. A function takes what its entry says.

use std::borrow::Cow;

use countersign_nlu::{Currency, Span, Value};
use regex::{Regex, RegexBuilder};

use super::{Checker, Typed};
use crate::expr::ast::{Node, NodeKind, Part};
use crate::expr::eval::{Call, Op, Plan};
use crate::expr::fault::{Fault, nearest};
use crate::expr::functions::{self, Function, Given, Gives, Takes};
use crate::expr::types::Type;

/// Memory one compiled pattern may take, in bytes: a policy holds hundreds of them.
const PATTERN_SIZE_MAX: usize = 256 * 1024;
/// Deepest nesting of a pattern.
const PATTERN_DEPTH_MAX: u32 = 32;

impl Checker<'_> {
    pub(super) fn call(&mut self, span: Span, name: &Part, args: &[Node]) -> Option<Typed> {
        if name.name == "has" {
            return self.has(span, args);
        }
        let Some(function) = functions::find(&name.name) else {
            // The arguments are checked all the same, so that one run shows every mistake.
            args.iter().for_each(|arg| drop(self.infer(arg)));
            let help = nearest(&name.name, functions::functions().map(|(name, _)| name));
            let help = help.map(|name| format!("did you mean `{name}`?"));
            let fault = Fault::new("expr/unknown_function", name.span, format!("unknown function `{}`", name.name));
            return self.fault(Fault { help, ..fault });
        };
        if args.len() != function.takes.len() {
            let message = format!("`{}` takes {}, found {}", name.name, function.takes.len(), args.len());
            let fault = Fault::new("expr/argument_count", span, message);
            return self.fault(fault.help(format!("write `{}`", function.usage)));
        }
        let typed: Vec<Option<Typed>> =
            args.iter().zip(function.takes).map(|(arg, takes)| self.argument(function, arg, *takes)).collect();
        let typed: Vec<Typed> = typed.into_iter().collect::<Option<_>>()?;
        let (args, same) = self.joined(span, function, typed)?;
        let pattern = self.pattern(function, &args)?;
        let call = Call { function, args, pattern };
        self.folded(span, call, same)
    }

    /// `has(a.b)`: true if every part is there and not null.
    fn has(&mut self, span: Span, args: &[Node]) -> Option<Typed> {
        match args {
            [Node { kind: NodeKind::Path(parts), .. }] => {
                let path = self.path(parts)?;
                Typed::new(span, Op::Has(Box::new(path)), Type::Bool)
            }
            [other] => {
                let fault = Fault::new("expr/argument", other.span, "`has` asks about a name or a field");
                self.fault(fault.help("write `has(x)` or `has(x.y)`"))
            }
            _ => {
                let message = format!("`has` takes 1, found {}", args.len());
                self.fault(Fault::new("expr/argument_count", span, message).help("write `has(path)`"))
            }
        }
    }

    /// One argument, if it is what the function takes there.
    fn argument(&mut self, function: &Function, arg: &Node, takes: Takes) -> Option<Typed> {
        let typed = self.infer(arg)?;
        let (is_fine, wanted) = match takes {
            Takes::Int => (typed.ty == Type::Int, "an int"),
            Takes::Money => (matches!(typed.ty, Type::Money(_)), "money"),
            Takes::Text => (typed.ty == Type::Text, "text"),
            Takes::Written | Takes::Pattern => {
                (matches!(arg.kind, NodeKind::Text(_)), "a text that is written out here")
            }
            Takes::Date => (typed.ty == Type::Date, "a date"),
            Takes::Sized => (matches!(typed.ty, Type::List(_) | Type::Text), "a list or text"),
            Takes::Signed => {
                let is_fine = typed.ty.is_number() || matches!(typed.ty, Type::Money(_) | Type::Duration);
                (is_fine, "a number, money or a duration")
            }
            Takes::Ordered => (typed.ty.is_ordered(), "something with an order"),
        };
        if is_fine {
            return Some(typed);
        }
        let message = format!("`{}` takes {wanted} here, this is {}", function.name, typed.ty);
        self.fault(Fault::new("expr/argument", arg.span, message).help(format!("write `{}`", function.usage)))
    }

    /// Brings the arguments of `min` and its like to one type; the type is what `Same` stands for.
    fn joined(&mut self, span: Span, function: &Function, typed: Vec<Typed>) -> Option<(Vec<Plan>, Type)> {
        let mut same = typed.first()?.ty.clone();
        if !function.takes.contains(&Takes::Ordered) {
            return Some((typed.into_iter().map(|typed| typed.plan).collect(), same));
        }
        for item in &typed {
            let Some(joined) = same.join(&item.ty) else {
                let message = format!("{same} and {} do not go together", item.ty);
                let are_money = matches!((&same, &item.ty), (Type::Money(_), Type::Money(_)));
                let code = if are_money { "expr/currency" } else { "expr/type" };
                return self.fault(Fault::new(code, span, message));
            };
            same = joined;
        }
        let plans: Vec<Option<Plan>> = typed.into_iter().map(|item| self.coerce(item, &same)).collect();
        Some((plans.into_iter().collect::<Option<_>>()?, same))
    }

    /// Compiles the pattern among the arguments, if the function takes one.
    fn pattern(&mut self, function: &Function, args: &[Plan]) -> Option<Option<Regex>> {
        let mut places = function.takes.iter().zip(args);
        let Some((_, Plan { span, op: Op::Constant(Value::Text(pattern)) })) =
            places.find(|(takes, _)| **takes == Takes::Pattern)
        else {
            return Some(None);
        };
        let built = RegexBuilder::new(pattern)
            .size_limit(PATTERN_SIZE_MAX)
            .dfa_size_limit(PATTERN_SIZE_MAX)
            .nest_limit(PATTERN_DEPTH_MAX)
            .build();
        match built {
            Ok(pattern) => Some(Some(pattern)),
            Err(error) => {
                let words = error.to_string();
                let last = words.lines().last().unwrap_or_default().trim_start_matches("error: ").trim_end_matches('.');
                self.fault(Fault::new("expr/pattern", *span, format!("not a usable pattern: {last}")))
            }
        }
    }

    /// The call, or its answer if everything it needs is written here.
    fn folded(&mut self, span: Span, call: Call, same: Type) -> Option<Typed> {
        let ty = match call.function.gives {
            Gives::Bool => Type::Bool,
            Gives::Int => Type::Int,
            Gives::Decimal => Type::Decimal,
            Gives::Text => Type::Text,
            Gives::Date => Type::Date,
            Gives::Time => Type::Time,
            Gives::Duration => Type::Duration,
            Gives::Real => Type::Money(Currency::BRL),
            Gives::Same => same,
        };
        // Numbers stay calls: a folded number would look like a literal and could become money.
        let constants: Option<Vec<Cow<'_, Value>>> = call.args.iter().map(constant).collect();
        let Some(values) = constants.filter(|_| matches!(ty, Type::Date | Type::Time | Type::Duration)) else {
            return Typed::new(span, Op::Call(Box::new(call)), ty);
        };
        match (call.function.run)(&Given { values: &values, pattern: call.pattern.as_ref() }) {
            Ok(value) => Typed::new(span, Op::Constant(value), ty),
            Err(why) => {
                let fault = Fault::new("expr/constant", span, format!("this {}", why.words()));
                self.fault(fault.help(format!("write `{}`", call.function.usage)))
            }
        }
    }
}

fn constant(plan: &Plan) -> Option<Cow<'_, Value>> {
    if let Op::Constant(value) = &plan.op { Some(Cow::Borrowed(value)) } else { None }
}
