//! Every fault that clients of the CLI have failed at, through the facade and with a real process.
//!
//! This program starts itself as the fault CLI of the testkit.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "all of it is tests, which clippy cannot see without the standard harness"
)]

mod callbacks;
mod calls;
mod closing;
mod ending;
mod fault_cli;
mod handshake;
#[path = "../../../transport/tests/process/left.rs"]
mod left;
mod lines;
mod received;
mod rows;
#[path = "../../../transport/tests/process/runner.rs"]
mod runner;
mod starting;
mod status;
mod turns;
mod volume;

use std::process::ExitCode;

use agentwire_testkit::faults;

fn main() -> ExitCode {
    if let Some(variable) = std::env::var_os(faults::VARIABLE) {
        return faults::run(std::env::args_os().skip(1), Some(variable));
    }
    if std::env::var_os(starting::SEARCHER).is_some() {
        return starting::search();
    }
    if std::env::var_os(status::HOST).is_some() {
        return status::host();
    }
    runner::run(TESTS)
}

/// All tests, by family.
const TESTS: &[&[runner::Test]] = &[
    callbacks::TESTS,
    calls::TESTS,
    closing::TESTS,
    ending::TESTS,
    handshake::TESTS,
    left::TESTS,
    lines::TESTS,
    rows::TESTS,
    starting::TESTS,
    status::TESTS,
    turns::TESTS,
    volume::TESTS,
];
