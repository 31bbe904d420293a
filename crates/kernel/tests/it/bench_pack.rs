//! A small agent for tests: boletos in Portuguese and English, and one journey where a planner proposes.
//!
//! Everything is built by hand from [`Parts`], so that a test can change one number and see what follows.

mod flows;
mod sentences;

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::connector::Connector;
use countersign_kernel::expr::{self, Checked, Scope as Names, Type};
use countersign_kernel::policy::{
    Approval, Argument, BreakerSpec, Confirm, EffectClass, Fact, FreeText, Journey, Limits, OriginKind, Parts, Policy,
    Precondition, Read, Recovery, Resolve, ResultSpec, Slot, SpendLimit, SpendScope, Thresholds, Tool, ValueRule,
    Words,
};
use countersign_kernel::reason::Reason;
use countersign_nlu::language::Language;
use countersign_nlu::yes_no::Lexicon;
use countersign_nlu::{Currency, Kind, Money, Region, Value};
use jiff::tz::TimeZone;

pub(crate) use sentences::sentence;

/// Above this a person on the operator's side must approve: R$ 50.000,00.
pub(crate) const APPROVE_OVER: i64 = 5_000_000;
/// The most one call may move: R$ 90.000,00.
pub(crate) const CALL_MAX: i64 = 9_000_000;
/// The most the slot's own rule allows: R$ 100.000,00.
pub(crate) const SLOT_MAX: i64 = 10_000_000;

pub(crate) fn brl(minor: i64) -> Value {
    Value::Money(Money::new(minor, Currency::BRL))
}

/// The agent, checked.
pub(crate) fn policy() -> Policy {
    whole(parts())
}

/// The agent with one thing changed.
pub(crate) fn policy_with(change: impl FnOnce(&mut Parts)) -> Policy {
    let mut parts = parts();
    change(&mut parts);
    whole(parts)
}

fn whole(parts: Parts) -> Policy {
    Policy::new(parts).expect("the bench pack has no dangling reference")
}

/// The agent's parts.
pub(crate) fn parts() -> Parts {
    Parts {
        name: "bench".to_owned(),
        hash: "bench-1".to_owned(),
        languages: vec![Language::Pt, Language::En],
        currency: Currency::BRL,
        region: Region::BR,
        zone: TimeZone::get("America/Sao_Paulo").expect("the zone is bundled"),
        thresholds: Thresholds::default(),
        limits: Limits::default(),
        words: words(),
        intents: by_journey(&flows::journeys()),
        slots: named(slots(), |slot| &slot.name),
        reads: named(reads(), |read| &read.name),
        tools: named(tools(), |tool| &tool.name),
        journeys: named(flows::journeys(), |journey| &journey.name),
        rules: sentences::rules(),
        messages: sentences::messages(),
        examples: Vec::new(),
        log_names: BTreeMap::new(),
    }
}

fn named<T>(all: Vec<T>, name: impl Fn(&T) -> &String) -> BTreeMap<String, T> {
    all.into_iter().map(|one| (name(&one).clone(), one)).collect()
}

