//! A small agent for tests: boletos in Portuguese and English, and one journey where a planner proposes.
//!
//! Everything is built by hand from [`Parts`], so that a test can change one number and see what follows.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::connector::Connector;
use countersign_kernel::expr::{self, Checked, Scope as Names, Type};
use countersign_kernel::policy::{
    Approval, Argument, Body, BreakerSpec, Confirm, EffectClass, Ending, Enforcement, Fact, FreeText, Journey, Limits,
    OriginKind, Parts, Policy, Precondition, Read, Recovery, Resolve, ResultSpec, Rule, Scope, Slot, SpendLimit,
    SpendScope, Step, Thresholds, Tool, ValueRule, Words,
};
use countersign_kernel::reason::Reason;
use countersign_kernel::template::Template;
use countersign_nlu::language::Language;
use countersign_nlu::yes_no::Lexicon;
use countersign_nlu::{Currency, Kind, Money, Region, Value};
use jiff::tz::TimeZone;

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
        intents: by_journey(&journeys()),
        slots: named(slots(), |slot| &slot.name),
        reads: named(reads(), |read| &read.name),
        tools: named(tools(), |tool| &tool.name),
        journeys: named(journeys(), |journey| &journey.name),
        rules: rules(),
        messages: messages(),
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

// Journeys

fn step(name: &str, body: Body, next: usize) -> Step {
    Step { name: name.to_owned(), body, forget: Vec::new(), next }
}

fn say(name: &str, message: &str, next: usize) -> Step {
    step(name, Body::Say { message: message.to_owned() }, next)
}

fn collect(slots: &[&str]) -> Step {
    step("details", Body::Collect { slots: list(slots) }, 1)
}

fn call(tool: &str, on: &[(Ending, usize)]) -> Step {
    step("call", Body::Call { tool: tool.to_owned(), on: on.iter().copied().collect() }, 2)
}

fn journey(name: &str, intent: &str, slots: &[&str], steps: Vec<Step>) -> Journey {
    Journey { name: name.to_owned(), intents: list(&[intent]), steps, slots: list(slots) }
}

fn end() -> Step {
    step("end", Body::End, 0)
}

fn journeys() -> Vec<Journey> {
    let refused = Ending::Refused;
    let choose = || {
        let body = Body::Choose {
            slot: "contact_name".to_owned(),
            field: "name".to_owned(),
            message: "which_contact".to_owned(),
        };
        step("which_contact", body, 1)
    };
    let unknown_contact = || Step { forget: list(&["contact_name"]), ..say("unknown", "contact_not_found", 0) };
    let create = ["contact_name", "amount_cents", "due_date"];
    let write = ["contact_name", "message_content"];
    let with_contact = [(refused(Reason::AmbiguousMatch), 3), (refused(Reason::NotFound), 4)];
    let repeated = [&with_contact[..], &[(refused(Reason::RepeatWithinWindow), 5)]].concat();
    let lost = [(refused(Reason::NotFound), 3), (refused(Reason::StateConflict), 4)];
    let branch = Body::Branch {
        cases: vec![(
            expr::compile(
                "size(result) > 0",
                &Names::new().with("result", Type::List(Box::new(record(&boleto_fields())))),
                &Type::Bool,
            )
            .expect("the expression type-checks"),
            2,
        )],
        otherwise: 3,
    };
    vec![
        journey(
            "create",
            "CREATE",
            &create,
            vec![
                collect(&create),
                call("create_boleto", &repeated),
                say("created", "boleto_created", 6),
                choose(),
                unknown_contact(),
                say("repeated", "boleto_repeated", 6),
                end(),
            ],
        ),
        journey(
            "cancel",
            "CANCEL",
            &["boleto_id"],
            vec![
                collect(&["boleto_id"]),
                call("cancel_boleto", &lost),
                say("cancelled", "boleto_cancelled", 5),
                say("unknown", "boleto_not_found", 5),
                say("not_open", "boleto_not_open", 5),
                end(),
            ],
        ),
        journey(
            "status",
            "STATUS",
            &["boleto_id"],
            vec![
                collect(&["boleto_id"]),
                call("check_status", &lost[..1]),
                say("known", "boleto_status", 4),
                say("unknown", "boleto_not_found", 4),
                end(),
            ],
        ),
        journey(
            "message",
            "MESSAGE",
            &write,
            vec![
                collect(&write),
                call("send_message", &with_contact),
                say("sent", "message_sent", 5),
                choose(),
                unknown_contact(),
                end(),
            ],
        ),
        journey(
            "list",
            "LIST",
            &[],
            vec![
                step("call", Body::Call { tool: "list_boletos".to_owned(), on: BTreeMap::new() }, 1),
                step("any", branch, 0),
                say("some", "boletos_listed", 4),
                say("none", "boletos_none", 4),
                end(),
            ],
        ),
        journey(
            "remind",
            "REMIND",
            &["remind_on"],
            vec![
                collect(&["remind_on"]),
                call("set_reminder", &[(Ending::Rejected, 3), (Ending::Failed, 3), (Ending::Unknown, 3)]),
                say("reminded", "reminded", 4),
                say("not_reminded", "not_reminded", 4),
                end(),
            ],
        ),
        journey(
            "question",
            "QUESTION",
            &[],
            vec![step("answer", Body::Answer { otherwise: "what_i_can_do".to_owned() }, 1), end()],
        ),
        journey("person", "PERSON", &[], vec![step("handoff", Body::Handoff { message: "handover".to_owned() }, 0)]),
        journey(
            "assist",
            "ASSIST",
            &["amount_cents", "due_date", "remind_on", "contact_name", "guests"],
            vec![
                step("plan", Body::Plan { tools: list(&["charge", "hold_row", "search"]) }, 1),
                say("planned", "planned", 2),
                end(),
            ],
        ),
    ]
}

