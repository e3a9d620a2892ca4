//! The bench CLI beside its clients, so that they are built together: see `agentwire_benches::cli`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    agentwire_benches::cli::run()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
