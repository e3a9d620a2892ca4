//! The maintenance commands of the workspace: `cargo xtask COMMAND`.
//!
//! This file only dispatches; each command is a file of its own.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal reports by printing"
)]

mod acp;
mod bench;
mod board;
mod book;
mod built;
mod ci;
mod cli;
mod conformance;
mod docs;
mod drift;
mod durable;
mod endings;
mod first_program;
mod fixtures;
mod fuzz;
mod hub_marks;
mod layers;
mod leaving;
mod live;
mod live_tests;
mod machine;
mod mcp_conformance;
mod mcp_servers;
mod metadata;
mod netns;
mod npm;
mod package;
mod peers;
mod program;
mod public_api;
mod python;
mod quickstart;
mod record;
mod scenarios;
mod sdks;
mod section;
mod services;
mod sessions_agree;
mod soak;
mod tidy;
mod typescript;
mod view_browser;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use agentwire_cli::{at_once, decode, failure};
use failure::Failure;

/// Declares the commands; the module of each has `Args`, whose first line describes the command, and `run`.
macro_rules! commands {
    ($($variant:ident $module:ident,)*) => {
        /// Maintenance commands of the workspace.
        #[derive(Debug, Parser)]
        #[command(name = "cargo xtask", bin_name = "cargo xtask")]
        enum Command {
            $($variant($module::Args),)*
        }

        impl Command {
            fn run(&self) -> Result<(), Failure> {
                match self {
                    $(Self::$variant(args) => $module::run(args),)*
                }
            }
        }
    };
}

commands! {
    Acp acp,
    Bench bench,
    Board board,
    Book book,
    Ci ci,
    Cli cli,
    Conformance conformance,
    Docs docs,
    Drift drift,
    Durable durable,
    Endings endings,
    FirstProgram first_program,
    Fixtures fixtures,
    Fuzz fuzz,
    HubMarks hub_marks,
    Layers layers,
    Leaving leaving,
    Live live,
    LiveTests live_tests,
    McpConformance mcp_conformance,
    McpServers mcp_servers,
    Netns netns,
    Package package,
    PublicApi public_api,
    Record record,
    Sdks sdks,
    Services services,
    SessionsAgree sessions_agree,
    Soak soak,
    Tidy tidy,
    ViewBrowser view_browser,
}

fn main() -> ExitCode {
    match Command::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_reported() {
                eprintln!("xtask: {failure}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Returns the error of a command line that starts with `xtask`, if it does not parse.
fn wrong_arguments(words: &[&str]) -> Option<clap::Error> {
    Command::try_parse_from(words).err()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn command_line_is_consistent() {
        super::Command::command().debug_assert();
    }

    #[test]
    fn options_that_would_be_ignored_or_have_no_limit_are_refused() {
        for line in [
            "xtask drift --write --recordings",
            "xtask drift --declarations 0.3.331 --recordings",
            "xtask durable --nodes 3 --check all",
            "xtask durable --small",
            "xtask services --proof -- true",
            "xtask fixtures list --write --check",
            "xtask ci --full tidy",
            // libFuzzer takes 0 for no limit.
            "xtask fuzz --seconds 0",
            "xtask soak --sessions 0",
            "xtask sessions-agree --folders 0",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(super::wrong_arguments(&words).is_some(), "{line}");
        }
    }
}
