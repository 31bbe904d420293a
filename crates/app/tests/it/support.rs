//! Runs the binary and reads what it said and left.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use countersign_sim::folder::TempFolder;
use serde_json::Value as Json;

/// A Monday noon in São Paulo; `sexta` is the 20th.
pub(crate) const NOW: &str = "2026-11-16T12:00:00-03:00";
/// A request for a boleto of R$ 150,00, and the arguments it must lead to.
pub(crate) const REQUEST: &str = "quero um boleto de 150 reais para a Ana, vence sexta";

/// How the binary ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Fails unless it ended with this code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code(), Some(code), "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// One object per line.
    #[track_caller]
    pub(crate) fn objects(&self) -> Vec<Json> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.env_remove("NO_COLOR");
    command
}

/// Runs it with these words and this input.
pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(words: &[S], input: &[u8]) -> Ran {
    run_command(command().args(words), input)
}

pub(crate) fn run_command(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A thread of its own: input and output may both be larger than a pipe holds. A child that ended takes no more.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends");
    Ran {
        status: output.status,
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The IRIS pack.
pub(crate) fn iris() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/iris");
    path.to_str().expect("UTF-8").to_owned()
}

/// A copy of the IRIS pack that may be changed.
pub(crate) fn iris_copy() -> TempFolder {
    let folder = TempFolder::new().expect("a folder");
    let mut left = vec![PathBuf::from(iris())];
    while let Some(from) = left.pop() {
        for entry in std::fs::read_dir(&from).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else {
                let to = folder.path().join(path.strip_prefix(iris()).expect("inside"));
                std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
                std::fs::copy(&path, to).expect("a copy");
            }
        }
    }
    folder
}

/// A data folder of its own.
pub(crate) struct Data {
    folder: TempFolder,
}

impl Data {
    pub(crate) fn new() -> Self {
        Self { folder: TempFolder::new().expect("a folder") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn text(&self) -> String {
        self.path().to_str().expect("UTF-8").to_owned()
    }

    /// Runs a command on this data.
    pub(crate) fn run(&self, words: &[&str], input: &str) -> Ran {
        let data = self.text();
        let all: Vec<&str> = words.iter().copied().chain(["--data", &data]).collect();
        run(&all, input.as_bytes())
    }

    /// A conversation on this data; one object per line.
    pub(crate) fn chat(&self, extra: &[&str], lines: &[&str]) -> Ran {
        let pack = iris();
        let words: Vec<&str> =
            ["chat", &pack, "--json", "--now", NOW].into_iter().chain(extra.iter().copied()).collect();
        self.run(&words, &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
    }

    /// Boletos in the business database beyond those it was seeded with.
    pub(crate) fn boletos(&self) -> i64 {
        let path = self.path().join("business/demo.db");
        if !path.exists() {
            return 0;
        }
        let connection = rusqlite::Connection::open(path).expect("the database opens");
        let count = "select count(*) from boletos where boleto_id > 'BOL-1007'";
        connection.query_row(count, [], |row| row.get(0)).expect("the table is there")
    }
}

/// The replies of a turn.
pub(crate) fn replies(turn: &Json) -> Vec<&str> {
    turn["replies"].as_array().expect("replies").iter().map(|reply| reply.as_str().expect("text")).collect()
}

/// The reasons of a turn's decisions.
pub(crate) fn reasons(turn: &Json) -> Vec<&str> {
    turn["decisions"].as_array().expect("decisions").iter().filter_map(|made| made["reason"].as_str()).collect()
}
