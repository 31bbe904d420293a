//! `tools.yaml`: the closed set of what the agent can look up and do.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalar::{Amount, Seconds};
use super::{Entries, Items, Spanned, Text};

/// `tools.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolsFile {
    /// Lookups that belong to tools.
    pub reads: Entries<Read>,
    /// The tools.
    pub tools: Entries<Tool>,
}

/// A lookup.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Parameter -> type.
    #[serde(default)]
    pub params: Entries<Text>,
    /// Field of each row -> type; a `?` after the type says that it may be absent.
    pub fields: Entries<Text>,
    /// Rows beyond this are not read; 1 unless said otherwise.
    pub rows_max: Option<Spanned<u32>>,
    /// The statement.
    pub sql: Select,
}

/// The statement of a lookup.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// One `select`.
    pub select: Text,
    /// Why it may run without `:customer`.
    pub public: Option<Text>,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes a record.
    Write,
    /// Moves or promises money.
    Money,
    /// Writes to somebody.
    Message,
}

/// What may be done about a call whose outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Recovery {
    /// Resend with the same key.
    A,
    /// Look up by our reference.
    B,
    /// A person decides.
    C,
    /// Look up only by an id in the reply.
    D,
    /// A read: run it again.
    R,
}

/// One tool.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// What it does to the world.
    pub effect: Spanned<Effect>,
    /// The intents it serves.
    pub serves: Items<Text>,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Entries<Argument>,
    /// Facts read before it may run, in order.
    #[serde(default)]
    pub facts: Entries<Fact>,
    /// Conditions on live data, in order.
    #[serde(default)]
    pub preconditions: Items<Condition>,
    /// The question, or why there is none.
    pub confirm: Option<Confirm>,
    /// When a person must approve, or why never.
    pub approval: Option<Approval>,
    /// The argument that is the money moved.
    pub amount: Option<Text>,
    /// Ceilings.
    #[serde(default)]
    pub spend: Items<Spend>,
    /// Arguments that make two calls the same; all, unless said otherwise.
    pub sameness: Option<Items<Text>>,
    /// A repeat of a success within this time is refused.
    pub repeat_window: Option<Spanned<Seconds>>,
    /// What may be done about an unknown outcome.
    pub recovery: Option<Spanned<Recovery>>,
    /// When to leave it alone.
    pub breaker: Option<Breaker>,
    /// What it returns.
    #[serde(default)]
    pub result: ResultSpec,
    /// Statements in one transaction.
    pub sql: Option<Items<Statement>>,
    /// A message to somebody.
    pub outbox: Option<Outbox>,
}

/// Where an argument's value may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Words the person wrote.
    Span,
    /// An entry of a list that was shown.
    Choice,
    /// A proposal the person accepted.
    Offer,
    /// A span plus a slot's current value.
    Relative,
    /// A path in a tool result.
    Result,
    /// The argument's own expression.
    Computed,
    /// The argument's declared default.
    Default,
    /// Configuration of the pack or tenant.
    Configuration,
    /// Stored earlier with its own origin.
    Profile,
    /// Injected by the runtime: tenant, customer, phone.
    Session,
    /// A person on the operator's side.
    Operator,
}

/// How free text may come to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreeText {
    /// The person's own words.
    Verbatim,
    /// A search text; reads only.
    Query,
    /// Written by a model or template.
    Authored,
}

/// One argument.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// number, money, date, time, duration, phone, email, id, name, text or flag.
    #[serde(rename = "type")]
    pub kind: Text,
    /// The slot it is filled from.
    pub slot: Option<Text>,
    /// Admissible origins.
    pub origins: Items<Spanned<Origin>>,
    /// How a named thing becomes the record it names.
    pub resolve: Option<Resolve>,
    /// For `result` origins: `<tool or read>.<field>`.
    #[serde(default)]
    pub results: Items<Text>,
    /// It comes from the very row that this other argument names.
    pub of: Option<Text>,
    /// For `computed` origins: an expression over the other arguments and `today`.
    pub computed: Option<Text>,
    /// For `default` origins: the value.
    pub default: Option<Text>,
    /// The only values allowed, if it is a closed choice.
    pub allowed: Option<Items<Text>>,
    /// For text: how it may come to be.
    pub free_text: Option<Spanned<FreeText>>,
    /// May be left out.
    #[serde(default)]
    pub optional: bool,
    /// Longest text in characters.
    pub chars_max: Option<Spanned<u32>>,
    /// Facts behind it older than this are read again.
    pub lifetime: Option<Spanned<Seconds>>,
}

/// How a named thing becomes the record it names.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// The fact whose rows are the candidates.
    pub fact: Text,
    /// The field that becomes the value.
    pub field: Text,
}

/// A fact: the rows of one read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Which read.
    pub read: Text,
    /// Parameter -> argument.
    #[serde(default)]
    pub with: Entries<Text>,
}

/// A condition: exactly one of `exists` and `check`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// This fact must have a row.
    pub exists: Option<Text>,
    /// This expression must hold.
    pub check: Option<Text>,
    /// The reason code of the stop.
    #[serde(rename = "else")]
    pub otherwise: Text,
}

/// The question, or why there is none.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// The sentence that asks.
    pub message: Option<Text>,
    /// Why nobody is asked.
    pub never: Option<Text>,
}

/// When a person must approve: exactly one of the three.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Above this amount.
    pub over: Option<Spanned<Amount>>,
    /// When this expression holds.
    pub when: Option<Text>,
    /// Why nobody has to.
    pub never: Option<Text>,
}

/// Whose spending a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpendScope {
    /// One customer.
    Customer,
    /// Everybody of the tenant.
    Tenant,
}

/// A ceiling.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Whose spending.
    pub scope: SpendScope,
    /// Over which time; without it, each call by itself.
    pub window: Option<Seconds>,
    /// The most.
    pub max: Spanned<Amount>,
}

/// When to leave a failing tool alone.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Breaker {
    /// Failures in a row that open it.
    pub failures: Option<Spanned<u8>>,
    /// Until one probe may try.
    pub open: Option<Seconds>,
}

/// What a tool returns.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ResultSpec {
    /// It is a list of rows.
    pub list: bool,
    /// Field -> type.
    pub fields: Entries<Text>,
    /// A fresh read from the system of record.
    pub read_back: Option<ReadBack>,
    /// What must hold afterwards.
    pub ensure: Items<Condition>,
}

/// A fresh read from the system of record.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadBack {
    /// Its name in expressions and sentences.
    pub name: Text,
    /// Which read.
    pub read: Text,
    /// Parameter -> argument or `result.<field>`.
    #[serde(default)]
    pub with: Entries<Text>,
}

/// One statement: exactly one of `run` and `native`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// One SQL statement.
    pub run: Option<Text>,
    /// A native port: `boleto.issue`.
    pub native: Option<Text>,
    /// For `native`: input -> parameter.
    #[serde(default)]
    pub with: Entries<Text>,
    /// What later statements call its first row.
    pub name: Option<Text>,
    /// Exactly this many rows must be returned or changed.
    pub rows: Option<Spanned<u64>>,
    /// The reason code when it is not so.
    #[serde(rename = "else")]
    pub otherwise: Option<Text>,
    /// Why it may run without `:customer`.
    pub public: Option<Text>,
}

/// A message to somebody.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outbox {
    /// `<fact>.<field>`: the recipient's address.
    pub to: Text,
    /// The argument that is the text.
    pub text: Text,
}
