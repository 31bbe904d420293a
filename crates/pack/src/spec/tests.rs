use super::*;

fn chat(block: &str) -> (Vec<Spec>, Vec<Diagnostic>) {
    parse("specs/a.md", &format!("# Title\n\n## One\nBecause.\n\n```chat\n{block}\n```\n"))
}

fn check(block: &str, expected: &[LineKind]) {
    let (specs, notes) = chat(block);
    assert_eq!(notes, [], "{block}");
    let kinds: Vec<LineKind> = specs[0].lines.iter().map(|line| line.kind.clone()).collect();
    assert_eq!(kinds, expected, "{block}");
}

fn refuse(block: &str, code: &str, message: &str) {
    let (_, notes) = chat(&format!("> oi\n{block}"));
    assert_eq!(notes.len(), 1, "{block}: {notes:?}");
    assert_eq!(notes[0].code, code, "{block}");
    assert!(notes[0].message.contains(message), "{block}: {}", notes[0].message);
    assert_eq!(notes[0].line, 8, "{block}");
}

fn exact(text: &str) -> LineKind {
    LineKind::Reply(Reply::Exact(text.to_owned()))
}

#[test]
fn headings_reasons_and_numbers() {
    let (specs, notes) = chat("> oi\n< Olá");
    assert_eq!(notes, []);
    assert_eq!((specs[0].title.as_str(), specs[0].why.as_str(), specs[0].line), ("One", "Because.", 3));
    assert_eq!(specs[0].lines.iter().map(|line| line.number).collect::<Vec<_>>(), [7, 8]);
}

#[test]
fn messages_and_replies() {
    check("> oi", &[LineKind::Customer("oi".to_owned())]);
    check(">", &[LineKind::Customer(String::new())]);
    check("< a\n< b\n<\n< c", &[exact("a\nb\n\nc")]);
    check("< a\n< b...", &[LineKind::Reply(Reply::Prefix("a\nb".to_owned()))]);
    check("< a...\n< b", &[LineKind::Reply(Reply::Prefix("a".to_owned())), exact("b")]);
    check("<~ part", &[LineKind::Reply(Reply::Contains("part".to_owned()))]);
    check("< a\n> b\n< c", &[exact("a"), LineKind::Customer("b".to_owned()), exact("c")]);
}

#[test]
fn expectations() {
    let stop = LineKind::Decision { verdict: Verdict::Stop, reason: Reason::AmountOverLimit };
    check("! stop amount_over_limit", &[stop]);
    let ask = LineKind::Decision { verdict: Verdict::Ask, reason: Reason::ConfirmationRequired };
    check("! ask confirmation_required", &[ask]);
    check("! no effect", &[LineKind::NoEffect]);
    let arguments =
        vec![("amount_cents".to_owned(), "15000".to_owned()), ("contact_name".to_owned(), "Ana Souza".to_owned())];
    let effect = LineKind::Effect { tool: "create_boleto".to_owned(), arguments };
    check("! effect create_boleto amount_cents=15000 contact_name=\"Ana Souza\"", &[effect]);
    let refused = |reason| LineKind::Refused { tool: "create_boleto".to_owned(), reason };
    check("! refused create_boleto", &[refused(None)]);
    check("! refused create_boleto not_found", &[refused(Some(Reason::NotFound))]);
}

#[test]
fn commands() {
    check("@ wait 6m", &[LineKind::Wait(360)]);
    let now: jiff::Timestamp = "2026-11-15T15:00:00Z".parse().unwrap();
    check("@ now 2026-11-15T12:00:00-03:00", &[LineKind::Now(now)]);
    check("@ voice\n@ restart", &[LineKind::Voice, LineKind::Restart]);
    check("@ tenant loja", &[LineKind::Tenant("loja".to_owned())]);
}

#[test]
fn malformed_lines_are_told() {
    refuse("oi", "spec/line", "no known mark");
    refuse(">oi", "spec/line", "no known mark");
    refuse("! stop amount_over", "spec/unknown_reason", "unknown reason `amount_over`");
    refuse("! stopp amount_over_limit", "spec/expectation", "unknown expectation");
    refuse("! effect", "spec/expectation", "names no tool");
    refuse("! effect t x", "spec/expectation", "not `name=value`");
    refuse("! effect t x=\"a", "spec/expectation", "no closing quote");
    refuse("! refused", "spec/expectation", "names no tool");
    refuse("! no effects", "spec/expectation", "unknown expectation");
    refuse("@ wait 6", "spec/command", "unknown command `wait 6`");
    refuse("@ now noon", "spec/command", "unknown command");
    refuse("@ voice x", "spec/command", "unknown command");
    refuse("@ tenant", "spec/command", "unknown command");
}

#[test]
fn malformed_files_are_told() {
    let check = |text: &str, message: &str| {
        let (_, notes) = parse("specs/a.md", text);
        assert!(notes.iter().any(|note| note.message.contains(message)), "{text}: {notes:?}");
    };
    check("## One\nWhy.\n", "has no conversation");
    check("## One\n```chat\n> a\n```\n", "does not say why");
    check("## One\nWhy.\n```chat\n> a\n", "is not closed");
    check("```chat\n> a\n```\n", "without its own heading");
    check("## One\nWhy.\n```chat\n> a\n```\n```chat\n> b\n```\n", "without its own heading");
}

#[test]
fn replies_match_as_written() {
    let cases = [
        (Reply::Exact("a".to_owned()), "a", true),
        (Reply::Exact("a".to_owned()), "ab", false),
        (Reply::Prefix("a".to_owned()), "ab", true),
        (Reply::Prefix("a".to_owned()), "ba", false),
        (Reply::Contains("b".to_owned()), "abc", true),
        (Reply::Contains("b".to_owned()), "ac", false),
    ];
    for (reply, text, expected) in cases {
        assert_eq!(reply.matches(text), expected, "{reply:?} {text}");
    }
}
