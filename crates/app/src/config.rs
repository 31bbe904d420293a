//! The command line: what can be asked for, and what each word of it means.
//!
//! Invariant: everything here is checked by the parser before a command starts; a command never meets a malformed
//! time or an impossible combination. Deliberately absent: doing any of it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use jiff::Timestamp;

/// Exit codes, shown by `--help`.
const AFTER: &str = "Exit codes: 0 all is well; 1 something was found (mistakes, failed specs, differences, a broken \
                     log); 2 wrong usage, or it could not run.\nColours are used on a terminal only; NO_COLOR turns \
                     them off.";

/// Countersign: nothing happens and nothing is said until it has been countersigned.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, after_help = AFTER, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Try an agent in the terminal, offline, with made-up data
    Demo(DemoArgs),
    /// Talk to an agent, from a terminal or from a pipe
    Chat(ChatArgs),
    /// Check a pack and print every mistake
    Check(CheckArgs),
    /// Run a pack's specs: conversations that must hold
    Test(TestArgs),
    /// Print the JSON Schema of the pack format, for editors
    Schema(SchemaArgs),
    /// Decide a stored conversation again and compare
    Replay(ReplayArgs),
    /// Read, check, export the log; forget a person
    #[command(subcommand)]
    Audit(AuditCommand),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Which agent, by name; asked for on a terminal, `iris` otherwise
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// The pack's folder
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// The tenant whose overlay and data are used [default: demo]
    #[arg(long, value_name = "ID")]
    pub(crate) tenant: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// Where state lives [default: a new temporary folder that is removed at the end]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Fix the clock (RFC 3339, such as 2026-11-16T12:00:00-03:00); only /wait moves it then
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<Timestamp>,
    /// Print one JSON object per line of input
    #[arg(long)]
    pub(crate) json: bool,
    /// The conversation's name
    #[arg(long, value_name = "NAME", default_value = "terminal", value_parser = name)]
    pub(crate) conversation: String,
    /// Who is talking
    #[arg(long, value_name = "ID", default_value = "terminal", value_parser = name)]
    pub(crate) customer: String,
    /// End the process at a named point, as a power cut would (`point` or `point:n` for the n-th time)
    #[arg(long, value_name = "POINT", hide = true)]
    pub(crate) crash_at: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The pack's folder
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// Check with this tenant's overlay only [default: without any, then with each]
    #[arg(long, value_name = "ID")]
    pub(crate) tenant: Option<String>,
    /// Print a JSON array instead
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The pack's folder
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// Only specs whose title or file contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print every conversation, not only failed ones
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Write to this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Where a tenant's data is.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// The data folder, as given to `chat --data`
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The tenant
    #[arg(long, value_name = "ID", default_value = "demo")]
    pub(crate) tenant: String,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The conversation's name
    pub(crate) conversation: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Decide with this pack instead of the stored one, and say what would change
    #[arg(long, value_name = "PACK")]
    pub(crate) pack: Option<PathBuf>,
    /// Print a JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check the chain, the tree and the signatures of a log
    Verify(VerifyArgs),
    /// Show what was decided in a conversation, record by record
    Show(ShowArgs),
    /// Write the log to a file that can be verified anywhere
    Export(ExportArgs),
    /// Forget a person: their values become unreadable, the log stays whole
    Erase(EraseArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The data folder
    #[arg(long, value_name = "DIR", required_unless_present = "file", conflicts_with = "file")]
    pub(crate) data: Option<PathBuf>,
    /// The tenant
    #[arg(long, value_name = "ID", default_value = "demo")]
    pub(crate) tenant: String,
    /// An exported log, instead of a data folder
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) file: Option<PathBuf>,
    /// The public key: hex, or a file that holds it as hex or PEM
    #[arg(long, value_name = "KEY", requires = "file")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The conversation's name
    pub(crate) conversation: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Print one JSON object per record instead
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// The customer, as given to `chat --customer`
    pub(crate) customer: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Longest name of a conversation or customer: it is a key in every table.
const NAME_MAX: usize = 128;

fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > NAME_MAX || text.chars().any(char::is_control) {
        return Err(format!("expected 1 to {NAME_MAX} bytes without control characters"));
    }
    Ok(text.to_owned())
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "expected a time with its offset, such as 2026-11-16T12:00:00-03:00".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_need_an_offset_and_names_a_length() {
        assert!(time("2026-11-16T12:00:00-03:00").is_ok());
        assert!(time("2026-11-16T12:00:00").is_err());
        assert!(time("tomorrow").is_err());
        assert!(name(&"a".repeat(NAME_MAX)).is_ok());
        assert!(name(&"a".repeat(NAME_MAX + 1)).is_err());
        assert!(name("").is_err() && name("a\nb").is_err());
    }
}
