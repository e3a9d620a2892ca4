//! The process of a server: start, environment and end.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    env,
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agentwire_transport::{
    Connected, ExitReport, PeerHandle, Transport as _, TransportError,
    process::{Grace, Launch, ProcessHandle, ProcessSource, ProcessTransport},
};
use tokio::{sync::oneshot, time::timeout};

use super::{Lines, outgoing::Backlog};
use crate::record::Record;

/// A program to start. It contains the values of variables, so it is never shown.
#[expect(clippy::exhaustive_structs, reason = "the hub fills it in")]
pub struct Program<'a> {
    /// The command as the configuration has it, for messages.
    pub written: &'a str,
    /// The name of the command in `PATH`, or its path.
    pub command: &'a str,
    /// The arguments.
    pub args: &'a [String],
    /// The working directory.
    pub cwd: &'a Path,
    /// The variables in addition to the inherited ones.
    pub env: &'a [(String, String)],
}

/// The process of a server. Dropping it ends the process and all that it started, even without a runtime.
#[derive(Debug)]
pub struct Child {
    /// `None` while the process is being ended.
    handle: Option<ProcessHandle>,
    /// Closed when the process is gone; nothing is ever sent.
    gone: oneshot::Receiver<Infallible>,
    /// How long its end may take.
    limit: Duration,
    backlog: Arc<Backlog>,
    record: Arc<Record>,
}

/// The error of starting a program, without the values of variables.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(String);

/// Starts a server. Its stderr goes to the record.
///
/// Must be called in a tokio runtime with I/O.
///
/// # Errors
///
/// If the program does not exist or can't be started.
pub async fn start(
    program: Program<'_>,
    grace: Grace,
    record: &Arc<Record>,
) -> Result<(Lines<ProcessSource>, Child), StartError> {
    let env = environment(program.env);
    let path = env.get::<OsString>(&"PATH".into()).cloned().unwrap_or_default();
    let file = lookup(program.command, &path, program.cwd).ok_or_else(|| not_found(&program, &path))?;
    let launch = Launch::new(file).args(program.args).env_clear().envs(env).cwd(program.cwd);
    let (kept, gone) = oneshot::channel();
    let stderr = Arc::clone(record);
    let transport = ProcessTransport::new(launch)
        .grace(grace)
        .stderr_tail(STDERR_TAIL)
        .on_stderr(move |line| stderr.stderr(line))
        .attach(kept);
    let Connected { source, sink, handle } =
        transport.open().await.map_err(|error| explain(error, program.written))?;
    // After the second grace period the process is killed; the rest of its group gets the same period.
    let limit = [grace.after_terminate, grace.after_terminate, grace.drain, SURPLUS]
        .into_iter()
        .fold(grace.after_input, Duration::saturating_add);
    let backlog = Arc::new(Backlog::new());
    let lines = Lines::new(source, sink, Arc::clone(&backlog), Arc::clone(record));
    let child = Child { handle: Some(handle), gone, limit, backlog, record: Arc::clone(record) };
    Ok((lines, child))
}

impl Child {
    /// Returns how the process ended, or `None` after the limit.
    pub async fn ended(&self, limit: Duration) -> Option<ExitReport> {
        timeout(limit, self.handle.as_ref()?.wait()).await.ok()
    }

    /// Returns why this side ended the connection, if it did: the server reads no input, or sent a line that is too
    /// long.
    pub fn broken(&self) -> Option<&str> {
        self.backlog.broken()
    }

    /// Returns the end of its stderr.
    pub fn stderr_tail(&self) -> String {
        self.handle.as_ref().map(PeerHandle::stderr_tail).unwrap_or_default()
    }

    /// Ends the process and its group. Returns when they are gone, or after the limit. Cancel-safe.
    pub async fn close(&mut self) {
        self.handle = None;
        if self.gone.is_terminated() {
            return;
        }
        // The other end is dropped when the process and its group are gone.
        // A process of another user takes no signal, and neither does a process that waits for a disk.
        if timeout(self.limit, &mut self.gone).await.is_err() {
            self.record.note("its process did not end when it was killed; it is left to itself");
            self.gone.close();
        }
    }

    /// Returns a process that is being ended until the first value is dropped, for tests.
    #[doc(hidden)]
    pub fn held() -> (impl Sized, Self) {
        let (kept, gone) = oneshot::channel();
        let (backlog, record) = (Arc::new(Backlog::new()), Arc::default());
        (kept, Self { handle: None, gone, limit: SURPLUS, backlog, record })
    }
}

