//! `agentwire record` and `agentwire replay`: in the place of the CLI, for any SDK.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire_testkit::{Argv, Recorder, Redactor, Replay, Transcript};
use agentwire_transport::{
    ByteSink, ByteSource, Connected, PeerHandle, Transport as _,
    process::{Launch, ProcessTransport},
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, stdin, stdout};

use crate::failure::{Failure, While as _};
use crate::output::line;

/// Records a session between an SDK and the CLI
///
/// Set a script as the SDK's CLI path: `exec agentwire record -o session.transcript -- claude "$@"`.
#[derive(Debug, clap::Args)]
pub struct RecordArgs {
    /// Where to write the transcript
    #[arg(short = 'o', long)]
    out: PathBuf,
    /// Do not replace paths, keys and ids
    #[arg(long)]
    raw: bool,
    /// The CLI and its arguments
    #[arg(last = true, required = true)]
    program: Vec<String>,
}

/// Plays a recorded session as if it were the CLI
///
/// Set a script as the SDK's CLI path: `exec agentwire replay session.transcript`.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// A transcript
    transcript: PathBuf,
    /// The SDK's arguments for the CLI, which are ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    ignored: Vec<String>,
}

/// Runs the program until it ends, and writes the transcript.
///
/// # Errors
///
/// If the program can't be started, or the transcript can't be written.
pub fn record(args: &RecordArgs) -> Result<(), Failure> {
    let [program, rest @ ..] = &args.program[..] else { return Err(Failure::new("no program is given")) };
    let recorder = Recorder::new();
    recorder.argv(Argv::new(rest.iter().cloned()));
    let stderr = recorder.clone();
    let process = ProcessTransport::new(Launch::new(program).args(rest)).on_stderr(move |line| {
        eprintln!("{line}");
        stderr.stderr(line);
    });
    let runtime = runtime()?;
    let link = runtime.block_on(recorder.record(process).open())?;
    let ended = runtime.block_on(relay(link));
    if rest.iter().any(|argument| is_version_flag(argument)) {
        // SDKs ask for the version before the session: that is no session to record.
        return ended;
    }
    let mut session = recorder.transcript()?;
    if !args.raw {
        let (redacted, leftovers) = redactor().redact_as_far_as_possible(&session);
        if let Some(leftovers) = leftovers {
            eprintln!("agentwire: the transcript is not fully redacted: {leftovers}");
        }
        session = redacted;
    }
    write(&args.out, &session)?;
    ended
}

fn redactor() -> Redactor {
    let folders = [("HOME", "<home>"), ("PWD", "<cwd>")];
    folders.into_iter().fold(Redactor::new(), |redactor, (name, stands_for)| match std::env::var_os(name) {
        Some(path) => redactor.path(PathBuf::from(path), stands_for),
        None => redactor,
    })
}

fn write(out: &Path, session: &Transcript) -> Result<(), Failure> {
    fs::write(out, session.to_bytes()?).while_doing(|| format!("writing {}", out.display()))
}

/// Answers the standard input as the transcript says.
///
/// # Errors
///
/// If the transcript can't be read, or the input is not the recorded one.
pub fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    let file = args.transcript.display();
    let text = fs::read(&args.transcript).while_doing(|| format!("reading {file}"))?;
    let transcript = Transcript::parse(text).while_doing(|| format!("reading {file}"))?;
    if args.ignored.iter().any(|argument| is_version_flag(argument)) {
        let version = transcript.header.cli.as_deref().unwrap_or("unknown");
        return line(format_args!("{version} (Claude Code)"));
    }
    let replay = Replay::new(&transcript);
    let handle = replay.handle();
    let runtime = runtime()?;
    let link = runtime.block_on(replay.open())?;
    runtime.block_on(relay(link))?;
    let report = handle.report();
    if report.is_complete() { Ok(()) } else { Err(Failure::new(report.to_string())) }
}

fn is_version_flag(argument: &str) -> bool {
    ["-v", "--version"].contains(&argument)
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// Connects a transport to the standard streams until its output ends.
async fn relay(link: Connected<impl ByteSource, impl ByteSink, impl PeerHandle>) -> Result<(), Failure> {
    let (mut sink, mut source) = (link.sink, link.source);
    let input = async move {
        let (mut stdin, mut buffer) = (stdin(), vec![0; CHUNK]);
        loop {
            match stdin.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(count) => {
                    // The other side reads no more; its output ends soon.
                    if sink.write(buffer.get(..count).unwrap_or_default().to_vec().into()).await.is_err() {
                        break;
                    }
                }
            }
        }
        // A sink that can't be finished is closed already.
        let _ = sink.finish().await;
        std::future::pending::<()>().await;
    };
    let output = async move {
        let mut stdout = stdout();
        while let Some(chunk) = source.read().await? {
            stdout.write_all(&chunk).await?;
            stdout.flush().await?;
        }
        Ok::<_, Failure>(())
    };
    let ended = tokio::select! {
        () = input => Ok(()),
        ended = output => ended,
    };
    let report = link.handle.wait().await;
    ended?;
    if report.is_failure() { Err(Failure::new(report.to_string())) } else { Ok(()) }
}

/// How many bytes of the input are read at once.
const CHUNK: usize = 64 * 1024;
