//! The bench CLI beside its clients, so that they are built together: see `agentwire_testkit::bench`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    agentwire_testkit::bench::run()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