fn by_journey(journeys: &[Journey]) -> BTreeMap<String, String> {
    let pairs = |journey: &Journey| {
        journey.intents.iter().map(|intent| (intent.clone(), journey.name.clone())).collect::<Vec<_>>()
    };
    journeys.iter().flat_map(pairs).collect()
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn words() -> BTreeMap<Language, Words> {
    let pt = Words {
        confirm: Lexicon { yes: list(&["sim", "confirmo", "pode", "ok"]), no: list(&["não", "cancela", "pare"]) },
        stop: list(&["stop", "descadastrar"]),
        start: list(&["start"]),
        cancel: list(&["esquece", "desisto"]),
        repeat: list(&["repete", "de novo"]),
    };
    let en = Words {
        confirm: Lexicon { yes: list(&["yes", "ok"]), no: list(&["no"]) },
        stop: list(&["stop"]),
        start: list(&["start"]),
        cancel: list(&["forget it"]),
        repeat: list(&["again"]),
    };
    BTreeMap::from([(Language::Pt, pt), (Language::En, en)])
}

// Expressions

fn record(fields: &[(&str, Type)]) -> Type {
    Type::Record(fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect())
}

fn boleto_fields() -> Vec<(&'static str, Type)> {
    vec![
        ("boleto_id", Type::Text),
        ("contact_name", Type::Text),
        ("amount_cents", Type::Money(Currency::BRL)),
        ("due_date", Type::Date),
        ("status", Type::Text),
    ]
}

fn names() -> Names {
    let boleto = record(&boleto_fields());
    Names::new()
        .with("amount_cents", Type::Money(Currency::BRL))
        .with("amount", Type::Money(Currency::BRL))
        .with("due_date", Type::Date)
        .with("remind_on", Type::Date)
        .with("contact_name", Type::Text)
        .with("message_content", Type::Text)
        .with("boleto_id", Type::Text)
        .with("today", Type::Date)
        .with("now", Type::Instant)
        .with("contact", record(&[("name", Type::Text), ("phone", Type::Text)]))
        .with("boleto", boleto.clone())
        .with("recorded", boleto.clone())
        .with("result", boleto.clone())
        .with("rows", Type::List(Box::new(boleto)))
}

/// An expression of the pack.
pub(crate) fn expression(source: &str, ty: &Type) -> Checked {
    expr::compile(source, &names(), ty).expect("the expression type-checks")
}

fn holds(source: &str) -> Checked {
    expression(source, &Type::Bool)
}

fn require(source: &str, reason: Reason) -> Precondition {
    Precondition { check: holds(source), reason }
}

// Slots

fn slot(name: &str, kind: Kind, cues: &[&str]) -> Slot {
    Slot {
        name: name.to_owned(),
        kind,
        id_prefix: None,
        label: BTreeMap::from([(Language::Pt, name.replace('_', " ")), (Language::En, name.to_owned())]),
        cues: BTreeMap::from([(Language::Pt, list(cues))]),
        rules: Vec::new(),
        offer: None,
    }
}

fn rule(source: &str, reason: Reason) -> ValueRule {
    ValueRule { check: holds(source), reason, message: reason.code().to_owned() }
}

fn slots() -> Vec<Slot> {
    vec![
        slot("contact_name", Kind::Name, &["para a", "para o", "para", "pra", "pro"]),
        Slot {
            rules: vec![
                rule("minor(amount_cents) > 0", Reason::AmountNotPositive),
                rule("minor(amount_cents) <= 10000000", Reason::AmountOverLimit),
            ],
            ..slot("amount_cents", Kind::Money, &["valor", "no valor de"])
        },
        Slot {
            rules: vec![rule("due_date >= today", Reason::DateInPast)],
            ..slot("due_date", Kind::Date, &["vence", "vencimento"])
        },
        Slot { id_prefix: Some("BOL".to_owned()), ..slot("boleto_id", Kind::Id, &["boleto"]) },
        slot("message_content", Kind::Text, &["dizendo"]),
        Slot { offer: Some(expression("today + days(7)", &Type::Date)), ..slot("remind_on", Kind::Date, &["lembrar"]) },
        slot("guests", Kind::Number, &["para"]),
    ]
}

// Reads and tools

fn reads() -> Vec<Read> {
    let fields = |fields: Vec<(&str, Type)>| {
        fields.into_iter().map(|(name, ty)| (name.to_owned(), ty)).collect::<BTreeMap<_, _>>()
    };
    let text = |name: &str| BTreeMap::from([(name.to_owned(), Type::Text)]);
    vec![
        Read {
            name: "find_contact".to_owned(),
            params: text("name"),
            fields: fields(vec![("name", Type::Text), ("phone", Type::Text)]),
            rows_max: 6,
            connector: Connector::Sql(Vec::new()),
        },
        Read {
            name: "find_boleto".to_owned(),
            params: text("boleto_id"),
            fields: fields(boleto_fields()),
            rows_max: 1,
            connector: Connector::Sql(Vec::new()),
        },
    ]
}

/// An argument with nothing declared but its kind.
pub(crate) fn argument(name: &str, kind: Kind, origins: &[OriginKind]) -> Argument {
    Argument {
        name: name.to_owned(),
        kind,
        slot: None,
        origins: origins.iter().copied().collect::<BTreeSet<_>>(),
        resolve: None,
        results: Vec::new(),
        of: None,
        computed: None,
        default: None,
        free_text: None,
        is_required: true,
        allowed: None,
        chars_max: 40,
        lifetime_s: 60,
    }
}

/// An argument that is filled from the slot of the same name.
fn slotted(name: &str, kind: Kind, origins: &[OriginKind]) -> Argument {
    Argument { slot: Some(name.to_owned()), ..argument(name, kind, origins) }
}

fn optional(argument: Argument) -> Argument {
    Argument { is_required: false, ..argument }
}

fn contact_argument() -> Argument {
    Argument {
        resolve: Some(Resolve { fact: "contact".to_owned(), field: "name".to_owned() }),
        ..slotted("contact_name", Kind::Name, &[OriginKind::Span, OriginKind::Choice, OriginKind::Offer])
    }
}

fn fact(name: &str, read: &str, param: &str, from: &str) -> Fact {
    Fact { name: name.to_owned(), read: read.to_owned(), with: BTreeMap::from([(param.to_owned(), from.to_owned())]) }
}

/// A tool with nothing declared but its name, effect and arguments.
pub(crate) fn tool(name: &str, effect: EffectClass, serves: &str, arguments: Vec<Argument>) -> Tool {
    Tool {
        name: name.to_owned(),
        effect,
        serves: list(&[serves]),
        arguments: named(arguments, |argument| &argument.name),
        facts: Vec::new(),
        preconditions: Vec::new(),
        confirm: None,
        approval: None,
        amount: None,
        spend: Vec::new(),
        sameness: Vec::new(),
        repeat_s: 600,
        recovery: if effect == EffectClass::Read { Recovery::R } else { Recovery::A },
        breaker: BreakerSpec { failures: 1, open_s: 300 },
        result: ResultSpec::default(),
        connector: Connector::Sql(Vec::new()),
        hash: format!("{name}-1"),
    }
}

fn confirm(message: &str) -> Option<Confirm> {
    Some(Confirm { message: message.to_owned() })
}

fn result(fields: &[(&str, Type)], read_back: Option<Fact>, ensure: Vec<Precondition>) -> ResultSpec {
    ResultSpec {
        fields: fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect(),
        is_list: false,
        read_back,
        ensure,
    }
}

fn tools() -> Vec<Tool> {
    vec![
        create_boleto(),
        cancel_boleto(),
        check_status(),
        send_message(),
        list_boletos(),
        set_reminder(),
        charge(),
        hold_row(),
        search(),
    ]
}

fn create_boleto() -> Tool {
    let said = [OriginKind::Span, OriginKind::Relative];
    Tool {
        facts: vec![fact("contact", "find_contact", "name", "contact_name")],
        preconditions: vec![
            require("has(contact)", Reason::NotFound),
            require("minor(amount_cents) > 0", Reason::AmountNotPositive),
            require("due_date >= today", Reason::DateInPast),
        ],
        confirm: confirm("confirm_create"),
        approval: Some(Approval { when: holds("minor(amount_cents) > 5000000") }),
        amount: Some("amount_cents".to_owned()),
        spend: vec![SpendLimit { scope: SpendScope::Customer, window_s: 0, max: Money::new(CALL_MAX, Currency::BRL) }],
        sameness: list(&["contact_name", "amount_cents", "due_date"]),
        result: result(
            &boleto_fields(),
            Some(fact("recorded", "find_boleto", "boleto_id", "result.boleto_id")),
            vec![
                require("result.amount_cents == amount_cents && result.due_date == due_date", Reason::ResultMismatch),
                require(
                    "recorded.amount_cents == amount_cents && recorded.due_date == due_date && recorded.status == 'OPEN'",
                    Reason::ReadBackMismatch,
                ),
            ],
        ),
        ..tool(
            "create_boleto",
            EffectClass::Money,
            "CREATE",
            vec![
                contact_argument(),
                slotted("amount_cents", Kind::Money, &said),
                slotted("due_date", Kind::Date, &said),
            ],
        )
    }
}

fn id_argument() -> Argument {
    slotted("boleto_id", Kind::Id, &[OriginKind::Span, OriginKind::Choice])
}

fn cancel_boleto() -> Tool {
    Tool {
        facts: vec![fact("boleto", "find_boleto", "boleto_id", "boleto_id")],
        preconditions: vec![
            require("has(boleto)", Reason::NotFound),
            require("boleto.status == 'OPEN'", Reason::StateConflict),
        ],
        confirm: confirm("confirm_cancel"),
        result: result(
            &[("boleto_id", Type::Text), ("status", Type::Text)],
            Some(fact("recorded", "find_boleto", "boleto_id", "boleto_id")),
            vec![require("recorded.status == 'CANCELLED'", Reason::ReadBackMismatch)],
        ),
        ..tool("cancel_boleto", EffectClass::Write, "CANCEL", vec![id_argument()])
    }
}

fn check_status() -> Tool {
    Tool {
        facts: vec![fact("boleto", "find_boleto", "boleto_id", "boleto_id")],
        preconditions: vec![require("has(boleto)", Reason::NotFound)],
        result: result(&boleto_fields(), None, Vec::new()),
        ..tool("check_status", EffectClass::Read, "STATUS", vec![id_argument()])
    }
}

fn send_message() -> Tool {
    let words =
        Argument { free_text: Some(FreeText::Verbatim), ..slotted("message_content", Kind::Text, &[OriginKind::Span]) };
    Tool {
        facts: vec![fact("contact", "find_contact", "name", "contact_name")],
        preconditions: vec![require("has(contact)", Reason::NotFound)],
        result: result(
            &[("message_content", Type::Text)],
            None,
            vec![Precondition {
                check: expr::compile(
                    "result.message_content == message_content",
                    &names().with("result", record(&[("message_content", Type::Text)])),
                    &Type::Bool,
                )
                .expect("the expression type-checks"),
                reason: Reason::ResultMismatch,
            }],
        ),
        ..tool("send_message", EffectClass::Message, "MESSAGE", vec![contact_argument(), words])
    }
}

fn list_boletos() -> Tool {
    let shape = ResultSpec { is_list: true, ..result(&boleto_fields(), None, Vec::new()) };
    Tool { result: shape, ..tool("list_boletos", EffectClass::Read, "LIST", Vec::new()) }
}

fn set_reminder() -> Tool {
    Tool {
        confirm: confirm("confirm_reminder"),
        ..tool(
            "set_reminder",
            EffectClass::Write,
            "REMIND",
            vec![slotted("remind_on", Kind::Date, &[OriginKind::Span, OriginKind::Offer, OriginKind::Relative])],
        )
    }
}

/// A tool a planner may propose: slots, a resolved name, a computed number, a default.
fn charge() -> Tool {
    let said = [OriginKind::Span, OriginKind::Relative];
    let twice = Argument {
        computed: Some(expression("minor(amount_cents) * 2", &Type::Int)),
        ..argument("twice", Kind::Number, &[OriginKind::Computed])
    };
    let channel = Argument {
        default: Some(Value::text("app")),
        allowed: Some(vec![Value::text("app"), Value::text("web")]),
        ..argument("channel", Kind::Text, &[OriginKind::Default, OriginKind::Span])
    };
    Tool {
        facts: vec![fact("contact", "find_contact", "name", "contact_name")],
        confirm: confirm("confirm_charge"),
        amount: Some("amount_cents".to_owned()),
        ..tool(
            "charge",
            EffectClass::Money,
            "ASSIST",
            vec![
                slotted("amount_cents", Kind::Money, &said),
                optional(slotted("due_date", Kind::Date, &said)),
                optional(contact_argument()),
                optional(slotted("guests", Kind::Number, &said)),
                optional(slotted("remind_on", Kind::Date, &said)),
                twice,
                channel,
            ],
        )
    }
}

/// A tool a planner may propose: values of one row of an earlier result, and words of the person.
fn hold_row() -> Tool {
    let from = |field: &str| vec![("list_boletos".to_owned(), field.to_owned())];
    let of_row = |name: &str, kind, field: &str| Argument {
        results: from(field),
        of: Some("boleto_id".to_owned()),
        ..optional(argument(name, kind, &[OriginKind::Result]))
    };
    let id = Argument { results: from("boleto_id"), ..argument("boleto_id", Kind::Id, &[OriginKind::Result]) };
    tool(
        "hold_row",
        EffectClass::Write,
        "ASSIST",
        vec![
            id,
            of_row("amount", Kind::Money, "amount_cents"),
            of_row("holder", Kind::Name, "contact_name"),
            optional(argument("limit", Kind::Money, &[OriginKind::Span])),
        ],
    )
}

/// A read a planner may propose.
fn search() -> Tool {
    let day = slotted("due_date", Kind::Date, &[OriginKind::Span]);
    tool("search", EffectClass::Read, "ASSIST", vec![day])
}
