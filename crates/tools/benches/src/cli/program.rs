//! The bench CLI as a program: its arguments and how it ends.

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use super::play::play;

/// Plays the CLI on stdin and stdout of this process, until its input ends.
///
/// The exit code is not 0 where the client ends too early or says anything wrong; stderr says what.
pub fn run() -> ExitCode {
    if env::args_os().any(|argument| argument == "--version") {
        // Who asks and does not listen has no answer.
        let _: io::Result<()> = writeln!(io::stdout(), "{VERSION} (Claude Code)");
        return ExitCode::SUCCESS;
    }
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _: io::Result<()> = writeln!(io::stderr(), "the bench CLI: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The version of the recorded shapes.
const VERSION: &str = "2.1.330";
