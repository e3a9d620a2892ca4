//! The fault CLI as a program; see `agentwire_testkit::faults`.

use std::process::ExitCode;

fn main() -> ExitCode {
    use agentwire_testkit::faults;

    faults::run(std::env::args_os().skip(1), std::env::var_os(faults::VARIABLE))
}
