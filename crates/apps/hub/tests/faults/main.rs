//! Misbehaving servers, through a hub and with real processes.
//!
//! This program starts itself as the misbehaving server of the testkit.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "all of it is tests, which clippy cannot see without the standard harness"
)]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod applying;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod keeping;
#[cfg(target_os = "linux")]
#[path = "../../../../transport/tests/process/left.rs"]
mod left;
#[cfg(target_os = "linux")]
mod played;
#[cfg(target_os = "linux")]
#[path = "../../../../transport/tests/process/runner.rs"]
mod runner;
#[cfg(target_os = "linux")]
mod starting;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use agentwire_testkit::fault_mcp;

    let mut arguments = std::env::args_os().skip(1).peekable();
    if arguments.next_if(|first| first == fault_mcp::FLAG).is_some() {
        return fault_mcp::run(arguments);
    }
    runner::run(TESTS)
}

/// The check for remaining processes needs `/proc`.
#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}

/// All tests, by family.
#[cfg(target_os = "linux")]
const TESTS: &[&[runner::Test]] =
    &[applying::TESTS, calls::TESTS, ending::TESTS, keeping::TESTS, left::TESTS, starting::TESTS];
