//! Conversations through a pipe.

use serde_json::json;

use crate::support::{Data, NOW, REQUEST, command, iris, reasons, replies, run, run_command};

#[test]
fn a_boleto_is_created_once_with_the_arguments_that_were_said() {
    let data = Data::new();
    let turns = data.chat(&[], &[REQUEST, "sim"]).ends(0).objects();
    assert_eq!(turns.len(), 2);
    assert_eq!((&turns[0]["turn"], &turns[0]["message"]), (&json!(1), &json!(REQUEST)));
    assert_eq!(turns[0]["effects"], json!([]));
    assert!(reasons(&turns[0]).contains(&"confirmation_required"));
    assert!(replies(&turns[0])[0].ends_with("Confirma? (Sim/Não)"));
    let effects = turns[1]["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 1);
    assert_eq!(effects[0]["tool"], "create_boleto");
    assert_eq!(effects[0]["outcome"], "done");
    let args = json!({"contact_name": "Ana Souza", "amount_cents": 15000, "due_date": "2026-11-20"});
    assert_eq!(effects[0]["args"], args);
    assert_eq!(effects[0]["result"]["boleto_id"], "BOL-1008");
    assert!(replies(&turns[1])[0].contains("BOL-1008"));
    assert_eq!(data.boletos(), 1);
}

#[test]
fn decisions_carry_the_pack_s_own_names_and_positions() {
    let turns = Data::new().chat(&[], &[REQUEST, "sim"]).ends(0).objects();
    let decisions = turns[1]["decisions"].as_array().unwrap();
    let named = |gate: &str, reason: &str| {
        decisions
            .iter()
            .find(|made| made["gate"] == gate && made["reason"] == reason)
            .unwrap_or_else(|| panic!("{gate}"))
    };
    assert_eq!(named("confirm", "confirmation_confirmed")["log"], "confirmation_confirmed");
    assert_eq!(named("result", "tool_done")["log"], "tool_execution_success");
    assert_eq!(named("permit", "ok").get("log"), None, "`permit/*` names refusals only");
    assert_eq!(named("trace", "ok")["witnesses"].as_array().unwrap().len(), 3);
}

#[test]
fn a_read_is_an_effect_and_a_refused_call_is_none() {
    let data = Data::new();
    let lines =
        ["qual o status do boleto BOL-1001?", "cancela o boleto BOL-1002", "boleto de 0 reais para a Ana, vence sexta"];
    let turns = data.chat(&[], &lines).ends(0).objects();
    assert_eq!(turns[0]["effects"][0]["tool"], "check_status");
    assert_eq!(turns[1]["effects"], json!([]));
    assert!(reasons(&turns[1]).contains(&"state_conflict"), "{}", turns[1]);
    assert_eq!(turns[2]["effects"], json!([]));
    assert!(reasons(&turns[2]).contains(&"amount_not_positive"));
    assert_eq!(data.boletos(), 0);
}

#[test]
fn a_message_leaves_through_the_outbox() {
    let turns = Data::new().chat(&[], &["avisa a Carla dizendo que o boleto foi emitido"]).ends(0).objects();
    assert_eq!(turns[0]["effects"][0]["tool"], "send_message");
    let messages = turns[0]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["to"], "+5511990000003");
    assert_eq!(turns[0]["effects"][0]["args"]["message_content"], messages[0]["text"]);
}

#[test]
fn time_stands_still_until_it_is_moved_and_a_question_expires() {
    let data = Data::new();
    let turns = data.chat(&[], &[REQUEST, "/wait 4m", "/wait 2m", "sim"]).ends(0).objects();
    assert_eq!(turns.len(), 4);
    assert_eq!((&turns[1]["command"], &turns[1]["now"]), (&json!("wait"), &json!("2026-11-16T15:04:00Z")));
    assert_eq!(turns[1]["replies"], json!([]));
    assert_eq!(turns[2]["replies"].as_array().unwrap().len(), 1, "{}", turns[2]);
    assert!(replies(&turns[2])[0].contains("expirou"));
    assert_eq!(turns[3]["effects"], json!([]));
    assert_eq!(data.boletos(), 0);
}

#[test]
fn a_yes_just_before_the_end_still_counts() {
    let data = Data::new();
    let turns = data.chat(&[], &[REQUEST, "/wait 299s", "sim"]).ends(0).objects();
    assert_eq!(turns[2]["effects"].as_array().unwrap().len(), 1);
    assert_eq!(data.boletos(), 1);
}

