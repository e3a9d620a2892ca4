//! The program `agentwire`; each command is a module of the library.
#![expect(clippy::print_stderr, reason = "a program for the terminal reports by printing")]

use std::process::ExitCode;

use agentwire_cli::{check, decode, doctor, mock, relay, run, sessions, view, wire};
use clap::{CommandFactory as _, Parser};

/// Runs, records, replays, checks and reads sessions of the Claude Code CLI
#[derive(Debug, Parser)]
#[command(name = "agentwire", version)]
enum Command {
    Doctor(doctor::Args),
    Run(run::Args),
    Record(relay::RecordArgs),
    Replay(relay::ReplayArgs),
    Check(check::Args),
    View(view::Args),
    Decode(decode::Args),
    Wire(wire::Args),
    Sessions(sessions::Args),
    Mock(mock::Args),
    /// Prints the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Doctor(args) => doctor::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Record(args) => relay::record(&args),
        Command::Replay(args) => relay::replay(&args),
        Command::Check(args) => check::run(&args),
        Command::View(args) => view::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Wire(args) => wire::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::Mock(args) => mock::run(&args),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Command::command(), "agentwire", &mut text);
            agentwire_cli::output::write(&text)
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // The command has printed its findings.
        Err(failure) if failure.is_reported() => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("agentwire: {failure}");
            ExitCode::from(2)
        }
    }
}
