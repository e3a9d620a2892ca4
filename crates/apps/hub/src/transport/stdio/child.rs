//! The process of a server: how it is started, why it could not be, and how it is ended.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agentwire_transport::{
    Connected, ExitReport, PeerHandle, Transport as _, TransportError,
    process::{Grace, Launch, ProcessHandle, ProcessSink, ProcessSource, ProcessTransport},
};
use tokio::{sync::oneshot, time::timeout};

use super::{
    Lines,
    backlog::{Backlog, Full},
    environment,
    lookup::lookup,
};
use crate::record::Record;

/// What is started. The values of variables are in it: it is never shown.
pub(crate) struct Program<'a> {
    /// The command as it was written, to be shown.
    pub(crate) written: &'a str,
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) cwd: &'a Path,
    pub(crate) env: &'a [(String, String)],
}

/// The process of a server, and all that it started: dropping it ends them, without a runtime.
#[derive(Debug)]
pub(crate) struct Child {
    /// `None` once it is being ended.
    handle: Option<ProcessHandle>,
    gone: oneshot::Receiver<Infallible>,
    /// How long its end may take.
    limit: Duration,
    backlog: Arc<Backlog>,
    record: Arc<Record>,
}

/// Why a program could not be started; the values of variables are not in it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("the command `{command}` was not found; looked in {searched}")]
    NotFound { command: String, searched: String },
    #[error("the command `{command}` does not exist")]
    NoSuchFile { command: String },
    #[error("the command `{command}` is not executable")]
    NotExecutable { command: String },
    #[error("the working directory does not exist or is no directory")]
    NoSuchDirectory,
    #[error("the command `{command}` could not be started: {why}")]
    Other { command: String, why: String },
}

/// Starts a server. Its stderr goes to the record.
///
/// Must be called in a tokio runtime with I/O.
pub(crate) async fn start(
    program: Program<'_>,
    grace: Grace,
    record: &Arc<Record>,
) -> Result<(Lines<ProcessSource, ProcessSink>, Child), StartError> {
    let env = environment(program.env);
    let path = env.get::<OsString>(&"PATH".into()).cloned().unwrap_or_default();
    let file = lookup(program.command, &path, program.cwd).ok_or_else(|| not_found(&program, &path))?;
    let launch = Launch::new(file).args(program.args).env_clear().cwd(program.cwd);
    let launch = env.into_iter().fold(launch, |launch, (name, value)| launch.env(name, value));
    let (kept, gone) = oneshot::channel();
    let stderr = Arc::clone(record);
    let transport = ProcessTransport::new(launch)
        .grace(grace)
        .stderr_tail(STDERR_TAIL)
        .on_stderr(move |line| stderr.stderr(line))
        .attach(kept);
    let Connected { source, sink, handle } =
        transport.open().await.map_err(|error| explain(error, program.written))?;
    // After the second grace it is killed, and what is left of its group has that grace, too.
    let limit = [grace.after_terminate, grace.after_terminate, grace.drain, SURPLUS]
        .into_iter()
        .fold(grace.after_input, Duration::saturating_add);
    let backlog = Arc::new(Backlog::new());
    let lines = Lines::new(source, sink, Arc::clone(&backlog), Arc::clone(record));
    let child = Child { handle: Some(handle), gone, limit, backlog, record: Arc::clone(record) };
    Ok((lines, child))
}

impl Child {
    /// How it ended, where it does so within a limit.
    pub(crate) async fn ended(&self, limit: Duration) -> Option<ExitReport> {
        timeout(limit, self.handle.as_ref()?.wait()).await.ok()
    }

    /// That it is spoken to no more because it takes no input, where that is so.
    pub(crate) fn takes_nothing(&self) -> Option<Full> {
        self.backlog.why()
    }

    /// The end of what it has written to its stderr.
    pub(crate) fn stderr_tail(&self) -> String {
        self.handle.as_ref().map(PeerHandle::stderr_tail).unwrap_or_default()
    }

    /// Ends it, and returns when nothing is left of it, or what is left can't be ended. Cancel-safe.
    pub(crate) async fn close(&mut self) {
        self.handle = None;
        if self.gone.is_terminated() {
            return;
        }
        // Nothing is ever sent: the other end is dropped when the process and its group are gone.
        // A program of another user's takes no signal, nor does one that waits for a disk.
        if timeout(self.limit, &mut self.gone).await.is_err() {
            self.record.note("its process did not end when it was killed; it is left to itself");
            self.gone.close();
        }
    }

    /// One that is being ended until what comes with it is dropped.
    #[cfg(test)]
    pub(crate) fn held() -> (impl Sized, Self) {
        let (kept, gone) = oneshot::channel();
        let (backlog, record) = (Arc::new(Backlog::new()), Arc::default());
        (kept, Self { handle: None, gone, limit: SURPLUS, backlog, record })
    }
}

fn environment(own: &[(String, String)]) -> BTreeMap<OsString, OsString> {
    let own = own.iter().map(|(name, value)| (name.into(), value.into()));
    environment::minimal(env::vars_os()).chain(own).collect()
}

fn not_found(program: &Program<'_>, path: &OsString) -> StartError {
    let command = program.written.to_owned();
    if program.command.contains(std::path::is_separator) {
        return StartError::NoSuchFile { command };
    }
    let is_own = program.env.iter().any(|(name, _)| name == "PATH");
    let searched = if is_own {
        "the PATH of its configuration".to_owned()
    } else {
        format!("PATH ({})", PathBuf::from(path).display())
    };
    StartError::NotFound { command, searched }
}

fn explain(error: TransportError, command: &str) -> StartError {
    let command = command.to_owned();
    match error {
        TransportError::NoSuchDirectory { .. } => StartError::NoSuchDirectory,
        TransportError::NoSuchProgram { .. } => StartError::NoSuchFile { command },
        TransportError::NotExecutable { .. } => StartError::NotExecutable { command },
        TransportError::Spawn { source, .. } => StartError::Other { command, why: source.to_string() },
        TransportError::Io { action, source } => {
            StartError::Other { command, why: format!("{action} failed: {source}") }
        }
        other => StartError::Other { command, why: other.to_string() },
    }
}

/// What is sent when a process has gone: nothing.
#[derive(Debug)]
enum Infallible {}

/// Enough for a stack trace.
const STDERR_TAIL: usize = 8 * 1024;
/// How long a process that was killed may take to be gone.
const SURPLUS: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_process_that_can_not_be_killed_is_waited_for_no_longer_than_a_limit() {
        let (_kept, mut child) = Child::held();
        child.close().await;
        assert!(child.record.troubles()[0].what.contains("left to itself"));
        child.close().await;
        assert_eq!(child.record.troubles().len(), 1);
    }
}
