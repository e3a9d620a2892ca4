//! The bench CLI as a program; see `agentwire_testkit::bench`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    agentwire_testkit::bench::run()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
