//! Hosts in processes of their own, which are killed.

use std::process::{Child, Command, Stdio};

/// A host, which is killed at the latest when this is dropped.
pub(super) struct Host(pub(super) Child);

impl Host {
    /// Starts this program with one of its tests, which plays the host, and words in an environment variable.
    pub(super) fn start(test: &str, variable: &str, words: &[&str]) -> Self {
        let host = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", test])
            .env(variable, words.join("\t"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(host.unwrap())
    }

    pub(super) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
