//! Tokens to a syntax tree: operator precedence of CEL, one pass, no backtracking.
//!
//! Invariant: recursion is at most [`DEPTH_MAX`] levels, counted before going down.
//! Deliberately absent: method calls, indexing, maps and comprehensions; each is refused with what to write instead.

use std::str::FromStr;

use countersign_nlu::Span;
use rust_decimal::Decimal;

use super::ast::{Arithmetic, Ast, Comparison, Node, NodeKind, Part};
use super::fault::Fault;
use super::lexer::{Token, tokens};
use super::{DEPTH_MAX, NODES_MAX, SOURCE_MAX};

/// Parses one expression.
///
/// # Errors
/// The first place where the text stops being an expression, or the limit it breaks.
pub fn parse(source: &str) -> Result<Ast, Fault> {
    if source.len() > SOURCE_MAX {
        let message = format!("{} bytes are more than the {SOURCE_MAX} an expression may have", source.len());
        let fault = Fault::new("expr/too_long", Span::new(0, source.len()), message);
        return Err(fault.help("split it into several rules"));
    }
    let mut parser = Parser { tokens: tokens(source)?, at: 0, depth: 0, nodes: 0 };
    let root = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(Ast { source: source.to_owned(), root }),
        Token::Number(_) | Token::Text(_) | Token::Name(_) | Token::Symbol(_) => Err(parser.leftover()),
    }
}

/// How tightly an operator binds; the ternary is below all of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Power {
    Or,
    And,
    Relation,
    Sum,
    Product,
    /// Above every operator: nothing binds as tightly.
    Operand,
}

impl Power {
    /// The next tighter level: what the right side of a left-associative operator is read with.
    fn tighter(self) -> Power {
        match self {
            Power::Or => Power::And,
            Power::And => Power::Relation,
            Power::Relation => Power::Sum,
            Power::Sum => Power::Product,
            Power::Product | Power::Operand => Power::Operand,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Compare(Comparison),
    In,
    Arithmetic(Arithmetic),
}

impl Operator {
    fn power(self) -> Power {
        match self {
            Operator::Or => Power::Or,
            Operator::And => Power::And,
            Operator::Compare(_) | Operator::In => Power::Relation,
            Operator::Arithmetic(Arithmetic::Add | Arithmetic::Subtract) => Power::Sum,
            Operator::Arithmetic(Arithmetic::Multiply) => Power::Product,
        }
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    nodes: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Span::new(0, 0), |(_, span)| *span)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    /// Steps over the symbol if it is next.
    fn eat(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Symbol(next) if *next == symbol);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn expect(&mut self, symbol: &'static str, after: &str) -> Result<Span, Fault> {
        let span = self.span();
        if self.eat(symbol) {
            return Ok(span);
        }
        Err(Fault::new("expr/syntax", span, format!("expected `{symbol}` {after}, found {}", self.shown())))
    }

    fn shown(&self) -> String {
        match self.peek() {
            Token::Number(digits) => format!("`{digits}`"),
            Token::Text(_) => "a text".to_owned(),
            Token::Name(name) => format!("`{name}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        }
    }

    /// One level down; paired with a decrement by the caller.
    fn enter(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(too_deep(self.span())) } else { Ok(()) }
    }

    fn node(&mut self, span: Span, kind: NodeKind) -> Result<Node, Fault> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            let fault = Fault::new("expr/too_many_parts", span, format!("more than {NODES_MAX} parts"));
            return Err(fault.help("split it into several rules"));
        }
        let depth = kind.depth_below() + 1;
        if depth > DEPTH_MAX { Err(too_deep(span)) } else { Ok(Node { span, kind, depth }) }
    }

    /// `or ? or : expression`
    fn expression(&mut self) -> Result<Node, Fault> {
        self.enter()?;
        let condition = self.binary(Power::Or)?;
        let node = if self.eat("?") {
            let yes = self.binary(Power::Or)?;
            self.expect(":", "of `condition ? a : b`")?;
            let no = self.expression()?;
            let span = cover(condition.span, no.span);
            self.node(span, NodeKind::Choose(Box::new(condition), Box::new(yes), Box::new(no)))?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(node)
    }

    fn binary(&mut self, least: Power) -> Result<Node, Fault> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|operator| operator.power() >= least) {
            left = match operator {
                Operator::Or => self.chain(left, operator, NodeKind::Any)?,
                Operator::And => self.chain(left, operator, NodeKind::All)?,
                Operator::Compare(_) | Operator::In | Operator::Arithmetic(_) => {
                    self.advance();
                    let right = self.binary(operator.power().tighter())?;
                    self.pair(operator, left, right)?
                }
            };
        }
        Ok(left)
    }

