//! `agentwire replay`: plays a transcript to an SDK as if it were the CLI.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentwire_testkit::{Replay, Transcript, transcript::Entry};

use crate::failure::{Failure, While as _};
use crate::output::{line, note};
use crate::relay;

/// Play a recorded session as if it were the CLI
///
/// To replay a session to any SDK, set its CLI path to this program, and the variable AGENTWIRE_REPLAY to the
/// transcript.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A transcript
    transcript: PathBuf,
    /// Compare each line of the SDK whole, and not only prompts, hooks and answers
    #[arg(long)]
    strict: bool,
    /// The SDK's arguments for the CLI, which are ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    ignored: Vec<String>,
}

/// Answers the standard input as the transcript does.
///
/// # Errors
///
/// If the transcript can't be read, or the input is not the recorded one; otherwise the recorded exit code.
pub fn run(args: &Args) -> Result<(), Failure> {
    replay(&args.transcript, args.strict, &args.ignored)
}

/// Plays the transcript between the standard streams.
pub(crate) fn replay(file: &Path, strict: bool, arguments: &[String]) -> Result<(), Failure> {
    let reading = || format!("reading {}", file.display());
    let transcript = Transcript::parse(fs::read(file).while_doing(reading)?).while_doing(reading)?;
    if relay::asks_version(arguments) {
        let version = transcript.header.cli.as_deref().unwrap_or("unknown");
        return line(format_args!("{version} (Claude Code)"));
    }
    let replay = Replay::new(&transcript).limit(LIMIT);
    let replay = if strict { replay } else { replay.foreign() };
    let handle = replay.handle();
    let ended = relay::relay(replay);
    let report = handle.report();
    if !report.is_complete() {
        return Err(Failure::finding(format!("{}: {report}", file.display())));
    }
    let ended = ended?;
    if !ended.stderr_tail.is_empty() {
        note(ended.stderr_tail.trim_end());
    }
    // A capture of the output alone never has an end.
    let has_input = transcript.entries.iter().any(|entry| matches!(entry, Entry::Outbound(_)));
    if let Some(line) = report.last_line.filter(|_| has_input) {
        note(format_args!(
            "{}: the transcript ends at line {line}, without the end of the CLI",
            file.display()
        ));
    }
    relay::exit_as(&ended)
}

/// The limit of a wait for a line of the SDK.
const LIMIT: Duration = Duration::from_secs(60);
