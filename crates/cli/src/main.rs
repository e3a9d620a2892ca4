//! The program `agentwire`; each command is a module of the library.

use std::process::ExitCode;

use agentwire_cli::{command::CommandLine, output, stand_in::StandIn};

fn main() -> ExitCode {
    let outcome = match StandIn::from_env() {
        Some(stand_in) => stand_in.run(),
        None => CommandLine::read().and_then(|line| line.map_or(Ok(()), CommandLine::run)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(output::report(failure, output::note).code()),
    }
}
