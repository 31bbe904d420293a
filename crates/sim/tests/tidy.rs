//! The rules of the house that no lint can check: crate arrows, file lengths, missing pages, leftovers.
//!
//! Invariant: each rule is one test, and a failure names every offender and what to do about it.
//! Deliberately absent: the strings that may not occur. They are put together from pieces, or this file would be the
//! first to contain them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use countersign_kernel::decision::Gate;
use countersign_kernel::reason::Reason;

/// Which crate may depend on which. A new arrow is a change of design and gets a commit of its own.
const ARROWS: &[(&str, &[&str])] = &[
    ("nlu", &[]),
    ("kernel", &["nlu"]),
    ("pack", &["kernel", "nlu"]),
    ("runtime", &["kernel", "nlu"]),
    ("store", &["kernel", "runtime"]),
    ("connect", &["kernel", "nlu", "runtime"]),
    ("sim", &["connect", "kernel", "nlu", "pack", "runtime", "store"]),
    ("app", &["connect", "kernel", "nlu", "pack", "runtime", "sim", "store"]),
];
/// Crates without clock, files, threads or environment.
const PURE: &[&str] = &["kernel", "nlu", "pack"];
/// Longest file without its tests: beyond it, it is two ideas.
const CODE_LINES_MAX: usize = 600;
/// Longest file with its tests.
const LINES_MAX: usize = 800;
/// Files that are too long today, with the length they may not exceed; a file that was split leaves this list.
const LONG_TODAY: &[(&str, usize)] = &[];
/// Folders that hold nothing people wrote.
const SKIPPED: &[&str] = &[".git", "target"];
/// How deep folders may be nested before we suspect a loop.
const DEPTH_MAX: usize = 16;

fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default()
}

fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path);
    assert!(text.is_ok(), "`{}` cannot be read", path.display());
    text.unwrap_or_default()
}

/// The path as people write it: from the root of the repository, with slashes.
fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Every file below a folder, in order.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        assert!(depth <= DEPTH_MAX, "`{}` is nested too deeply", folder.display());
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_folder {
                files.push(path);
            } else if !SKIPPED.contains(&name.to_string_lossy().as_ref()) {
                folders.push((path, depth + 1));
            }
        }
    }
    files.sort();
    files
}

/// The files git knows or would add; without git, every file.
fn tracked() -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root()).output().ok();
    let names = listed.filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let files: Vec<PathBuf> = String::from_utf8_lossy(&names).lines().map(|name| root().join(name)).collect();
    if files.is_empty() { walk(&root()) } else { files.into_iter().filter(|path| path.is_file()).collect() }
}

fn crate_names() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("crates")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn rust_files(part: &str) -> Vec<PathBuf> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    crate_names().iter().flat_map(|name| walk(&root().join("crates").join(name).join(part))).filter(is_rust).collect()
}

/// A file of tests only.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs")
}

/// Our own crates that a manifest's `[dependencies]` and `[build-dependencies]` name.
fn own_dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_inside = matches!(section, "dependencies" | "build-dependencies");
            let alone = section.strip_prefix("dependencies.").and_then(|name| name.strip_prefix("countersign-"));
            found.extend(alone.map(str::to_owned));
        } else if is_inside && let Some(name) = line.strip_prefix("countersign-") {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(name.len());
            found.extend(name.get(..end).map(str::to_owned));
        }
    }
    found
}

fn report(offenders: &[String], rule: &str) {
    assert!(offenders.is_empty(), "{rule}\n  {}", offenders.join("\n  "));
}

#[test]
fn crates_depend_only_along_the_arrows() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut offenders = Vec::new();
    for name in crate_names() {
        let Some(may) = allowed.get(name.as_str()) else {
            offenders.push(format!("`{name}` is not in the list of arrows"));
            continue;
        };
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        let uses = own_dependencies(&manifest);
        let wrong = uses.iter().filter(|used| !may.contains(&used.as_str()));
        offenders.extend(wrong.map(|used| format!("`{name}` depends on `{used}`")));
    }
    report(
        &offenders,
        "crates depend on each other only as ARCHITECTURE.md draws it; move the code, or discuss the arrow:",
    );
}

