//! `agentwire replay`: plays a transcript to an SDK as if it were the CLI.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use agentwire_testkit::{Replay, Transcript, transcript::Entry};
use agentwire_transport::process::AGENTWIRE_CLI;
use rustix::fs::{FlockOperation, flock};
use tokio::process::Command;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::failure::{Failure, While as _};
use crate::output::{line, note};
use crate::record::REPLAY;
use crate::signals::Signals;
use crate::{program, relay};

/// Play a recorded session as if it were the CLI
///
/// To replay a session to any SDK, set its CLI path to this program, and the variable AGENTWIRE_REPLAY to the
/// transcript. To test a program, write it behind --: otherwise a program that sends less than was recorded may pass.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A transcript
    transcript: PathBuf,
    /// Compare each line of the SDK whole, and not only prompts, hooks and answers
    #[arg(long, conflicts_with = "program")]
    strict: bool,
    /// The SDK's arguments for the CLI, which are ignored
    #[arg(allow_hyphen_values = true, hide = true)]
    ignored: Vec<OsString>,
    /// A program to run with AGENTWIRE_CLI and AGENTWIRE_REPLAY set; if a replay is not complete, the report is printed, and the exit code is 1
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Answers the standard input as the transcript does, or runs the program.
/// Fails if the input is not the recorded one, and otherwise with the exit code that was recorded or that the program
/// has, if it is not 0.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.program[..] {
        [] => replay(&args.transcript, args.strict, &args.ignored),
        [program, arguments @ ..] => replay_to(Command::new(program).args(arguments), &args.transcript),
    }
}

/// Runs the program, whose SDK starts this program as the CLI, and fails if a replay is not complete.
fn replay_to(program: &mut Command, file: &Path) -> Result<(), Failure> {
    read(file)?;
    let reports = tempfile::NamedTempFile::new()?;
    program.env(AGENTWIRE_CLI, env::current_exe()?).env(REPLAY, absolute(file)?).env(REPORTS, reports.path());
    let lock = reports.as_file().try_clone()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(async {
        let mut signals = Signals::new()?;
        let code = program::run(program, &mut signals).await?;
        // The program may end before its CLI. A replay that still runs after the limit, or a signal, has no report.
        tokio::select! {
            _ = timeout(LAST, spawn_blocking(move || flock(lock, FlockOperation::LockExclusive))) => {}
            _ = signals.next() => {}
        }
        Ok::<_, Failure>(code)
    });
    runtime.shutdown_background();
    let code = code?;
    match (finding(&fs::read_to_string(&reports)?, code), code) {
        (Some(finding), _) => Err(Failure::finding(finding)),
        (None, 0) => Ok(()),
        (None, code) => Err(Failure::exit(code)),
    }
}

/// Returns the finding; `None` if each replay is complete, or the program has failed before its session.
fn finding(reports: &str, code: u8) -> Option<String> {
    let count = |mark| reports.lines().filter(|line| *line == mark).count();
    let (begun, complete) = (count(BEGUN), count(COMPLETE));
    let found: Vec<_> = reports.lines().filter(|line| ![BEGUN, COMPLETE].contains(line)).collect();
    if !found.is_empty() {
        Some(found.join("\n"))
    } else if begun == 0 {
        // A program that fails has printed why.
        (code == 0).then(|| NO_SESSION.to_owned())
    } else {
        (begun > complete).then(|| "the program has killed its CLI, or has left it running".to_owned())
    }
}

fn read(file: &Path) -> Result<Transcript, Failure> {
    let reading = || format!("reading {}", file.display());
    Transcript::parse(fs::read(file).while_doing(reading)?).while_doing(reading)
}

/// Plays the transcript between the standard streams.
pub(crate) fn replay(file: &Path, strict: bool, arguments: &[OsString]) -> Result<(), Failure> {
    let transcript = read(file)?;
    if relay::asks_version(arguments) {
        let version = transcript.header.cli.as_deref().unwrap_or("unknown");
        return line(format_args!("{version} (Claude Code)"));
    }
    let mut reports = begin().while_doing(|| "reporting the replay".to_owned())?;
    let replay = Replay::new(&transcript).limit(LIMIT);
    let replay = if strict { replay } else { replay.foreign() };
    let handle = replay.handle();
    let ended = relay::relay(replay);
    let report = handle.report();
    let finding = (!report.is_complete()).then(|| format!("{}: {report}", file.display()));
    if let Some(reports) = &mut reports {
        reports.write_all(format!("{}\n", finding.as_deref().unwrap_or(COMPLETE)).as_bytes())?;
    }
    if let Some(finding) = finding {
        return Err(Failure::finding(finding));
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

/// Opens the file for the report of this replay, if there is one, and locks it until the end of this program.
fn begin() -> Result<Option<File>, Failure> {
    let Some(path) = env::var_os(REPORTS) else { return Ok(None) };
    let mut reports = File::options().append(true).open(path)?;
    flock(&reports, FlockOperation::LockShared)?;
    reports.write_all(format!("{BEGUN}\n").as_bytes())?;
    Ok(Some(reports))
}

/// The variable with the file for reports. Each replay writes [`BEGUN`], and at its end [`COMPLETE`] or its report.
const REPORTS: &str = "AGENTWIRE_REPLAY_REPORTS";
const BEGUN: &str = "begun";
const COMPLETE: &str = "complete";
const NO_SESSION: &str = "the program has started no session: its SDK must run the CLI of AGENTWIRE_CLI, and pass the environment on";
/// The limit of a wait for a line of the SDK.
const LIMIT: Duration = Duration::from_secs(60);
/// How long a replay may take to end after the program.
const LAST: Duration = Duration::from_secs(10);
