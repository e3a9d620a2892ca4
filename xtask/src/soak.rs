//! `cargo xtask soak`: many sessions with the real CLI, one after another, which must leave nothing behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentwire_cluster::processes::processes;
use agentwire_judge::census::Census;
use tokio::runtime;

use crate::failure::Failure;
use crate::netns;
use crate::scenarios::{self, Task};

/// Runs many sessions with the real CLI and checks that nothing is left behind
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of sessions
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..))]
    sessions: u16,
}

/// Runs sessions of many kinds in one program and one runtime.
///
/// Counts tasks, threads, descriptors and children before and after, and every process of this network namespace, which
/// no other program uses: processes that have left their parents count too.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let names: Vec<String> = KINDS.iter().map(|name| (*name).to_owned()).collect();
    let tasks = scenarios::tasks(&names, Some(crate::cli::CURRENT))?;
    if !netns::is_inside()? {
        scenarios::prepare(&tasks)?;
    }
    netns::within(|| soak(&tasks, args.sessions.into()))
}

fn soak(tasks: &[Task], sessions: usize) -> Result<(), Failure> {
    let runtime = runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let count = |before: Census| runtime.block_on(Census::settled(before, runtime.handle(), SETTLING));
    let others = processes()?;
    // The first session creates what is kept, such as the runtime's own threads.
    play(&runtime, tasks, 1)?;
    // The counts never fall to zero, so this waits for the whole settling time.
    let before = count(Census::default())?;
    println!("before: {before}, {} processes", others.len());
    let started = Instant::now();
    play(&runtime, tasks, sessions)?;
    let took = started.elapsed();
    let after = count(before)?;
    let left = left_beside(&others)?;
    println!("after:  {after}, {} processes more", left.len());
    println!("{sessions} sessions in {:.1} s", took.as_secs_f64());
    if after.is_within(before) && left.is_empty() {
        return Ok(());
    }
    let left: Vec<String> = left.iter().map(|process| describe(process)).collect();
    Err(Failure::new(format!("something was left behind; processes: {}", left.join(", "))))
}

fn play(runtime: &runtime::Runtime, tasks: &[Task], sessions: usize) -> Result<(), Failure> {
    for task in tasks.iter().cycle().take(sessions) {
        task.run_in(runtime).map_err(|why| Failure::new(format!("{}: {why}", task.name())))?;
    }
    Ok(())
}

/// Returns the additional processes that remain after the settling time.
fn left_beside(others: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let since = Instant::now();
    loop {
        let left: Vec<_> = processes()?.into_iter().filter(|process| !others.contains(process)).collect();
        if left.is_empty() || since.elapsed() > SETTLING {
            return Ok(left);
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn describe(process: &Path) -> String {
    let words = fs::read(process.join("cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    format!("{} ({})", process.display(), words.chars().take(80).collect::<String>().trim_end())
}

/// Turns, tools, callbacks, servers and ends of as many kinds as there are.
const KINDS: &[&str] = &[
    "two-turns",
    "permission-allow",
    "pre-tool-use-deny",
    "mcp-tool-text",
    "interrupt-mid-tool",
    "shell-background-stopped",
    "agent-foreground",
    "sigterm-in-turn",
];
const SETTLING: Duration = Duration::from_secs(20);
