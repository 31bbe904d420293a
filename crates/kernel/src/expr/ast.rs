//! The syntax tree: what was written, before any name or type is known.
//!
//! Invariant: every node has the byte span it was read from, and no node is deeper than [`super::DEPTH_MAX`].
//! Deliberately absent: parentheses (the shape of the tree is enough, and the spans include them) and field access on anything but a name.

use countersign_nlu::Span;
use rust_decimal::Decimal;

/// A parsed expression with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ast {
    pub(super) source: String,
    pub(super) root: Node,
}

impl Ast {
    /// The text it was parsed from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The outermost node.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }
}

/// One node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The bytes of the source it was read from.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind,
    /// One more than the deepest child.
    pub(super) depth: usize,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, with its sign.
    Int(i64),
    /// A fraction exactly as written, with its sign.
    Decimal(Decimal),
    /// A quoted text, escapes resolved.
    Text(String),
    /// `[a, b]`.
    List(Vec<Node>),
    /// `a.b.c`: a name and the fields below it; never empty.
    Path(Vec<Part>),
    /// `size(x)`.
    Call {
        /// The function and where its name stands.
        name: Part,
        /// The arguments in order.
        args: Vec<Node>,
    },
    /// `!a`.
    Not(Box<Node>),
    /// `-a`, unless `a` is a number.
    Negate(Box<Node>),
    /// `a && b && c`: one node for the whole chain, so that a long list of conditions is not deep.
    All(Vec<Node>),
    /// `a || b || c`.
    Any(Vec<Node>),
    /// `a < b`.
    Compare(Comparison, Box<Node>, Box<Node>),
    /// `a in b`.
    Within(Box<Node>, Box<Node>),
    /// `a + b`.
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    /// `a ? b : c`.
    Choose(Box<Node>, Box<Node>, Box<Node>),
}

/// One name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name.
    pub name: String,
    /// Its bytes.
    pub span: Span,
}

/// The comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Unequal => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }

    /// True for `==` and `!=`, which need no order.
    pub(super) fn is_equality(self) -> bool {
        matches!(self, Comparison::Equal | Comparison::Unequal)
    }
}

/// The arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}

impl Arithmetic {
    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
        }
    }
}

impl NodeKind {
    /// The depth of the deepest child, 0 for a leaf.
    pub(super) fn depth_below(&self) -> usize {
        let deepest = |nodes: &[Node]| nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        match self {
            NodeKind::Bool(_) | NodeKind::Int(_) | NodeKind::Decimal(_) | NodeKind::Text(_) | NodeKind::Path(_) => 0,
            NodeKind::List(nodes) | NodeKind::All(nodes) | NodeKind::Any(nodes) => deepest(nodes),
            NodeKind::Call { args, .. } => deepest(args),
            NodeKind::Not(a) | NodeKind::Negate(a) => a.depth,
            NodeKind::Compare(_, a, b) | NodeKind::Within(a, b) | NodeKind::Arithmetic(_, a, b) => a.depth.max(b.depth),
            NodeKind::Choose(a, b, c) => a.depth.max(b.depth).max(c.depth),
        }
    }
}
