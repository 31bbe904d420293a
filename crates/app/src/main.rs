//! The `countersign` binary: wires everything, decides nothing.
//!
//! Invariant: a command ends with one of three exit codes (0 all is well, 1 something was found, 2 it could not run),
//! and whatever stopped it is one line on the standard error that says what, where and what to do.

// The command line.
mod config;
// Styles, safe text, tables.
mod output;
// Packs on a disk and in the program.
mod packs;
// The clock of a trial run.
mod clock;
// Pack, data folder and ports -> a running agent.
mod wire;
// A conversation in the terminal: turns, slash commands, what is shown.
mod session;
// One file per subcommand.
mod commands;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::config::{AuditCommand, Cli, Command};

/// A turn makes many small allocations; this allocator makes the kernel's part of it a third faster (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended that could run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All is well.
    Fine,
    /// Mistakes, failed specs, differences.
    Findings,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ending = match cli.command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Chat(args) => commands::chat::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Test(args) => commands::test::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Audit(AuditCommand::Verify(args)) => commands::audit::verify(&args),
        Command::Audit(AuditCommand::Show(args)) => commands::audit::show(&args),
        Command::Audit(AuditCommand::Export(args)) => commands::audit::export(&args),
        Command::Audit(AuditCommand::Erase(args)) => commands::audit::erase(&args),
    };
    match ending {
        Ok(Ending::Fine) => ExitCode::SUCCESS,
        Ok(Ending::Findings) => ExitCode::from(1),
        // Whoever read us has seen enough; that is not an error.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