#[test]
fn slash_commands_are_objects_too_and_other_slashes_are_messages() {
    let lines =
        ["/help", "/trace", "/why", REQUEST, "/why", "/trace", "/wait x", "/voice", "/etc/passwd", "/quit", "sim"];
    let turns = Data::new().chat(&[], &lines).ends(0).objects();
    assert_eq!(turns.len(), lines.len() - 1, "nothing is read after /quit");
    assert_eq!(turns[0]["command"], "help");
    assert_eq!(turns[1]["decisions"], json!([]));
    assert_eq!(turns[2]["origins"], json!([]));
    let origins = turns[4]["origins"].as_array().unwrap();
    let words: Vec<&str> = origins.iter().map(|origin| origin["words"].as_str().unwrap()).collect();
    assert!(words[0].ends_with("\"150 reais\"") && words[1].contains("\"Ana\"") && words[2].ends_with("\"sexta\""));
    assert_eq!(turns[5]["decisions"], turns[3]["decisions"]);
    assert!(turns[6]["error"].as_str().unwrap().contains("90s"));
    assert!(reasons(&turns[7]).contains(&"transcription_failed"));
    assert_eq!((&turns[8]["turn"], &turns[8]["message"]), (&json!(3), &json!("/etc/passwd")));
    assert_eq!(turns[9], json!({"command": "quit"}));
}

#[test]
fn a_person_takes_over_and_hands_back() {
    let turns = Data::new()
        .chat(&[], &["quero falar com uma pessoa", "oi?", "/handback", "lista os boletos"])
        .ends(0)
        .objects();
    assert_eq!(turns[0]["tickets"].as_array().unwrap().len(), 1, "{}", turns[0]);
    assert_eq!(turns[1]["replies"], json!([]), "the agent is silent while a person has the conversation");
    assert_eq!(turns[2]["command"], "handback");
    assert_eq!(turns[3]["effects"][0]["tool"], "list_boletos");
}

#[test]
fn the_conversation_goes_on_in_the_next_process() {
    let data = Data::new();
    data.chat(&[], &[REQUEST]).ends(0);
    let turns = data.chat(&[], &["sim"]).ends(0).objects();
    assert_eq!(turns[0]["effects"][0]["outcome"], "done");
    assert_eq!(data.boletos(), 1);
    let other = data.chat(&["--conversation", "other", "--customer", "somebody"], &["sim"]).ends(0).objects();
    assert_eq!(other[0]["effects"], json!([]), "another conversation knows nothing of it");
}

#[test]
fn people_read_the_notation_of_specs() {
    let pack = iris();
    let input = format!("{REQUEST}\nsim\n/why\n");
    let ran = run(&["chat", &pack, "--now", NOW], input.as_bytes()).ends(0);
    let expected = format!(
        "> {REQUEST}\n< Boleto de R$ 150,00 para Ana Souza, com vencimento em 20/11/2026.\n< Confirma? (Sim/Não)\n"
    );
    assert!(ran.out.starts_with(&expected), "{}", ran.out);
    assert!(
        ran.out
            .contains("! effect create_boleto amount_cents=15000 contact_name=\"Ana Souza\" due_date=2026-11-20: done")
    );
    assert!(ran.out.contains("\"150 reais\""));
    assert!(!ran.out.contains('\u{1b}'), "no colours without a terminal");
    assert!(ran.err.contains("is removed at the end"), "{}", ran.err);
}

#[test]
fn a_temporary_folder_is_removed() {
    let pack = iris();
    let ran = run(&["chat", &pack, "--now", NOW], b"oi\n").ends(0);
    let path = ran.err.split('`').nth(1).unwrap();
    assert!(path.contains("countersign-") && !std::path::Path::new(path).exists(), "{path}");
}

#[test]
fn the_demo_works_from_anywhere_and_says_what_to_try() {
    let data = Data::new();
    std::fs::create_dir_all(data.path()).unwrap();
    let mut demo = command();
    demo.arg("demo").current_dir(data.path());
    let ran = run_command(&mut demo, b"lista os boletos\n").ends(0);
    assert!(ran.out.contains("Try:") && ran.out.contains("BOL-1001"), "{}", ran.out);
    let mut other = command();
    other.args(["demo", "nobody"]).current_dir(data.path());
    let ran = run_command(&mut other, b"").ends(2);
    assert!(ran.err.contains("there is no agent `nobody`; there are `iris`"), "{}", ran.err);
}
