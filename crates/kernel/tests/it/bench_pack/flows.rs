//! The bench pack's journeys.

use std::collections::BTreeMap;

use countersign_kernel::expr::{self, Scope as Names, Type};
use countersign_kernel::policy::{Body, Ending, Journey, Step};
use countersign_kernel::reason::Reason;

use super::{boleto_fields, list, record};

pub(super) fn journeys() -> Vec<Journey> {
    let mut all = vec![create(), cancel(), status(), message(), lists(), remind()];
    all.extend(small());
    all
}

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

fn choose() -> Step {
    let body =
        Body::Choose { slot: "contact_name".to_owned(), field: "name".to_owned(), message: "which_contact".to_owned() };
    step("which_contact", body, 1)
}

fn unknown_contact() -> Step {
    Step { forget: list(&["contact_name"]), ..say("unknown", "contact_not_found", 0) }
}

const WITH_CONTACT: [(Ending, usize); 2] =
    [(Ending::Refused(Reason::AmbiguousMatch), 3), (Ending::Refused(Reason::NotFound), 4)];

fn create() -> Journey {
    let slots = ["contact_name", "amount_cents", "due_date"];
    let on = [&WITH_CONTACT[..], &[(Ending::Refused(Reason::RepeatWithinWindow), 5)]].concat();
    let steps = vec![
        collect(&slots),
        call("create_boleto", &on),
        say("created", "boleto_created", 6),
        choose(),
        unknown_contact(),
        say("repeated", "boleto_repeated", 6),
        end(),
    ];
    journey("create", "CREATE", &slots, steps)
}

fn cancel() -> Journey {
    let on = [(Ending::Refused(Reason::NotFound), 3), (Ending::Refused(Reason::StateConflict), 4)];
    let steps = vec![
        collect(&["boleto_id"]),
        call("cancel_boleto", &on),
        say("cancelled", "boleto_cancelled", 5),
        say("unknown", "boleto_not_found", 5),
        say("not_open", "boleto_not_open", 5),
        end(),
    ];
    journey("cancel", "CANCEL", &["boleto_id"], steps)
}

fn status() -> Journey {
    let steps = vec![
        collect(&["boleto_id"]),
        call("check_status", &[(Ending::Refused(Reason::NotFound), 3)]),
        say("known", "boleto_status", 4),
        say("unknown", "boleto_not_found", 4),
        end(),
    ];
    journey("status", "STATUS", &["boleto_id"], steps)
}

fn message() -> Journey {
    let slots = ["contact_name", "message_content"];
    let steps = vec![
        collect(&slots),
        call("send_message", &WITH_CONTACT),
        say("sent", "message_sent", 5),
        choose(),
        unknown_contact(),
        end(),
    ];
    journey("message", "MESSAGE", &slots, steps)
}

fn lists() -> Journey {
    let names = Names::new().with("result", Type::List(Box::new(record(&boleto_fields()))));
    let some = expr::compile("size(result) > 0", &names, &Type::Bool).expect("the expression type-checks");
    let steps = vec![
        step("call", Body::Call { tool: "list_boletos".to_owned(), on: BTreeMap::new() }, 1),
        step("any", Body::Branch { cases: vec![(some, 2)], otherwise: 3 }, 0),
        say("some", "boletos_listed", 4),
        say("none", "boletos_none", 4),
        end(),
    ];
    journey("list", "LIST", &[], steps)
}

fn remind() -> Journey {
    let steps = vec![
        collect(&["remind_on"]),
        call("set_reminder", &[(Ending::Rejected, 3), (Ending::Failed, 3), (Ending::Unknown, 3)]),
        say("reminded", "reminded", 4),
        say("not_reminded", "not_reminded", 4),
        end(),
    ];
    journey("remind", "REMIND", &["remind_on"], steps)
}

fn small() -> [Journey; 3] {
    let answer = step("answer", Body::Answer { otherwise: "what_i_can_do".to_owned() }, 1);
    let handoff = step("handoff", Body::Handoff { message: "handover".to_owned() }, 0);
    let plan = step("plan", Body::Plan { tools: list(&["charge", "hold_row", "search"]) }, 1);
    let slots = ["amount_cents", "due_date", "remind_on", "contact_name", "guests"];
    [
        journey("question", "QUESTION", &[], vec![answer, end()]),
        journey("person", "PERSON", &[], vec![handoff]),
        journey("assist", "ASSIST", &slots, vec![plan, say("planned", "planned", 2), end()]),
    ]
}
