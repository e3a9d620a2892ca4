//! The processes of the example `agents`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::server::Server;

/// A process of the example, which ends when this is dropped.
pub(crate) struct Agent {
    /// Its URL.
    pub(crate) url: String,
    server: Server,
}

impl Agent {
    /// Starts a process with these environment variables alone, and waits until it is ready. `wrap` may wrap its
    /// command in another one.
    pub(crate) fn start(
        program: &Path,
        [kind, settings, address]: [&str; 3],
        environment: &BTreeMap<String, String>,
        within: &Path,
        wrap: impl FnOnce(Command) -> Command,
    ) -> Result<Self, Failure> {
        // `env` instead of `Command::env_clear`, which a wrapped command would lose.
        let mut command = Command::new("env");
        command.arg("-i").args(environment.iter().map(|(name, value)| format!("{name}={value}")));
        command.arg(program).args([kind, settings, address]);
        let mut server = Server::start(wrap(command), None, &folder(within, kind)?, "TERM")?;
        Ok(Self { url: server.url()?, server })
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(&mut self) -> Result<(), Failure> {
        self.server.kill()
    }

    /// Returns the id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.server.id()
    }
}

/// Creates a folder for the log of a process.
pub(crate) fn folder(within: &Path, kind: &str) -> Result<PathBuf, Failure> {
    Ok(tempfile::Builder::new().prefix(&format!("{kind}-")).tempdir_in(within)?.keep())
}
