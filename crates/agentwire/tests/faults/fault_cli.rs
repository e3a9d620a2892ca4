//! A fault CLI for a test, and the search for what it has left behind.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use agentwire::{Options, Session, SessionBuilder};
use agentwire_testkit::faults;
use tokio::{runtime::Runtime, time::timeout};

use crate::runner::tests;

tests!(fault_cli: what_is_left_is_seen, a_zombie_is_seen);

/// This program as a fault CLI, with these faults.
pub(crate) struct FaultCli {
    faults: String,
    /// In the environment of it and of all that it starts, so that they can be found wherever they have gone.
    mark: String,
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
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Self { faults: faults.to_owned(), mark: format!("{}-{number}", std::process::id()) }
    }

    pub(crate) fn options(&self) -> Options {
        let faults = if self.faults.is_empty() { "none" } else { &self.faults };
        Options::new()
            .path_to_claude_code_executable(std::env::current_exe().unwrap())
            .env(faults::VARIABLE, faults)
            .env(MARK, &self.mark)
    }

    pub(crate) fn builder(&self) -> SessionBuilder {
        Session::builder().options(self.options())
    }

    /// A session with short graces, for faults that would use them up.
    pub(crate) fn hasty(&self) -> SessionBuilder {
        let grace = Duration::from_millis(300);
        self.builder().grace(grace, grace)
    }

    pub(crate) async fn connect(&self) -> Session {
        self.builder().connect().await.unwrap()
    }

    /// Waits until no process of it is left, and no zombie of ours.
    pub(crate) fn leaves_nothing(&self) {
        eventually(|| {
            let left = self.processes();
            if left.is_empty() { Ok(()) } else { Err(format!("left: {left:?}")) }
        });
        eventually(|| {
            let zombies = zombies();
            if zombies.is_empty() { Ok(()) } else { Err(format!("zombies: {zombies:?}")) }
        });
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
        assert_eq!(self.processes(), []);
    }

    /// Ends by force what has left the process group, which nothing else does.
    pub(crate) fn end_strangers(&self) {
        for (pid, _) in self.processes() {
            kill(pid);
        }
    }

    /// The processes that live, each with its command line.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        let marked = format!("{MARK}={}", self.mark).into_bytes();
        let found = pids().filter_map(|pid| {
            // Gone meanwhile, or not ours.
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            environment.split(|&byte| byte == 0).find(|entry| *entry == marked)?;
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            Some((pid, String::from_utf8_lossy(&command).replace('\0', " ")))
        });
        found.collect()
    }
}

/// Ends a process by force.
pub(crate) fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

/// Waits for a condition, and fails with what it last said where it does not come true.
pub(crate) fn eventually<T>(mut condition: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        match condition() {
            Ok(done) => return done,
            Err(why) => assert!(start.elapsed() < BOUND, "{why}"),
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries: Vec<PathBuf> =
        fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.into_iter().filter_map(|path| path.file_name()?.to_str()?.parse().ok())
}

/// The children of ours that have ended and are not reaped.
fn zombies() -> Vec<u32> {
    let own = std::process::id().to_string();
    let is_zombie = |pid: &u32| {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        let mut fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(&own)
    };
    pids().filter(is_zombie).collect()
}

/// The search can fail.
fn what_is_left_is_seen() {
    let cli = FaultCli::new("");
    let mut left = Command::new("sleep").arg("600").env(MARK, &cli.mark).spawn().unwrap();
    // It has its environment only once it is the other program.
    let found = eventually(|| cli.processes().pop().ok_or_else(|| "it is not seen".to_owned()));
    assert_eq!(found.0, left.id());
    left.kill().unwrap();
    left.wait().unwrap();
    cli.leaves_nothing();
}

fn a_zombie_is_seen() {
    let mut child = Command::new("true").spawn().unwrap();
    let seen = || zombies().contains(&child.id());
    eventually(|| if seen() { Ok(()) } else { Err("it is not seen".to_owned()) });
    child.wait().unwrap();
    assert!(!zombies().contains(&child.id()));
}

/// Far more than anything here takes, also on a busy machine.
pub(crate) const BOUND: Duration = Duration::from_secs(60);

const MARK: &str = "AGENTWIRE_TEST_MARK";
