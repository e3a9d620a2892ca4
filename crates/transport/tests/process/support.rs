//! Helpers of the tests: the launch of the fake CLI, waiting with a limit, and inspection of processes.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use agentwire_transport::{
    ByteSource, Connected, Transport,
    process::{Grace, Launch, ProcessHandle, ProcessSink, ProcessSource, ProcessTransport},
};
use tokio::runtime::Runtime;

use crate::fake;

pub(crate) type Opened = Connected<ProcessSource, ProcessSink, ProcessHandle>;

/// Returns the launch of this program as a fake CLI that plays a part.
pub(crate) fn fake(part: &[&str]) -> Launch {
    Launch::new(std::env::current_exe().unwrap()).args(part).env(fake::FAKE, "1")
}

/// Grace periods that never pass in a test.
pub(crate) fn patient() -> Grace {
    Grace::default().after_input(BOUND).after_terminate(BOUND).orphaned(BOUND).drain(BOUND)
}

/// Grace periods that pass at once.
pub(crate) fn hasty() -> Grace {
    let short = Duration::from_millis(50);
    Grace::default().after_input(short).after_terminate(short).orphaned(short).drain(short)
}

pub(crate) async fn open(part: &[&str], grace: Grace) -> Opened {
    ProcessTransport::new(fake(part)).grace(grace).open().await.unwrap()
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs a test with a time limit.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    runtime().block_on(async { tokio::time::timeout(BOUND, test).await.expect("it hangs") })
}

pub(crate) async fn read_all(source: &mut ProcessSource) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(chunk) = source.read().await.unwrap() {
        assert!(!chunk.is_empty());
        all.extend_from_slice(&chunk);
    }
    all
}

/// Reads up to the first newline.
pub(crate) async fn read_line(source: &mut ProcessSource) -> String {
    let mut line = Vec::new();
    while !line.contains(&b'\n') {
        line.extend_from_slice(&source.read().await.unwrap().expect("a line"));
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

/// Waits for a condition, and fails after a time limit.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < BOUND, "{what} never came true");
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// Waits until a child of this program is reaped.
pub(crate) fn reaped(pid: u32) {
    eventually("reaped", || !Path::new(&format!("/proc/{pid}")).exists());
}

/// Returns whether a process lives. A zombie does not.
pub(crate) fn lives(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(')').unwrap().1.trim_start().starts_with(['Z', 'X'])
}

/// Returns the living processes of a group.
pub(crate) fn members(group: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap();
    let processes = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(|process| lives(*process) && group_of(*process) == Some(group)).collect()
}

fn group_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

/// Returns whether a process ignores SIGTERM.
pub(crate) fn ignores_term(process: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else { return false };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & (1 << (15 - 1)) != 0
}

pub(crate) const BOUND: Duration = Duration::from_secs(35);
