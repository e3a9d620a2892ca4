//! Tests of the process transport with real processes: this program starts itself as a fake CLI.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "all of it is tests, which clippy cannot see without the standard harness"
)]

mod closing;
mod ending;
mod fake;
mod groups;
mod guarding;
mod host;
mod runner;
mod starting;
mod streams;
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os(fake::FAKE).is_some() {
        return fake::play();
    }
    runner::run(&[
        closing::TESTS,
        ending::TESTS,
        groups::TESTS,
        guarding::TESTS,
        starting::TESTS,
        streams::TESTS,
    ])
}
