//! The settings of all processes, in one file.

use std::{path::PathBuf, sync::Arc};

use agentwire_eventlog::{EventLog, RedisLog, redis};
use agentwire_restate::{Ingress, IngressError};
use serde::Deserialize;

/// The settings. The paths are on a file system that all workers share.
///
/// They are in a file, since the CLI would inherit environment variables, and the process list shows arguments.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The ingress addresses of Restate.
    ingress: Vec<String>,
    /// The admin addresses of Restate.
    pub(crate) admin: Vec<String>,
    /// The URL of Redis, which has the event log.
    redis: String,
    /// The folder of stored sessions.
    pub(crate) store: PathBuf,
    /// Whether stored sessions are synced to the disk. Without it, a machine that is lost may lose entries.
    #[serde(default = "synced")]
    pub(crate) synced: bool,
    /// The folder of the working directories.
    pub(crate) workspaces: PathBuf,
    /// The folder of secrets: `TENANT/NAME`.
    pub(crate) secrets: PathBuf,
    /// The tools that need a person's answer.
    #[serde(default)]
    pub(crate) approvals: Vec<String>,
    /// The tools that need none (`allowedTools`).
    #[serde(default)]
    pub(crate) allowed_tools: Vec<String>,
    /// How many processes a worker may run; by default, as many as fit into memory.
    pub(crate) slots: Option<usize>,
    /// The memory of a worker in bytes; by default, the memory of the cgroup or the machine.
    pub(crate) memory: Option<u64>,
    #[serde(default = "lease")]
    pub(crate) lease_seconds: u64,
    #[serde(default = "question_grace")]
    pub(crate) question_grace_seconds: f64,
    #[serde(default = "drain_grace")]
    pub(crate) drain_grace_seconds: u64,
    /// How long a process waits for the next turn of its session.
    #[serde(default = "idle")]
    pub(crate) idle_seconds: f64,
    /// The level of the log, on standard error.
    #[serde(default = "log")]
    pub(crate) log: String,
}

impl Settings {
    pub(crate) fn ingress(&self) -> Result<Ingress, IngressError> {
        Ingress::new(self.ingress.iter().map(String::as_str))
    }

    pub(crate) fn events(&self) -> Result<Arc<dyn EventLog>, redis::RedisError> {
        Ok(Arc::new(RedisLog::new(redis::Client::open(self.redis.as_str())?)))
    }
}

fn synced() -> bool {
    true
}

fn lease() -> u64 {
    20
}

fn question_grace() -> f64 {
    60.0
}

fn drain_grace() -> u64 {
    30
}

fn idle() -> f64 {
    300.0
}

fn log() -> String {
    "info".to_owned()
}