// Rules and sentences

fn rules() -> Vec<Rule> {
    let pattern = |source| regex::Regex::new(source).expect("the pattern compiles");
    let rule = |name: &str, scope, is_always, enforcement| Rule {
        name: name.to_owned(),
        scope,
        priority: 0,
        is_always,
        enforcement,
    };
    vec![
        rule("no_guarantee", Scope::Global, true, Enforcement::Forbid(pattern("(?i)garantid[oa]"))),
        rule("amounts_in_bounds", Scope::Global, true, Enforcement::Require(holds("minor(amount) <= 100000000"))),
        rule("no_rush", Scope::Journey("cancel".to_owned()), false, Enforcement::Forbid(pattern("(?i)urgente"))),
        rule(
            "calm_status",
            Scope::Step("status".to_owned(), "known".to_owned()),
            false,
            Enforcement::Forbid(pattern("(?i)calma")),
        ),
    ]
}

const SENTENCES: &[(&str, &str)] = &[
    ("not_understood", "Não entendi. Pode repetir?"),
    ("voice_retry", "Não consegui ouvir o áudio."),
    ("open_question", "O que você deseja?"),
    ("clarify", "Você quer {first} ou {second}?"),
    ("ask_slot", "Preciso saber: {slot}"),
    ("ask_slot_offer", "Preciso saber: {slot}. Pode ser {offer}?"),
    ("unclear_value", "Entendi mais de um valor para {slot}."),
    ("confirm_again", "Confirma? (Sim/Não)"),
    ("confirm_expired", "A confirmação expirou e nada foi feito."),
    ("cancelled", "Operação cancelada."),
    ("nothing_to_cancel", "Não há nada em andamento."),
    ("date_invalid", "Data inválida."),
    ("too_long", "A mensagem é longa demais."),
    ("slow_down", "Rápido demais. Espere um pouco."),
    ("redirect", "Posso ajudar com boletos."),
    ("opted_out", "Pronto, nada mais será enviado."),
    ("opted_in", "Pronto, de volta."),
    ("handover", "Vou chamar uma pessoa da equipe."),
    ("not_possible", "Não posso fazer isso. Nada foi feito."),
    ("being_checked", "O pedido está sendo verificado."),
    ("try_later", "Não foi possível agora, e nada foi feito."),
    ("waiting_for_approval", "O pedido aguarda a aprovação da equipe."),
    ("approval_denied", "A equipe não aprovou. Nada foi feito."),
    ("safe", "Não posso responder a isso agora."),
    ("amount_not_positive", "O valor precisa ser positivo."),
    ("amount_over_limit", "O valor está acima do permitido."),
    ("date_in_past", "A data não pode ser no passado."),
    (
        "confirm_create",
        "Boleto de {amount_cents} para {contact_name} ({contact.phone}), vence em {due_date}. Confirma?",
    ),
    ("boleto_created", "SUCESSO: {result.boleto_id} criado, {amount_cents} para {contact_name}."),
    ("boleto_repeated", "Um boleto igual já existe: {existing.boleto_id}."),
    ("contact_not_found", "Não encontrei esse contato."),
    ("which_contact", "Qual deles?\n{each choices}{number}. {name}\n{end}"),
    ("confirm_cancel", "Cancelar {boleto_id}: {boleto.amount_cents} para {boleto.contact_name}. Confirma?"),
    ("boleto_cancelled", "SUCESSO: {boleto_id} cancelado."),
    ("boleto_not_found", "Não encontrei o boleto {boleto_id}."),
    ("boleto_not_open", "O boleto {boleto_id} está {boleto.status:label}."),
    ("boleto_status", "Boleto {boleto_id}: {result.amount_cents} para {result.contact_name}, {result.status:label}."),
    ("boletos_listed", "Seus boletos:\n{each result}{boleto_id}: {amount_cents}\n{end}"),
    ("boletos_none", "Você ainda não tem boletos."),
    ("message_sent", "SUCESSO: mensagem para {contact_name}: {message_content}"),
    ("confirm_reminder", "Lembrar em {remind_on}. Confirma?"),
    ("reminded", "SUCESSO: lembrete em {remind_on}."),
    ("not_reminded", "Sem lembrete."),
    ("confirm_charge", "Cobrar {amount_cents} pelo canal {channel}. Confirma?"),
    ("planned", "SUCESSO: feito."),
    ("what_i_can_do", "Posso criar e cancelar boletos."),
    ("faq.weekend", "Em fim de semana vale o próximo dia útil."),
    ("label.OPEN", "em aberto"),
    ("label.PAID", "pago"),
    ("label.CANCELLED", "cancelado"),
    ("intent.CREATE", "criar um boleto"),
    ("intent.CANCEL", "cancelar um boleto"),
    ("intent.STATUS", "consultar um boleto"),
];

/// A sentence of the pack.
pub(crate) fn sentence(source: &str) -> Template {
    Template::parse(source).expect("the template parses")
}

fn messages() -> BTreeMap<Language, BTreeMap<String, Template>> {
    let all = |prefix: &str| {
        let one = |(name, text): &(&str, &str)| {
            let is_word = name.starts_with("label.") || name.starts_with("intent.");
            let text = if is_word { (*text).to_owned() } else { format!("{prefix}{text}") };
            ((*name).to_owned(), sentence(&text))
        };
        SENTENCES.iter().map(one).collect::<BTreeMap<_, _>>()
    };
    BTreeMap::from([(Language::Pt, all("")), (Language::En, all("[en] "))])
}
