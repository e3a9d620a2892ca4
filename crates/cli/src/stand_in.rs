//! The program as the CLI of an SDK: two variables make it record or replay.

use std::env;
use std::ffi::OsString;
use std::fs::canonicalize;
use std::path::{PathBuf, absolute};

use agentwire_transport::process::{AGENTWIRE_CLI, CliSearch, locate};

use crate::failure::Failure;
use crate::record::{RECORD, REPLAY, record};
use crate::replay::replay;

/// A call by an SDK with this program as its CLI path.
#[derive(Debug)]
pub struct StandIn {
    task: Task,
    arguments: Vec<OsString>,
}

#[derive(Debug)]
enum Task {
    Record(PathBuf),
    Replay(PathBuf),
    /// An SDK calls, but neither variable is set.
    Unset,
}

impl StandIn {
    /// Returns the task of this process, if one of the variables is set or an SDK calls.
    ///
    /// The first argument of an SDK is an option, and never `--json`, `--help`, `-h` or `-V`. Commands of this program are
    /// run as usual.
    pub fn from_env() -> Option<Self> {
        let arguments: Vec<OsString> = env::args_os().skip(1).collect();
        let first = arguments.first()?;
        let is_ours = matches!(first.to_str(), Some("--json" | "--help" | "-h" | "-V"));
        if is_ours || !first.as_encoded_bytes().starts_with(b"-") {
            return None;
        }
        let path = |name| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let task = path(REPLAY).map(Task::Replay).or_else(|| path(RECORD).map(Task::Record));
        let is_call = arguments.iter().any(|argument| argument == "stream-json");
        let unset = || is_call.then_some(Task::Unset);
        let task = task.or_else(unset)?;
        Some(Self { task, arguments })
    }

    /// Acts as the CLI until the end of the session.
    pub fn run(self) -> Result<(), Failure> {
        match self.task {
            Task::Unset => Err(Failure::new(format!(
                "an SDK that runs agentwire as the CLI must set {RECORD} or {REPLAY}"
            ))),
            // An SDK may run this program in another folder than its own, so errors have absolute paths.
            Task::Record(out) => record(&absolute(out)?, false, &cli()?, &self.arguments),
            Task::Replay(file) => replay(&absolute(file)?, false, &self.arguments),
        }
    }
}

/// Finds the CLI to record. If `AGENTWIRE_CLI` names this program, for an SDK that reads the variable too, another one is
/// searched.
fn cli() -> Result<PathBuf, Failure> {
    let found = locate(None)?;
    if canonicalize(&found)? != canonicalize(env::current_exe()?)? {
        return Ok(found);
    }
    Ok(CliSearch::new(|name| env::var_os(name).filter(|_| name != AGENTWIRE_CLI)).find()?)
}
