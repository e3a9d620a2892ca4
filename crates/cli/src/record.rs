//! `agentwire record`: starts the CLI for an SDK, and records both directions.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use agentwire_testkit::{Argv, Recorder, Redactor};
use agentwire_transport::process::{Launch, ProcessTransport};

use crate::failure::{Failure, While as _};
use crate::output::{self, note};
use crate::relay;

/// Record a session between an SDK and the CLI
///
/// To record the sessions of any SDK, set its CLI path to this program, and the variable AGENTWIRE_RECORD to a file or
/// to a folder.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The transcript to write, which replaces the file; in a folder, each session gets a file of its own
    /// [default: session.transcript]
    #[arg(short = 'o', long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Do not replace paths, keys and ids
    #[arg(long)]
    raw: bool,
    /// The CLI and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Runs the program until it ends, and writes the transcript.
/// Fails with the exit code of the program, if it is not 0.
pub fn run(args: &Args) -> Result<(), Failure> {
    let [program, arguments @ ..] = &args.program[..] else {
        return Err(Failure::new("no program is given"));
    };
    let out = output::file_to_write(args.out.as_deref(), "session.transcript")?;
    record(&out, args.raw, Path::new(program), arguments)
}

/// Runs the CLI between the standard streams, and writes the transcript to a file or into a folder.
pub(crate) fn record(out: &Path, raw: bool, program: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    check_writable(out)?;
    let recorder = Recorder::new();
    recorder.argv(Argv::new(arguments.iter().map(|argument| argument.to_string_lossy().into_owned())));
    let stderr = recorder.clone();
    // A CLI that is this program again must not record itself.
    let launch =
        VARIABLES.iter().fold(Launch::new(program).args(arguments), |launch, name| launch.env_remove(*name));
    let process = ProcessTransport::new(launch).on_stderr(move |line| {
        note(line);
        stderr.stderr(line);
    });
    let ended = relay::relay(recorder.record(process));
    // A question for the version is no session.
    if !relay::asks_version(arguments) && (ended.is_ok() || recorder.transcript()?.inbound().next().is_some())
    {
        write(&recorder, out, raw)?;
    }
    relay::exit_as(&ended?)
}

/// Fails if the transcript could not be written after the session.
fn check_writable(out: &Path) -> Result<(), Failure> {
    let action = || format!("writing {}", out.display());
    if out.is_file() {
        return fs::File::options().append(true).open(out).map(drop).while_doing(action);
    }
    let is_folder = out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/");
    // Opening a named pipe would wait for its reader, and closing it would end the reader.
    if !is_folder && out.exists() {
        return Ok(());
    }
    let folder = out.parent().filter(|_| !is_folder).unwrap_or(out);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !folder.is_dir() {
        return Err(Failure::new(format!("{}: there is no folder {}", action(), folder.display())));
    }
    tempfile::tempfile_in(folder).map(drop).while_doing(action)
}

fn write(recorder: &Recorder, out: &Path, raw: bool) -> Result<(), Failure> {
    let mut session = recorder.transcript()?;
    if !raw {
        let (redacted, report) = redactor().redact_with_report(&session);
        if let Some(leftovers) = report.leftovers {
            note(format_args!("agentwire: the transcript is not fully redacted: {leftovers}"));
        }
        session = redacted;
    }
    let (mut file, path) = create(out).while_doing(|| format!("writing {}", out.display()))?;
    file.write_all(&session.to_bytes()?).while_doing(|| format!("writing {}", path.display()))
}

/// Creates the file, or the next free file of the folder.
fn create(out: &Path) -> io::Result<(fs::File, PathBuf)> {
    if !out.is_dir() {
        return Ok((output::private().create(true).truncate(true).open(out)?, out.to_owned()));
    }
    let mut number = 1_u32;
    loop {
        let path = out.join(format!("session-{number}.transcript"));
        match output::private().create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            created => return Ok((created?, path)),
        }
    }
}

fn redactor() -> Redactor {
    let variable = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    // `PWD` may contain links, and is that of the parent if a program only changes the folder.
    let folders =
        [(variable("HOME"), "<home>"), (variable("PWD"), "<cwd>"), (std::env::current_dir().ok(), "<cwd>")];
    folders.into_iter().fold(Redactor::new(), |redactor, (path, stands_for)| match path {
        Some(path) => redactor.path(path, stands_for),
        None => redactor,
    })
}

/// The variables that make this program act as the CLI.
pub(crate) const VARIABLES: &[&str] = &[RECORD, REPLAY];
pub(crate) const RECORD: &str = "AGENTWIRE_RECORD";
pub(crate) const REPLAY: &str = "AGENTWIRE_REPLAY";
