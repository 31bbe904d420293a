//! Calls that wait for an operator: after the person's yes, for exactly the call that was shown, once.
//!
//! The reference pack marks nothing, so its policy is changed here: boletos above 500 reais need an approval.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::{Arc, LazyLock};

use countersign_kernel::decision::Gate;
use countersign_kernel::event::OperatorDecision;
use countersign_kernel::expr::{self, Scope, Type};
use countersign_kernel::policy::{Approval, Parts, Policy};
use countersign_kernel::reason::Reason;
use countersign_nlu::Currency;
use countersign_runtime::TurnReport;
use countersign_runtime::replay::replay;
use countersign_sim::world::{Agent, Heard, PERSON, START, TENANT, World};
use countersign_store::audit::verify_export;
use jiff::SignedDuration;

/// What the seed data holds before anybody asks for anything.
const SEEDED: u64 = 7;

static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    let agent = Agent::of_repository("iris").unwrap();
    let scope = Scope::new().with("amount_cents", Type::Money(Currency::BRL));
    let when = expr::compile("amount_cents > 500", &scope, &Type::Bool).unwrap();
    let mut parts: Parts = (**agent.policy).clone();
    parts.tools.get_mut("create_boleto").unwrap().approval = Some(Approval { when });
    Agent { policy: Arc::new(Policy::new(parts).unwrap()), ..agent }
});

async fn world() -> World {
    World::new(&AGENT, START.parse().unwrap()).await.unwrap()
}

fn boletos(world: &World) -> u64 {
    let path = world.path().join("business").join(format!("{TENANT}.db"));
    let business = rusqlite::Connection::open(path).unwrap();
    let count: i64 = business.query_row("select count(*) from boletos", [], |row| row.get(0)).unwrap();
    count.try_into().unwrap()
}

/// Asks for a boleto and says yes to what was shown.
async fn confirmed(world: &mut World, amount: &str) -> Heard {
    let asked = world.says(&format!("boleto de {amount} reais para a Ana Souza, vence sexta")).await.unwrap();
    assert!(asked.replies[0].ends_with("Confirma? (Sim/Não)"), "{:?}", asked.replies);
    world.says("sim").await.unwrap()
}

/// The same, for an amount above the limit: the digest that waits for an operator.
async fn waiting(world: &mut World) -> String {
    let heard = confirmed(world, "600").await;
    assert_eq!(heard.replies, ["O pedido aguarda a aprovação da equipe."]);
    let report = &heard.reports[0];
    assert!(report.executed.is_empty(), "{:?}", report.executed);
    assert_eq!(report.tickets.len(), 1, "{:?}", report.tickets);
    assert_eq!(report.tickets[0]["kind"], "approval");
    assert_eq!(report.tickets[0]["reason"], "approval_required");
    assert_eq!(boletos(world), SEEDED);
    let digest = report.tickets[0]["about"].as_str().unwrap().to_owned();
    assert!(!digest.is_empty());
    digest
}

async fn decide(world: &World, digest: &str, is_approved: bool) -> TurnReport {
    let decision = OperatorDecision {
        operator: "operator-1".to_owned(),
        digest: digest.to_owned(),
        is_approved,
        why: "known customer".to_owned(),
    };
    world.engine().unwrap().operator_decides(PERSON, PERSON, decision).await.unwrap()
}

fn has(report: &TurnReport, gate: Gate, reason: Reason) -> bool {
    report.decisions.iter().any(|decision| decision.gate == gate && decision.reason == reason)
}

fn check_issued(report: &TurnReport) {
    assert!(has(report, Gate::Approve, Reason::ApprovalGiven), "{:?}", report.decisions);
    assert_eq!(report.executed.len(), 1, "{:?}", report.executed);
    let executed = &report.executed[0];
    assert_eq!((executed.tool.as_str(), executed.outcome.as_str()), ("create_boleto", "done"));
    assert_eq!(executed.arguments["contact_name"], "Ana Souza");
    let told = &report.replies.last().unwrap().text;
    assert!(told.contains("criado: R$ 600,00 para Ana Souza, vencimento em 20/11/2026."), "{told}");
}

fn check_out_of_turn(report: &TurnReport) {
    assert!(report.decisions.iter().any(|decision| decision.reason == Reason::OutOfTurn), "{:?}", report.decisions);
    assert!(report.executed.is_empty(), "{:?}", report.executed);
    assert!(report.replies.is_empty(), "{:?}", report.replies);
}

