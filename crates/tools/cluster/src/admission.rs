//! `admission`: a worker with room for some processes gets five times as many prompts.

use serde_json::json;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::lines;
use crate::sessions::{LIMIT, done, one_command, processes, prompt};
use crate::waiting::eventually;

/// Checks that there are never more processes than slots, and that all turns end.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(admitted(setup, setup.size(8, 2)))
}

async fn admitted(setup: &Setup, room: usize) -> Result<String, Failure> {
    let settings = json!({"allowed_tools": ["Bash"], "slots": room});
    let script = one_command("echo ran >> ran.txt");
    let cluster = Cluster::start(setup, Plan { nodes: 1, cli: &setup.cli, script, settings }).await?;
    let worker = cluster.worker()?;
    let prompts: Vec<_> = (0..room * 5).map(|n| prompt(n, "Go.")).collect();
    cluster.send(&prompts).await?;
    let mut most = 0;
    eventually("all turns have ended", LIMIT, async || {
        most = most.max(processes(&setup.cli)?);
        Ok(most > room || cluster.admin.sessions().await?.values().sum::<usize>() == 0)
    })
    .await?;
    if most != room {
        return Err(Failure::finding(format!("{most} processes of a worker with room for {room}")));
    }
    let (ended, other) = done(&cluster.outcomes(&prompts).await?);
    let figures = format!(
        "{} prompts for a worker with {room} slots: at most {most} processes, {ended} turns ended; the largest CLI \
         with its tools took {} MB",
        prompts.len(),
        largest(&worker.url).await? / 1_000_000
    );
    if ended != prompts.len() {
        return Err(Failure::finding(format!("{figures}{other}")));
    }
    Ok(figures)
}

/// Returns how many bytes of memory the largest process group of a worker took.
async fn largest(worker: &str) -> Result<u64, Failure> {
    let mut metrics = lines::get(worker, "/metrics", "").await?;
    while let Some(line) = metrics.next_line().await? {
        if let Some(bytes) = line.strip_prefix("agentwire_worker_process_bytes ") {
            return bytes.parse().map_err(|error| Failure::new(format!("`{line}`: {error}")));
        }
    }
    Err(Failure::new(format!("{worker}/metrics does not name the memory of processes")))
}
