//! A CLI in a container of its own.

use std::ffi::OsString;
use std::path::PathBuf;

use agentwire_transport::process::Launch;

use crate::Remote;
use crate::remote::far_command;

/// A container that is started for the session and removed after it: `docker run` or `podman run`.
#[derive(Clone, Debug)]
pub struct Container {
    engine: PathBuf,
    image: OsString,
    args: Vec<OsString>,
}

impl Container {
    /// Creates a container of this image with Docker.
    pub fn docker(image: impl Into<OsString>) -> Self {
        Self::with_engine("docker", image)
    }

    /// Creates a container of this image with Podman.
    pub fn podman(image: impl Into<OsString>) -> Self {
        Self::with_engine("podman", image)
    }

    /// Creates a container with another program that has the command line of `docker run`.
    pub fn with_engine(engine: impl Into<PathBuf>, image: impl Into<OsString>) -> Self {
        Self { engine: engine.into(), image: image.into(), args: Vec::new() }
    }

    /// Adds an option of `docker run`, such as `--volume=/srv/app:/work` or `--network=none`.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Returns a transport that starts the container, and this CLI in it. The engine writes no log of it, unless an
    /// option sets `--log-driver`.
    pub fn run(&self, cli: &Launch) -> Remote {
        // The log of the engine would have the whole conversation.
        let mut launch = Launch::new(&self.engine)
            .args(["run", "--interactive", "--rm", "--init", "--log-driver=none"])
            .args(self.args.clone());
        if let Some((user, group)) = cli.user {
            launch = launch.arg(format!("--user={user}:{group}"));
        }
        Remote::new(launch.arg(self.image.clone()).args(far_command(cli)), cli)
    }
}
