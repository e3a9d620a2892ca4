//! A fault CLI for a test.

use std::time::Duration;

use agentwire::{Options, Session, SessionBuilder};
use agentwire_testkit::faults;
use tokio::{runtime::Runtime, time::timeout};

use crate::left::{BOUND, Mark, kill};

/// This program as a fault CLI, with these faults.
pub(crate) struct FaultCli {
    faults: String,
    /// Of it and of all that it starts.
    mark: Mark,
}

/// Runs a test with a fault CLI, fails where it hangs, and where anything is left of the CLI afterwards.
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

    /// A session with short graces, for faults that would use them up.
    pub(crate) fn hasty(&self) -> SessionBuilder {
        self.builder().grace(SHORT, SHORT)
    }

    /// A session whose CLI has time enough to end by itself, and what it leaves behind is short of it.
    pub(crate) fn hasty_afterwards(&self) -> SessionBuilder {
        self.builder().grace(BOUND, SHORT)
    }

    /// A session whose CLI is soon asked to end by a signal, and has time enough to do so.
    pub(crate) fn hasty_at_first(&self) -> SessionBuilder {
        self.builder().grace(SHORT, BOUND)
    }

    pub(crate) async fn connect(&self) -> Session {
        self.builder().connect().await.unwrap()
    }

    /// Waits until no process of it is left, and no zombie of ours.
    pub(crate) fn leaves_nothing(&self) {
        self.mark.leaves_nothing();
    }

    /// Waits until no process of it is left, while the session goes about it.
    pub(crate) async fn goes(&self) {
        while !self.processes().is_empty() {
            // The test's own limit bounds it.
            tokio::task::yield_now().await;
        }
    }

    /// Nothing of it is left at this moment.
    pub(crate) fn is_gone(&self) {
        self.mark.is_gone();
    }

    /// Ends by force what has left the process group, which nothing else does.
    pub(crate) fn end_strangers(&self) {
        for (pid, _) in self.processes() {
            kill(pid);
        }
    }

    /// The processes that live, each with its command line.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        self.mark.processes()
    }
}

/// A grace that is to run out.
const SHORT: Duration = Duration::from_millis(300);

/// Less than the first grace of a session that was given work, and more than both of any other, on a busy machine.
pub(crate) const BELOW_GRACE: Duration = Duration::from_secs(8);
