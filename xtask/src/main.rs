//! The chores of the workspace: `cargo xtask COMMAND`.
//!
//! This file only dispatches; each command is a file of its own.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal speaks by printing"
)]

mod args;
mod bench;
mod built;
mod ci;
mod cli;
mod conformance;
mod decode;
mod docs;
mod drift;
mod endings;
mod failure;
mod fixtures;
mod fuzz;
mod hub_marks;
mod inspect;
mod layers;
mod leaving;
mod live;
mod live_tests;
mod machine;
mod mcp_conformance;
mod mcp_servers;
mod netns;
mod package;
mod peers;
mod program;
mod quickstart;
mod record;
mod scenarios;
mod services;
mod sessions_agree;
mod soak;
mod tidy;
mod typescript;
mod view;
mod view_browser;
mod wire;
mod workspace;

use std::process::ExitCode;

use args::Args;
use failure::Failure;

/// One command: adding one is a file with a `run`, a `mod` above and a line in `COMMANDS` below.
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
            if !failure.is_told() {
                eprintln!("xtask {name}: {failure}");
            }
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

#[rustfmt::skip] // One command a line: another is added with its name, its arguments, its purpose and its function.
const COMMANDS: &[Command] = &[
    Command { name: "bench", usage: "[--check] [--only NAME] [--rounds N] [--peers]", about: "what the library costs, against limits of the same run", run: bench::run },
    Command { name: "ci", usage: "[--full] [--list] [--dry-run] [STEP…]", about: "what CI runs, here", run: ci::run },
    Command { name: "cli", usage: "[--version V] [--path]", about: "install the pinned CLI into .cli/", run: cli::run },
    Command { name: "conformance", usage: "[PATHS…] [--facade] [--self-test] [--json]", about: "play recorded sessions through the layers", run: conformance::run },
    Command { name: "decode", usage: "[FILE]", about: "what our types make of each line, as JSON lines", run: decode::run },
    Command { name: "docs", usage: "[--check]", about: "write the pages that are made from the code", run: docs::run },
    Command { name: "drift", usage: "[--declarations V] [--recordings] [--write]", about: "what is declared or recorded, and in no type of ours", run: drift::run },
    Command { name: "endings", usage: "", about: "examples with the real CLI, after turns that end badly", run: endings::run },
    Command { name: "fixtures", usage: "list [--write] [--check]", about: "which scenario reaches what of the declared surface", run: fixtures::run },
    Command { name: "fuzz", usage: "[--seconds N] [TARGET…]", about: "feed the decoders what nobody wrote, for a while", run: fuzz::run },
    Command { name: "hub-marks", usage: "[--quick]", about: "what the hub costs beside rmcp alone, and fifty servers at once", run: hub_marks::run },
    Command { name: "layers", usage: "", about: "the order of the crates and what each may cost", run: layers::run },
    Command { name: "leaving", usage: "[--check] [--last]", about: "guards hold when their host goes away, and the table of docs/hooks.md", run: leaving::run },
    Command { name: "live", usage: "[--all] [SCENARIO…]", about: "run scenarios on the real CLI, and compare with the fixtures", run: live::run },
    Command { name: "live-tests", usage: "[FOLDER…]", about: "run the tests that need the real CLI", run: live_tests::run },
    Command { name: "mcp-conformance", usage: "[SCENARIO…]", about: "the hub in the conformance suite of the MCP project", run: mcp_conformance::run },
    Command { name: "mcp-servers", usage: "[--install]", about: "run the tests that need other people's MCP servers", run: mcp_servers::run },
    Command { name: "netns", usage: "-- PROGRAM ARGS…", about: "run a program with loopback only", run: netns::run },
    Command { name: "package", usage: "", about: "pack every crate and build from its package", run: package::run },
    Command { name: "record", usage: "[SCENARIO…]", about: "run scenarios on the real CLI, and store the fixtures", run: record::run },
    Command { name: "services", usage: "[--proof] [--only NAME,…] [-- COMMAND…]", about: "run what needs a database or an S3 server beside them", run: services::run },
    Command { name: "sessions-agree", usage: "[--seed N] [--folders N]", about: "stored sessions, read by us and by the published Python SDK", run: sessions_agree::run },
    Command { name: "soak", usage: "[--sessions N]", about: "many sessions with the real CLI, of which nothing may be left", run: soak::run },
    Command { name: "tidy", usage: "[--fix]", about: "what no compiler checks", run: tidy::run },
    Command { name: "view", usage: "TRANSCRIPT [-o OUT]", about: "a recorded session as one HTML page", run: view::run },
    Command { name: "view-browser", usage: "[--screenshots FOLDER]", about: "drive such pages in headless Chromium", run: view_browser::run },
    Command { name: "wire", usage: "OPTIONS.json", about: "what options become on the wire, as JSON", run: wire::run },
];
