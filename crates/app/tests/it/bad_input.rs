//! Bad input gets a clear error and loses nothing.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::json;

use crate::support::{Data, NOW, REQUEST, command, iris, iris_copy, reasons, replies, run};

#[test]
fn data_without_its_keys_is_refused_and_opens_again_with_them() {
    let data = Data::new();
    data.chat(&[], &["lista os boletos"]).ends(0);
    let control = data.path().join("control.db");
    let kept = data.path().join("kept");
    std::fs::rename(&control, &kept).unwrap();
    let ran = data.chat(&[], &["lista os boletos"]).ends(2);
    assert!(ran.err.contains("its keys are not in `control.db`"), "{}", ran.err);
    std::fs::rename(&kept, &control).unwrap();
    data.chat(&[], &["lista os boletos"]).ends(0);
    data.run(&["replay", "terminal"], "").ends(0);
}

#[test]
fn a_pack_that_cannot_be_read_is_told_apart() {
    let folder = iris_copy();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let check = |pack: &str, part: &str| {
        for command in ["check", "chat", "test"] {
            let ran = run(&[command, pack], b"oi\n").ends(2);
            assert!(ran.err.starts_with("error: ") && ran.err.contains(part), "{command} {pack}: {}", ran.err);
            assert!(ran.out.is_empty(), "{}", ran.out);
        }
    };
    check(&path("nowhere"), "there is no folder");
    check(&path("pack.yaml"), "is a file; give the folder");
    check(&path("messages"), "is not a pack: it has no `pack.yaml`");
    std::fs::write(folder.path().join("tools.yaml"), b"tools:\n  \xff\xfe: 1\n").unwrap();
    check(folder.path().to_str().unwrap(), "tools.yaml` is not UTF-8: line 2");
}

#[test]
fn a_message_of_a_megabyte_is_refused_by_the_gate_and_the_rest_is_heard() {
    let long = "x".repeat(1024 * 1024);
    let turns = Data::new().chat(&[], &[&long, "lista os boletos"]).ends(0).objects();
    assert_eq!(turns.len(), 2);
    assert!(reasons(&turns[0]).contains(&"message_too_long"));
    assert_eq!(turns[0]["message"].as_str().unwrap().len(), long.len());
    assert_eq!(turns[0]["effects"], json!([]));
    assert!(!replies(&turns[0]).is_empty());
    assert_eq!(turns[1]["effects"][0]["tool"], "list_boletos");
}

#[test]
fn a_message_larger_than_anything_that_is_taken_in_is_told_and_the_rest_is_heard() {
    let long = "x".repeat(5 * 1024 * 1024);
    let ran = Data::new().chat(&[], &[&long, "lista os boletos"]).ends(0);
    let turns = ran.objects();
    assert_eq!(turns.len(), 2);
    assert!(turns[0]["error"].as_str().unwrap().contains("at most"), "{}", turns[0]);
    assert!(ran.err.contains("line 1 is longer"), "{}", ran.err);
    assert_eq!(turns[1]["effects"][0]["tool"], "list_boletos");
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_told() {
    let pack = iris();
    let ran = run(&["chat", &pack, "--json", "--now", NOW], b"\xff\xfe oi\nlista os boletos\r\n").ends(0);
    let turns = ran.objects();
    assert_eq!(turns[0]["message"], "\u{fffd}\u{fffd} oi");
    assert!(ran.err.contains("line 1 is not UTF-8"), "{}", ran.err);
    assert_eq!(turns[1]["message"], "lista os boletos");
    assert_eq!(turns[1]["effects"][0]["tool"], "list_boletos");
}

#[test]
fn blank_lines_and_control_characters_are_messages() {
    let turns = Data::new().chat(&[], &["", "   ", "\u{1b}[2J\u{7}\u{0}", "lista os boletos"]).ends(0).objects();
    assert_eq!(turns.len(), 4);
    assert!(reasons(&turns[0]).contains(&"empty_message"));
    assert!(reasons(&turns[1]).contains(&"empty_message"));
    assert_eq!(turns[2]["effects"], json!([]));
    assert_eq!(turns[3]["effects"][0]["tool"], "list_boletos");
    let pack = iris();
    let ran = run(&["chat", &pack, "--now", NOW], b"\x1b[2Joi\n").ends(0);
    assert!(ran.out.contains("\\u{1b}[2Joi") && !ran.out.contains('\u{1b}'), "{}", ran.out);
}

#[test]
fn an_empty_pipe_is_no_message() {
    assert_eq!(Data::new().chat(&[], &[]).ends(0).out, "");
}

#[test]
fn a_second_process_on_the_same_data_is_refused() {
    let data = Data::new();
    let words = ["chat", &iris(), "--json", "--now", NOW, "--data", &data.text()];
    let mut first =
        command().args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = first.stdin.take().unwrap();
    let mut stdout = BufReader::new(first.stdout.take().unwrap());
    stdin.write_all(format!("{REQUEST}\n").as_bytes()).unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("Confirma?"), "{line}");
    let second = data.chat(&[], &["sim"]).ends(2);
    assert!(second.err.contains("is in use by another process"), "{}", second.err);
    assert!(second.out.is_empty());
    stdin.write_all(b"sim\n").unwrap();
    drop(stdin);
    line.clear();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("\"outcome\":\"done\""), "the first was not disturbed: {line}");
    assert!(first.wait().unwrap().success());
    assert_eq!(data.boletos(), 1);
}

