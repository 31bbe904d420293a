//! Each kind of line, where it holds and where it does not.

use countersign_pack::spec::parse;

use super::*;
use crate::world::repository_pack;

/// Runs one conversation and names the lines that do not hold, from 1.
fn failing(agents: &Agents, chat: &str) -> Vec<u32> {
    let text = format!("## a title\nwhy\n```chat\n{chat}\n```\n");
    let (specs, diagnostics) = parse("specs/a.md", &text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let run = runtime.block_on(run(agents, &specs[0]));
    run.failures.iter().map(|failure| failure.line - 3).collect()
}

fn agents() -> Agents {
    let mut source = repository_pack("iris").unwrap();
    source.files.insert("tenants/acme.yaml".to_owned(), "tools_off: [list_boletos]\n".to_owned());
    Agents::new(source).unwrap()
}

#[test]
fn each_kind_of_line_holds_and_fails() {
    let agents = agents();
    let check = |chat: &str, expected: &[u32]| assert_eq!(failing(&agents, chat), expected, "{chat}");
    let request = "> boleto de 150 reais para a Ana, vence sexta";
    let created = "! effect create_boleto amount_cents=15000 contact_name=\"Ana Souza\" due_date=2026-11-20";
    check(&format!("{request}\n! ask confirmation_required\n! no effect\n> sim\n{created}"), &[]);
    check(&format!("{request}\n! stop no_origin"), &[2]);
    check(&format!("{request}\n> sim\n! no effect"), &[3]);
    check(&format!("{request}\n> sim\n! effect create_boleto amount_cents=15001"), &[3]);
    check(&format!("{request}\n> sim\n! refused create_boleto"), &[3]);
    check(&format!("{request}\n@ wait 299s\n> sim\n{created}"), &[]);
    check(&format!("{request}\n@ wait 6m\n<~ expirou\n> sim\n! no effect"), &[]);
    check(&format!("{request}\n@ restart\n> sim\n{created}"), &[]);
    check("> boleto de 150 reais para a Ana, vence 20/11/2026\n> sim\n! no effect", &[3]);
    check(
        "@ now 2026-11-21T12:00:00-03:00\n> boleto de 150 reais para a Ana, vence 20/11/2026\n! stop date_in_past",
        &[],
    );
    check("> cancela o boleto BOL-1002\n! refused cancel_boleto state_conflict\n! no effect", &[]);
    check("> cancela o boleto BOL-1002\n! refused cancel_boleto not_found", &[2]);
    check("> lista os boletos\n! effect list_boletos\n! no effect", &[]);
    check("@ tenant acme\n> lista os boletos\n! effect list_boletos", &[3]);
    check("@ tenant nobody\n> lista os boletos", &[2]);
    check("> lista os boletos\n@ tenant acme", &[2]);
    check("@ voice\n! ask transcription_failed\n< Não consegui ouvir o áudio. Pode repetir ou escrever?", &[]);
    check("< nothing was asked", &[1]);
    check(">\n< Não entendi.\n> lista os boletos\n! stop no_origin", &[2]);
}
