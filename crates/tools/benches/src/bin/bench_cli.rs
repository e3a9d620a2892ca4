//! The bench CLI, built together with its clients: see `agentwire_benches::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    agentwire_benches::cli::run()
}