    /// `a && b && c` as one node.
    fn chain(&mut self, first: Node, operator: Operator, kind: fn(Vec<Node>) -> NodeKind) -> Result<Node, Fault> {
        let mut span = first.span;
        let mut nodes = vec![first];
        while self.operator() == Some(operator) {
            self.advance();
            let next = self.binary(operator.power().tighter())?;
            span = cover(span, next.span);
            nodes.push(next);
        }
        self.node(span, kind(nodes))
    }

    fn pair(&mut self, operator: Operator, left: Node, right: Node) -> Result<Node, Fault> {
        let span = cover(left.span, right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match operator {
            Operator::Or => NodeKind::Any(vec![*left, *right]),
            Operator::And => NodeKind::All(vec![*left, *right]),
            Operator::Compare(comparison) => NodeKind::Compare(comparison, left, right),
            Operator::In => NodeKind::Within(left, right),
            Operator::Arithmetic(arithmetic) => NodeKind::Arithmetic(arithmetic, left, right),
        };
        self.node(span, kind)
    }

    fn operator(&self) -> Option<Operator> {
        let symbol = match self.peek() {
            Token::Symbol(symbol) => *symbol,
            Token::Name(name) if name == "in" => "in",
            Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::End => return None,
        };
        Some(match symbol {
            "||" => Operator::Or,
            "&&" => Operator::And,
            "==" => Operator::Compare(Comparison::Equal),
            "!=" => Operator::Compare(Comparison::Unequal),
            "<" => Operator::Compare(Comparison::Less),
            "<=" => Operator::Compare(Comparison::LessOrEqual),
            ">" => Operator::Compare(Comparison::Greater),
            ">=" => Operator::Compare(Comparison::GreaterOrEqual),
            "in" => Operator::In,
            "+" => Operator::Arithmetic(Arithmetic::Add),
            "-" => Operator::Arithmetic(Arithmetic::Subtract),
            "*" => Operator::Arithmetic(Arithmetic::Multiply),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Result<Node, Fault> {
        let start = self.span();
        if !matches!(self.peek(), Token::Symbol("!" | "-")) {
            return self.operand();
        }
        self.enter()?;
        let node = if self.eat("!") {
            let inner = self.unary()?;
            self.node(cover(start, inner.span), NodeKind::Not(Box::new(inner)))?
        } else {
            self.advance();
            self.negated(start)?
        };
        self.depth -= 1;
        Ok(node)
    }

    /// After a minus sign: the sign belongs to a number, so that the smallest whole number can be written.
    fn negated(&mut self, minus: Span) -> Result<Node, Fault> {
        if let Token::Number(digits) = self.peek() {
            let signed = format!("-{digits}");
            let span = cover(minus, self.span());
            self.advance();
            let kind = number(&signed, span)?;
            return self.node(span, kind);
        }
        let inner = self.unary()?;
        self.node(cover(minus, inner.span), NodeKind::Negate(Box::new(inner)))
    }

    fn operand(&mut self) -> Result<Node, Fault> {
        let span = self.span();
        let node = match self.peek().clone() {
            Token::Number(digits) => {
                self.advance();
                let kind = number(&digits, span)?;
                self.node(span, kind)?
            }
            Token::Text(text) => {
                self.advance();
                self.node(span, NodeKind::Text(text))?
            }
            Token::Name(name) => self.named(name, span)?,
            Token::Symbol("(") => {
                self.advance();
                let inner = self.expression()?;
                let end = self.expect(")", "to close `(`")?;
                // With its parentheses, so that what is quoted to a reader is balanced.
                Node { span: cover(span, end), ..inner }
            }
            Token::Symbol("[") => {
                self.advance();
                let (nodes, end) = self.several("]")?;
                self.node(cover(span, end), NodeKind::List(nodes))?
            }
            Token::Symbol(_) | Token::End => {
                return Err(Fault::new("expr/syntax", span, format!("expected a value, found {}", self.shown())));
            }
        };
        self.no_suffix(node)
    }

    /// `true`, a call or a path.
    fn named(&mut self, name: String, span: Span) -> Result<Node, Fault> {
        self.advance();
        match name.as_str() {
            "true" | "false" => return self.node(span, NodeKind::Bool(name == "true")),
            "null" => {
                let fault = Fault::new("expr/no_null", span, "`null` is not a value here");
                return Err(fault.help("write `has(x)` to ask whether x is there, `!has(x)` for the opposite"));
            }
            "in" | "and" | "or" | "not" => return Err(misplaced(&name, span)),
            _ => {}
        }
        if self.eat("(") {
            let (args, end) = self.several(")")?;
            return self.node(cover(span, end), NodeKind::Call { name: Part { name, span }, args });
        }
        let mut parts = vec![Part { name, span }];
        let mut end = span;
        while self.eat(".") {
            end = self.span();
            let Token::Name(name) = self.peek().clone() else {
                return Err(Fault::new("expr/syntax", end, format!("expected a field, found {}", self.shown())));
            };
            self.advance();
            if matches!(self.peek(), Token::Symbol("(")) {
                return Err(method(&name, end));
            }
            parts.push(Part { name, span: end });
        }
        self.node(cover(span, end), NodeKind::Path(parts))
    }

    /// Comma-separated expressions up to the closing bracket; a trailing comma is allowed, as in CEL.
    fn several(&mut self, close: &'static str) -> Result<(Vec<Node>, Span), Fault> {
        let mut nodes = Vec::new();
        loop {
            let end = self.span();
            if self.eat(close) {
                return Ok((nodes, end));
            }
            nodes.push(self.expression()?);
            let end = self.span();
            if !self.eat(",") {
                self.expect(close, "or `,`")?;
                return Ok((nodes, end));
            }
        }
    }

    /// Refuses what CEL would allow after an operand and this language does not have.
    fn no_suffix(&self, node: Node) -> Result<Node, Fault> {
        match self.peek() {
            Token::Symbol("[") => Err(Fault::new("expr/syntax", self.span(), "indexing is not part of the language")
                .help("ask about the whole list with `in` or `size`")),
            Token::Symbol(".") => Err(Fault::new("expr/syntax", self.span(), "a field can only be read from a name")
                .help("write the whole path, such as `booking.total`")),
            Token::Symbol(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::End => Ok(node),
        }
    }

    /// The fault for a token after a complete expression.
    fn leftover(&self) -> Fault {
        let fault = Fault::new("expr/syntax", self.span(), format!("expected an operator, found {}", self.shown()));
        match self.peek() {
            Token::Name(name) if matches!(name.as_str(), "and" | "or" | "not" | "is") => misplaced(name, self.span()),
            Token::Symbol("?") => fault.help("put a nested `a ? b : c` in parentheses"),
            Token::Symbol(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::End => fault,
        }
    }
}

fn cover(first: Span, last: Span) -> Span {
    Span { start: first.start, end: last.end }
}

fn number(digits: &str, span: Span) -> Result<NodeKind, Fault> {
    let kind = if digits.contains('.') {
        Decimal::from_str_exact(digits).ok().map(NodeKind::Decimal)
    } else {
        i64::from_str(digits).ok().map(NodeKind::Int)
    };
    kind.ok_or_else(|| Fault::new("expr/number", span, format!("`{digits}` is too large or too long to be exact")))
}

fn too_deep(span: Span) -> Fault {
    Fault::new("expr/too_deep", span, format!("nested more than {DEPTH_MAX} levels"))
        .help("split it into several rules")
}

fn misplaced(word: &str, span: Span) -> Fault {
    let fault = Fault::new("expr/syntax", span, format!("unexpected `{word}`"));
    match word {
        "and" => fault.help("write `&&`"),
        "or" => fault.help("write `||`"),
        "not" => fault.help("write `!`"),
        "is" => fault.help("write `==`"),
        _ => fault,
    }
}

fn method(name: &str, span: Span) -> Fault {
    let fault = Fault::new("expr/syntax", span, format!("`.{name}(..)` is not part of the language"));
    match name {
        "all" | "exists" | "exists_one" | "map" | "filter" => {
            fault.help("there are no loops; ask about the whole list with `in` or `size`")
        }
        _ => fault.help(format!("functions stand in front: `{name}(x, ..)`")),
    }
}
