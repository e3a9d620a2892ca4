//! The bench CLI, built together with its clients: see `agentwire_benches::cli`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    agentwire_benches::cli::run()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
