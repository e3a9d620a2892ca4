//! Finds the processes that a test has left behind, by a mark in their environment, in any process group.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::runner::tests;

tests!(left: marked_process_is_found, zombie_is_found);

/// A mark that all processes of a test have in their environment.
pub(crate) struct Mark(String);

impl Mark {
    /// The environment variable of the mark.
    pub(crate) const VARIABLE: &str = "AGENTWIRE_TEST_MARK";

    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// Returns the living processes with the mark, each with its command line.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        let marked = format!("{}={}", Self::VARIABLE, self.0).into_bytes();
        let found = pids().filter_map(|pid| {
            // The process has ended meanwhile, or is hidden.
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            environment.split(|&byte| byte == 0).find(|entry| *entry == marked)?;
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            Some((pid, String::from_utf8_lossy(&command).replace('\0', " ")))
        });
        found.collect()
    }

    /// Checks that no process with the mark lives now.
    pub(crate) fn is_gone(&self) {
        assert_eq!(self.processes(), []);
    }

    /// Waits until no process with the mark lives and this program has no zombies.
    pub(crate) fn leaves_nothing(&self) {
        eventually(|| none(self.processes(), "processes"));
        eventually(|| none(zombies(), "zombies"));
    }
}

/// Waits for a condition, and fails with its last error after a time limit.
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

/// Kills a process.
pub(crate) fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

/// Far more time than any step takes, even on a busy machine.
pub(crate) const BOUND: Duration = Duration::from_secs(120);

fn none<T: std::fmt::Debug>(left: Vec<T>, what: &str) -> Result<(), String> {
    if left.is_empty() { Ok(()) } else { Err(format!("{what} are left: {left:?}")) }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries: Vec<PathBuf> =
        fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.into_iter().filter_map(|path| path.file_name()?.to_str()?.parse().ok())
}

/// Returns the children of this program that have ended and are not reaped.
fn zombies() -> Vec<u32> {
    let own = std::process::id().to_string();
    let is_zombie = |pid: &u32| {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        let mut fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(&own)
    };
    pids().filter(is_zombie).collect()
}

fn marked_process_is_found() {
    let mark = Mark::new();
    let mut left = Command::new("sleep").arg("600").env(Mark::VARIABLE, mark.value()).spawn().unwrap();
    // The process has its environment only after `exec`.
    let found = eventually(|| mark.processes().pop().ok_or_else(|| "it is not seen".to_owned()));
    assert_eq!(found.0, left.id());
    left.kill().unwrap();
    left.wait().unwrap();
    mark.leaves_nothing();
}

fn zombie_is_found() {
    let mut child = Command::new("true").spawn().unwrap();
    let seen = || zombies().contains(&child.id());
    eventually(|| if seen() { Ok(()) } else { Err("it is not seen".to_owned()) });
    child.wait().unwrap();
    assert!(!zombies().contains(&child.id()));
}
