//! The bench pack's rules and sentences.

use std::collections::BTreeMap;

use countersign_kernel::policy::{Enforcement, Rule, Scope};
use countersign_kernel::template::Template;
use countersign_nlu::language::Language;

use super::holds;

pub(super) fn rules() -> Vec<Rule> {
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

pub(super) fn messages() -> BTreeMap<Language, BTreeMap<String, Template>> {
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