#[test]
fn manifests_are_read_as_cargo_reads_them() {
    let check = |manifest: &str, expected: &[&str]| {
        let found: Vec<String> = own_dependencies(manifest).into_iter().collect();
        assert_eq!(found, expected, "{manifest}");
    };
    check("[dependencies]\ncountersign-nlu.workspace = true\njiff = \"1\"\n", &["nlu"]);
    check("[dependencies]\ncountersign-kernel = { path = \"../kernel\" }\n", &["kernel"]);
    check("[dependencies.countersign-store]\npath = \"../store\"\n", &["store"]);
    check("[build-dependencies]\ncountersign-pack.workspace = true\n", &["pack"]);
    check("[dev-dependencies]\ncountersign-sim.workspace = true\n", &[]);
}

#[test]
fn files_are_short_enough_to_be_one_idea() {
    let mut offenders = Vec::new();
    for path in rust_files("") {
        let text = read(&path);
        let lines = text.lines().count();
        let code = text.lines().position(|line| line.starts_with("#[cfg(test)]")).unwrap_or(lines);
        let known = LONG_TODAY.iter().find(|(file, _)| *file == shown(&path)).map(|(_, max)| *max);
        let code_max = known.unwrap_or(CODE_LINES_MAX);
        if lines > LINES_MAX {
            offenders.push(format!("{}: {lines} lines, {LINES_MAX} allowed", shown(&path)));
        } else if code > code_max && !is_test(&path) {
            offenders.push(format!("{}: {code} lines before its tests, {code_max} allowed", shown(&path)));
        } else if known.is_some() && code <= CODE_LINES_MAX {
            offenders.push(format!("{}: is short now; take it out of LONG_TODAY in tidy.rs", shown(&path)));
        }
    }
    report(&offenders, "a file is one idea; split these:");
}

#[test]
fn every_reason_has_a_page_and_every_page_a_reason() {
    let folder = root().join("docs/reasons");
    let pages: BTreeSet<String> = walk(&folder)
        .iter()
        .filter_map(|path| shown(path).strip_prefix("docs/reasons/")?.strip_suffix(".md").map(str::to_owned))
        .filter(|name| name != "README")
        .collect();
    let codes: BTreeSet<String> = Reason::ALL.iter().map(|reason| reason.code().to_owned()).collect();
    let index = read(&folder.join("README.md"));
    let mut offenders = Vec::new();
    offenders.extend(codes.difference(&pages).map(|code| format!("`{code}` has no page docs/reasons/{code}.md")));
    offenders.extend(pages.difference(&codes).map(|page| format!("docs/reasons/{page}.md is about no reason")));
    for code in codes.intersection(&pages) {
        let page = read(&folder.join(format!("{code}.md")));
        for part in ["## What happened", "## Why ", "## Example", "## How to change it"] {
            if !page.contains(part) {
                offenders.push(format!("docs/reasons/{code}.md has no part `{}`", part.trim()));
            }
        }
        if !page.starts_with(&format!("# {code}\n")) {
            offenders.push(format!("docs/reasons/{code}.md does not begin with `# {code}`"));
        }
        if !index.contains(&format!("[{code}]({code}.md)")) {
            offenders.push(format!("docs/reasons/README.md does not list `{code}`"));
        }
    }
    report(&offenders, "people look reasons up by their code:");
}

/// What no file may contain, and why.
fn forbidden() -> Vec<(String, &'static str)> {
    let join = |parts: &[&str]| parts.concat();
    vec![
        (join(&["/wo", "rk/"]), "a path of one machine"),
        (join(&["/ro", "ot/"]), "a path of one machine"),
        (join(&["/ho", "me/"]), "a path of one machine"),
        (join(&["/Us", "ers/"]), "a path of one machine"),
        (join(&["FIX", "ME"]), "finish it, or open an issue"),
        (join(&["TO", "DO"]), "finish it, or open an issue"),
        (join(&["XX", "X:"]), "finish it, or open an issue"),
        (join(&["#[ign", "ore"]), "mend the test, or assert what is wrong today"),
        (join(&["unimple", "mented!("]), "finish it"),
        (join(&["to", "do!("]), "finish it"),
        (join(&["static.crates", ".io"]), "the host of a registry"),
        (join(&["index.crates", ".io"]), "the host of a registry"),
        (join(&["registry.npm", "js"]), "the host of a registry"),
        (join(&["files.python", "hosted"]), "the host of a registry"),
        (join(&["arti", "factory"]), "the host of a registry"),
    ]
}

