//! A CLI in a running pod.

use std::ffi::OsString;
use std::path::PathBuf;

use agentwire_transport::process::Launch;

use crate::Remote;
use crate::remote::far_command;

/// A running pod of Kubernetes: `kubectl exec`.
#[derive(Clone, Debug)]
pub struct Pod {
    kubectl: PathBuf,
    pod: OsString,
    args: Vec<OsString>,
}

impl Pod {
    /// Names a pod, as `NAME` or `TYPE/NAME`.
    pub fn new(pod: impl Into<OsString>) -> Self {
        Self { kubectl: "kubectl".into(), pod: pod.into(), args: Vec::new() }
    }

    /// Sets the program, instead of `kubectl` in `PATH`.
    #[must_use]
    pub fn kubectl(mut self, program: impl Into<PathBuf>) -> Self {
        self.kubectl = program.into();
        self
    }

    /// Adds an option of `kubectl exec`, such as `--namespace=agents` or `--container=cli`.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Returns a transport that starts this CLI in the pod.
    pub fn run(&self, cli: &Launch) -> Remote {
        let launch = Launch::new(&self.kubectl).args(["exec", "--stdin"]).args(self.args.clone());
        Remote::new(launch.arg(self.pod.clone()).arg("--").args(far_command(cli)), cli)
    }
}