#[test]
fn a_damaged_file_is_refused_unchanged() {
    for name in ["tenants/demo.db", "control.db"] {
        let data = Data::new();
        data.chat(&[], &[REQUEST]).ends(0);
        let file = data.path().join(name);
        let mut bytes = std::fs::read(&file).unwrap();
        let (start, end) = (bytes.len() / 4, bytes.len() / 2);
        bytes[start..end].fill(0xa5);
        std::fs::write(&file, &bytes).unwrap();
        let ran = data.chat(&[], &["sim"]).ends(2);
        assert!(ran.err.contains("is damaged") && ran.err.contains("Restore it from a backup"), "{name}: {}", ran.err);
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{name} was changed");
        std::fs::write(&file, b"this is not a database, it is a note").unwrap();
        let ran = data.chat(&[], &["sim"]).ends(2);
        assert!(ran.err.contains("is damaged"), "{name}: {}", ran.err);
    }
}

#[test]
fn a_damaged_business_database_is_told() {
    let data = Data::new();
    data.chat(&[], &["oi"]).ends(0);
    std::fs::write(data.path().join("business/demo.db"), b"this is not a database, it is a note").unwrap();
    let ran = data.chat(&[], &["oi"]).ends(2);
    assert!(
        ran.err.contains("the business database cannot be used") && ran.err.contains("not a database"),
        "{}",
        ran.err
    );
}

#[test]
fn data_of_a_newer_program_is_refused() {
    for name in ["tenants/demo.db", "control.db"] {
        let data = Data::new();
        data.chat(&[], &["oi"]).ends(0);
        let connection = rusqlite::Connection::open(data.path().join(name)).unwrap();
        connection.execute("insert into schema_migration (version, checksum) values (999, '')", []).unwrap();
        connection.close().unwrap();
        let ran = data.chat(&[], &["oi"]).ends(2);
        assert!(ran.err.contains("has schema version 999") && ran.err.contains("newer program"), "{name}: {}", ran.err);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let data = Data::new();
    std::fs::create_dir_all(data.path()).unwrap();
    let file = data.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let inside = file.join("inside");
    let ran = run(&["chat", &iris(), "--data", inside.to_str().unwrap()], b"oi\n").ends(2);
    assert!(ran.err.contains("making the data folder") && ran.err.contains("file/inside"), "{}", ran.err);
    let ran = run(&["chat", &iris(), "--data", file.to_str().unwrap()], b"oi\n").ends(2);
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
}

#[test]
fn a_clock_that_went_back_expires_nothing_early_and_loses_nothing() {
    let data = Data::new();
    data.chat(&[], &[REQUEST]).ends(0);
    let pack = iris();
    let words = ["chat", &pack, "--json", "--now", "2026-11-16T09:00:00-03:00"];
    let ran = data.run(&words, "sim\n").ends(0);
    let turn = &ran.objects()[0];
    assert!(!turn["replies"].as_array().unwrap().is_empty(), "{turn}");
    assert!(data.boletos() <= 1);
}

#[test]
fn data_that_is_not_there_is_not_made_by_looking() {
    let data = Data::new();
    for words in [&["replay", "terminal"][..], &["audit", "verify"], &["audit", "show", "terminal"]] {
        let ran = data.run(words, "").ends(2);
        assert!(ran.err.contains("holds no data"), "{words:?}: {}", ran.err);
        assert!(!data.path().exists());
    }
    data.chat(&[], &["oi"]).ends(0);
    let ran = data.run(&["audit", "show", "somebody"], "").ends(2);
    assert!(ran.err.contains("has no conversation `somebody`"), "{}", ran.err);
    let ran = data.run(&["audit", "verify", "--tenant", "other"], "").ends(2);
    assert!(ran.err.contains("has no tenant `other`; it has `demo`"), "{}", ran.err);
}
