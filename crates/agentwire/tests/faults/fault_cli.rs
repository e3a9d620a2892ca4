//! A fault CLI for tests.

use std::{process::Command, time::Duration};

use agentwire::{Options, Session, SessionBuilder};
use agentwire_testkit::faults;
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    left::{BOUND, Mark},
    received::Received,
};

/// This program as a fault CLI with these faults.
pub(crate) struct FaultCli {
    faults: String,
    /// Marks the process and everything it starts.
    mark: Mark,
}

/// Runs a test with a fault CLI; fails if the test hangs or a process of the CLI remains.
pub(crate) fn play(faults: &str, test: impl AsyncFnOnce(&FaultCli)) {
    let cli = FaultCli::new(faults);
    runtime().block_on(async { timeout(BOUND, test(&cli)).await.expect("it hangs") });
    cli.leaves_nothing();
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

impl FaultCli {
    pub(crate) fn new(faults: &str) -> Self {
        Self { faults: faults.to_owned(), mark: Mark::new() }
    }

    pub(crate) fn options(&self) -> Options {
        let faults = if self.faults.is_empty() { "none" } else { &self.faults };
        Options::new()
            .path_to_claude_code_executable(std::env::current_exe().unwrap())
            .env(faults::VARIABLE, faults)
            .env(Mark::VARIABLE, self.mark.value())
    }

    pub(crate) fn builder(&self) -> SessionBuilder {
        Session::builder().options(self.options())
    }

    /// Returns a session with short grace periods, for faults that exhaust them.
    pub(crate) fn hasty(&self) -> SessionBuilder {
        self.builder().grace(SHORT, SHORT)
    }

    /// Returns a session with enough time for its CLI to exit on its own, but little for the remaining processes.
    pub(crate) fn hasty_afterwards(&self) -> SessionBuilder {
        self.builder().grace(BOUND, SHORT)
    }

    /// Returns a session that soon signals its CLI, and then gives it enough time to exit.
    pub(crate) fn hasty_at_first(&self) -> SessionBuilder {
        self.builder().grace(SHORT, BOUND)
    }

    pub(crate) async fn connect(&self) -> Session {
        self.builder().connect().await.unwrap()
    }

    /// Returns a session and the messages of its first turn.
    pub(crate) async fn turn(&self) -> (Session, Received) {
        let mut session = self.connect().await;
        let received = Received::turn(&mut session, "hi").await;
        (session, received)
    }

    /// Waits until no process of it remains, including zombies.
    pub(crate) fn leaves_nothing(&self) {
        self.mark.leaves_nothing();
    }

    /// Waits until no process of it remains, while the session ends it.
    pub(crate) async fn goes(&self) {
        while !self.processes().is_empty() {
            // The test's own time limit bounds it.
            tokio::task::yield_now().await;
        }
    }

    /// Checks that no process of it remains now.
    pub(crate) fn is_gone(&self) {
        self.mark.is_gone();
    }

    /// Kills processes that left the process group, which nothing else ends.
    pub(crate) fn end_strangers(&self) {
        for (pid, _) in self.processes() {
            // It may have ended meanwhile; the end of the test checks that nothing is left.
            let _ended = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
    }

    /// Returns the running processes with their command lines.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        self.mark.processes()
    }
}

/// A grace period that expires.
const SHORT: Duration = Duration::from_millis(300);

/// Less than the first grace period of a session with work, and more than both of a session without, on a busy machine.
pub(crate) const BELOW_GRACE: Duration = Duration::from_secs(8);