/// Returns how many hubs have started this program, each the next one, so that a hub can refuse to start itself.
pub fn hubs_above() -> u32 {
    env::var(HUBS).ok().and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// Returns the environment of a server: its own variables, the number of hubs, and the variables that every program needs.
/// Other variables may be secrets.
fn environment(own: &[(String, String)]) -> BTreeMap<OsString, OsString> {
    let own = own.iter().map(|(name, value)| (name.into(), value.into()));
    let hubs = hubs_above().saturating_add(1).to_string();
    inherited(env::vars_os()).chain([(HUBS.into(), hubs.into())]).chain(own).collect()
}

fn inherited(all: impl Iterator<Item = (OsString, OsString)>) -> impl Iterator<Item = (OsString, OsString)> {
    let is_inherited = |name: &str| INHERITED.contains(&name) || name.starts_with("LC_");
    all.filter(move |(name, _)| name.to_str().is_some_and(is_inherited))
}

/// Returns the file of a command, if it exists: a name is searched in `path`, a path is relative to the working directory.
fn lookup(command: &str, path: &OsStr, cwd: &Path) -> Option<PathBuf> {
    if Path::new(command).components().count() > 1 || Path::new(command).is_absolute() {
        let file = cwd.join(command);
        return file.exists().then_some(file);
    }
    // An empty or relative entry would mean the working directory.
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(command)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn not_found(program: &Program<'_>, path: &OsString) -> StartError {
    let command = program.written;
    if program.command.contains(std::path::is_separator) {
        return StartError(format!("the command `{command}` does not exist"));
    }
    let is_own = program.env.iter().any(|(name, _)| name == "PATH");
    let searched = if is_own {
        "the PATH of its configuration".to_owned()
    } else {
        format!("PATH ({})", PathBuf::from(path).display())
    };
    StartError(format!("the command `{command}` was not found; looked in {searched}"))
}

fn explain(error: TransportError, command: &str) -> StartError {
    let why = match error {
        TransportError::NoSuchDirectory { .. } => {
            return StartError("the working directory does not exist or is not a directory".to_owned());
        }
        TransportError::NoSuchProgram { .. } => {
            return StartError(format!("the command `{command}` does not exist"));
        }
        TransportError::NotExecutable { .. } => {
            return StartError(format!("the command `{command}` is not executable"));
        }
        TransportError::Spawn { source, .. } => source.to_string(),
        TransportError::Io { action, source } => format!("{action} failed: {source}"),
        other => other.to_string(),
    };
    StartError(format!("the command `{command}` could not be started: {why}"))
}

/// The variables that servers inherit: home, tools, language and time zone.
const INHERITED: &[&str] = &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
/// The variable with the number of hubs that have started a program.
const HUBS: &str = "AGENTWIRE_HUBS";
/// Enough for a stack trace.
const STDERR_TAIL: usize = 8 * 1024;
/// How long a killed process may take to be gone.
const SURPLUS: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn close_waits_for_a_process_that_cannot_be_killed_only_up_to_a_limit() {
        let (_kept, mut child) = Child::held();
        child.close().await;
        assert!(child.record.troubles()[0].what.contains("left to itself"));
        child.close().await;
        assert_eq!(child.record.troubles().len(), 1);
    }

    #[test]
    fn secrets_are_not_inherited() {
        let all = [("PATH", "/bin"), ("ANTHROPIC_API_KEY", "secret"), ("LC_ALL", "C"), ("PATHS", "x")];
        let all = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let names: Vec<_> = inherited(all.into_iter()).map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH", "LC_ALL"]);
        let own = [("A".to_owned(), "1".to_owned())];
        let environment = environment(&own);
        assert_eq!(
            (&*environment[OsStr::new("A")], &*environment[OsStr::new(HUBS)]),
            ("1".as_ref(), "1".as_ref())
        );
    }

    #[test]
    fn names_are_searched_in_path_and_paths_start_at_the_working_directory() {
        let path = OsStr::new("/nonexistent:/bin");
        let here = Path::new("/");
        assert_eq!(lookup("sh", path, here), Some("/bin/sh".into()));
        assert_eq!(lookup("bin/sh", OsStr::new(""), here), Some("/bin/sh".into()));
        assert_eq!(lookup("./sh", OsStr::new(""), Path::new("/bin")), Some("/bin/./sh".into()));
        assert_eq!(lookup("/bin/sh", OsStr::new(""), Path::new("/tmp")), Some("/bin/sh".into()));
        assert_eq!(lookup("no-such-program", path, here), None);
        assert_eq!(lookup("sh", OsStr::new("::bin:."), here), None);
        assert_eq!(lookup("sh", OsStr::new(":."), Path::new("/bin")), None);
        assert_eq!(lookup("./no-such-program", path, here), None);
    }
}