/// True if the word stands there by itself and is not the beginning of a longer one.
fn stands(line: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = word.chars().all(is_letter);
    line.match_indices(word).any(|(at, found)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + found.len()..).and_then(|text| text.chars().next());
        !is_word || !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

#[test]
fn nothing_is_left_over() {
    let forbidden = forbidden();
    let mut offenders = Vec::new();
    for path in tracked() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (index, line) in text.lines().enumerate() {
            let found = forbidden.iter().filter(|(word, _)| stands(line, word));
            offenders.extend(found.map(|(word, why)| format!("{}:{}: `{word}`: {why}", shown(&path), index + 1)));
        }
    }
    report(&offenders, "these do not belong into the repository:");
}

#[test]
fn a_forbidden_word_is_found_only_as_a_word() {
    let word = ["TO", "DO"].concat();
    assert!(stands(&format!("// {word}: later"), &word));
    assert!(stands(&word, &word));
    assert!(!stands(&format!("{word}S OS BOLETOS"), &word));
    assert!(stands(&["a", "/ro", "ot/", "b"].concat(), &["/ro", "ot/"].concat()));
}

#[test]
fn every_gate_has_its_file() {
    let folder = root().join("crates/kernel/src/gates");
    let files: BTreeSet<String> = walk(&folder)
        .iter()
        .filter_map(|path| path.strip_prefix(&folder).ok()?.to_str()?.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name != "mod" && !name.contains(['/', '\\']))
        .collect();
    let gates: BTreeSet<String> =
        Gate::ALL.iter().filter(|gate| **gate != Gate::Turn).map(|gate| gate.name().to_owned()).collect();
    let mut offenders = Vec::new();
    offenders
        .extend(gates.difference(&files).map(|gate| format!("the gate `{gate}` has no kernel/src/gates/{gate}.rs")));
    offenders
        .extend(files.difference(&gates).map(|file| format!("kernel/src/gates/{file}.rs is not in the list of gates")));
    report(&offenders, "one gate, one file (the list is in kernel/src/decision.rs):");
}

#[test]
fn every_crate_takes_the_shared_lints() {
    let mut offenders = Vec::new();
    for name in crate_names() {
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        let section = manifest.split("[lints]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        if !section.lines().any(|line| line.trim() == "workspace = true") {
            offenders.push(format!("crates/{name}/Cargo.toml"));
        }
    }
    report(&offenders, "write `[lints]` with `workspace = true` into:");
}

#[test]
fn pure_crates_repeat_the_shared_clippy_keys() {
    // A crate's own clippy.toml replaces the root one, so a key that is not repeated is silently lost.
    let shared = read(&root().join("clippy.toml"));
    let keys: Vec<&str> = shared.lines().filter(|line| line.contains('=') && !line.starts_with('#')).collect();
    let mut offenders = Vec::new();
    for name in PURE {
        let path = root().join("crates").join(name).join("clippy.toml");
        if !path.is_file() {
            offenders
                .push(format!("crates/{name}/clippy.toml does not exist: a pure crate bans clocks and files there"));
            continue;
        }
        let own = read(&path);
        let lost = keys.iter().filter(|key| !own.lines().any(|line| line == **key));
        offenders.extend(lost.map(|key| format!("crates/{name}/clippy.toml lacks `{key}`")));
        let bans = ["SystemTime::now", "Timestamp::now", "std::env::var", "HashMap"];
        let missing = bans.iter().filter(|ban| !own.contains(**ban));
        offenders.extend(missing.map(|ban| format!("crates/{name}/clippy.toml does not ban `{ban}`")));
    }
    report(&offenders, "pure crates keep the shared keys and their bans:");
}

#[test]
fn every_file_says_what_it_is_for() {
    // A file of tests says what it is for in the names of its tests.
    let files = rust_files("src").into_iter().filter(|path| !is_test(path));
    let offenders: Vec<String> = files.filter(|path| !read(path).starts_with("//!")).map(|path| shown(&path)).collect();
    report(&offenders, "begin with `//!`: purpose, invariant, what is deliberately absent:");
}

#[test]
fn dependencies_come_from_one_registry() {
    let lock = read(&root().join("Cargo.lock"));
    let public = ["registry+https://github.com/rust-lang/", "crates.io", "-index"].concat();
    let offenders: Vec<String> = lock
        .lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .filter(|source| source.trim_matches('"') != public)
        .map(str::to_owned)
        .collect();
    report(&offenders, "Cargo.lock names a source other people do not have:");
}
