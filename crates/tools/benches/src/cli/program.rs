//! The bench CLI as a program: its arguments and how it ends.

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use super::play::play;

/// Plays the CLI on stdin and stdout of this process, until its input ends.
///
/// The exit code is not 0 if the client ends too early or sends a wrong line; stderr contains the reason.
pub fn run() -> ExitCode {
    if env::args_os().any(|argument| argument == "--version") {
        // If stdout is closed, the text is lost.
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