/// However it went: the log is whole, and decided again it comes out the same.
async fn check_record(world: &World, issued: u64) {
    assert_eq!(boletos(world), SEEDED + issued);
    let store = world.store().unwrap();
    let replayed = replay(&AGENT.policy, None, store.as_ref(), TENANT, PERSON).await.unwrap();
    assert_eq!(replayed.differences, []);
    let mut export = Vec::new();
    let sqlite = world.sqlite().unwrap();
    sqlite.export(TENANT, &mut export).await.unwrap();
    let report = verify_export(export.as_slice(), Some(&sqlite.public_key(TENANT).unwrap()));
    assert_eq!(report.problems, []);
}

#[tokio::test]
async fn an_approved_call_runs_once() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    check_issued(&decide(&world, &digest, true).await);
    check_record(&world, 1).await;
}

#[tokio::test]
async fn a_denied_call_never_runs() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    let denied = decide(&world, &digest, false).await;
    assert!(has(&denied, Gate::Approve, Reason::ApprovalDenied), "{:?}", denied.decisions);
    assert!(denied.executed.is_empty());
    assert_eq!(denied.replies[0].text, "A equipe não aprovou o pedido. Nada foi feito.");
    // A denial is final: a change of mind needs a new request and a new yes.
    check_out_of_turn(&decide(&world, &digest, true).await);
    check_record(&world, 0).await;
}

#[tokio::test]
async fn a_yes_given_in_time_stays_good_while_an_operator_decides() {
    // The question itself lapses after 5 minutes, the wait for an operator after 24 hours.
    let cases = [(SignedDuration::from_mins(4), true), (SignedDuration::from_hours(2), true)];
    let edges = [(SignedDuration::from_secs(86_399), true), (SignedDuration::from_secs(86_401), false)];
    for (waited, is_in_time) in cases.into_iter().chain(edges) {
        let mut world = world().await;
        let digest = waiting(&mut world).await;
        let meanwhile = world.wait(waited).await.unwrap();
        assert_eq!(meanwhile.replies.is_empty(), is_in_time, "{waited:?}: {:?}", meanwhile.replies);
        let report = decide(&world, &digest, true).await;
        if is_in_time {
            check_issued(&report);
        } else {
            check_out_of_turn(&report);
        }
        check_record(&world, u64::from(is_in_time)).await;
    }
}

#[tokio::test]
async fn an_approval_that_comes_too_late_does_nothing_even_before_its_timer_fires() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    world.clock().advance(SignedDuration::from_secs(86_401));
    let report = decide(&world, &digest, true).await;
    assert!(has(&report, Gate::Approve, Reason::ApprovalExpired), "{:?}", report.decisions);
    assert!(report.executed.is_empty());
    check_record(&world, 0).await;
}

#[tokio::test]
async fn a_restart_between_yes_and_approval_loses_nothing() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    let recovered = world.restart().await.unwrap();
    assert!(recovered.replies.is_empty(), "{:?}", recovered.replies);
    assert_eq!(boletos(&world), SEEDED);
    check_issued(&decide(&world, &digest, true).await);
    world.restart().await.unwrap();
    check_record(&world, 1).await;
}

#[tokio::test]
async fn only_the_digest_that_waits_can_be_approved() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    let upper = digest.to_uppercase();
    let other = "0".repeat(digest.len());
    for wrong in ["", other.as_str(), &digest[1..], upper.as_str()] {
        check_out_of_turn(&decide(&world, wrong, true).await);
        assert_eq!(boletos(&world), SEEDED, "{wrong}");
    }
    check_issued(&decide(&world, &digest, true).await);
    check_record(&world, 1).await;
}

#[tokio::test]
async fn approving_twice_issues_one() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    check_issued(&decide(&world, &digest, true).await);
    check_out_of_turn(&decide(&world, &digest, true).await);
    world.restart().await.unwrap();
    check_out_of_turn(&decide(&world, &digest, true).await);
    check_record(&world, 1).await;
}

#[tokio::test]
async fn a_second_yes_does_not_stand_in_for_the_operator() {
    let mut world = world().await;
    let digest = waiting(&mut world).await;
    for _ in 0..2 {
        let heard = world.says("sim").await.unwrap();
        assert!(heard.reports[0].executed.is_empty(), "{:?}", heard.reports[0].executed);
        assert_eq!(boletos(&world), SEEDED);
    }
    check_issued(&decide(&world, &digest, true).await);
    check_record(&world, 1).await;
}

#[tokio::test]
async fn only_amounts_above_the_limit_wait() {
    for (amount, is_waiting) in [("499,99", false), ("500", false), ("500,01", true)] {
        let mut world = world().await;
        let heard = confirmed(&mut world, amount).await;
        let report = &heard.reports[0];
        assert_eq!(report.executed.is_empty(), is_waiting, "{amount}: {:?}", report.executed);
        assert_eq!(!report.tickets.is_empty(), is_waiting, "{amount}: {:?}", report.tickets);
        check_record(&world, u64::from(!is_waiting)).await;
    }
}
