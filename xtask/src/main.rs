//! The chores of the workspace: `cargo xtask COMMAND`.
//!
//! This file only dispatches; each command is a file of its own.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal speaks by printing")]

mod args;
mod ci;
mod cli;
mod failure;
mod layers;
mod machine;
mod netns;
mod package;
mod program;
mod tidy;
mod workspace;

use std::process::ExitCode;

use args::Args;
use failure::Failure;

/// One command: adding one is a file with a `run` and a line in `COMMANDS`.
struct Command {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(Args) -> Result<(), Failure>,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(name) = words.next() else {
        print_help();
        return ExitCode::FAILURE;
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print_help();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("xtask: there is no command `{name}`; `cargo xtask help` lists them");
        return ExitCode::FAILURE;
    };
    match (command.run)(Args::new(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask {name}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("cargo xtask COMMAND\n");
    for Command { name, usage, about, .. } in COMMANDS {
        println!("  {:<46}{about}", format!("{name} {usage}"));
    }
}

const COMMANDS: &[Command] = &[
    Command {
        name: "ci",
        usage: "[--full] [--list] [--dry-run] [STEP…]",
        about: "what CI runs, here",
        run: ci::run,
    },
    Command {
        name: "cli",
        usage: "[--version V] [--path]",
        about: "install the pinned CLI into .cli/ and check it",
        run: cli::run,
    },
    Command {
        name: "layers",
        usage: "",
        about: "the order of the crates, dependency budgets, minimum Rust versions",
        run: layers::run,
    },
    Command {
        name: "netns",
        usage: "-- PROGRAM ARGS…",
        about: "run a program where only loopback is there",
        run: netns::run,
    },
    Command {
        name: "package",
        usage: "",
        about: "pack every crate, check what is in it, build from it",
        run: package::run,
    },
    Command { name: "tidy", usage: "[--fix]", about: "what no compiler checks", run: tidy::run },
];
