//! What the documents tell people to type exists: every command and option they name is one the binary knows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::run;

/// The Markdown of the repository.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("docs"), root.join("packs")];
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|page| root.join(page)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// Commands as people are told to type them: from `countersign` or `cargo run --release --` to the end of the code.
fn commands(text: &str) -> Vec<Vec<String>> {
    let is_end = |c: char| matches!(c, '`' | '\n' | '|' | '#');
    let starts = ["`countersign ", "\ncountersign ", "cargo run --release -- "];
    let mut found = Vec::new();
    for start in starts {
        for rest in text.split(start).skip(1) {
            let line = rest.split(is_end).next().unwrap_or_default();
            found.push(line.split_whitespace().map(str::to_owned).collect());
        }
    }
    found
}

/// The subcommand's path: leading words that are names and no values.
fn path(command: &[String], known: &BTreeSet<String>) -> Vec<String> {
    let first = command.first().map(|word| word.trim_matches(',').to_owned()).into_iter();
    let is_nested = command.first().is_some_and(|word| word == "audit");
    let second = command.get(1).filter(|_| is_nested).map(|word| word.trim_matches(',').to_owned());
    first.chain(second).filter(|word| known.contains(word) || !word.starts_with(['<', '-'])).collect()
}

#[test]
fn commands_and_options_in_the_documents_exist() {
    let known: BTreeSet<String> =
        ["demo", "chat", "check", "test", "schema", "replay", "audit"].map(str::to_owned).into();
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for command in commands(&text) {
            let path = path(&command, &known);
            let help = run(&[path.as_slice(), &["--help".to_owned()]].concat(), b"");
            assert_eq!(help.code(), Some(0), "{}: `countersign {}`", page.display(), command.join(" "));
            for option in command.iter().filter(|word| word.starts_with("--")) {
                let name = option.trim_end_matches([',', '.', ')']).split('=').next().unwrap_or_default();
                assert!(help.out.contains(name), "{}: `countersign {}`: {name}", page.display(), command.join(" "));
            }
            seen += 1;
        }
    }
    assert!(seen >= 20, "only {seen} commands were found; is the test still looking?");
}
