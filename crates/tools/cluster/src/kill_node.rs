//! `kill-node`: the node of Restate that leads most partitions is killed while turns run.

use std::fs;
use std::time::Duration;

use agentwire_worker::Outcome;
use serde_json::json;
use tokio::task::JoinSet;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::lines;
use crate::node::Node;
use crate::sessions::{AT_ONCE, LIMIT, is_done, one_command, prompt, session};
use crate::waiting::{eventually, within};

/// Checks that each turn has its result, no effect is repeated, and no client gets an error.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(killed(setup, setup.size(50, 4)))
}

async fn killed(setup: &Setup, sessions: usize) -> Result<String, Failure> {
    let settings = json!({"allowed_tools": ["Bash"], "slots": sessions});
    // The tools end after the leader was killed, however long the start of all CLIs takes.
    let script = one_command(&format!(
        "for i in $(seq {EFFECTS}); do echo $i >> ran.txt; sleep 0.2; done; \
         until [ -e ../../{KILLED} ]; do sleep 0.2; done; echo last >> ran.txt"
    ));
    let plan = Plan { nodes: NODES, cli: &setup.cli, script, settings };
    let mut cluster = Cluster::start(setup, plan).await?;
    let _workers = [cluster.worker()?, cluster.worker()?];
    eventually("each partition has a leader", STARTING, async || {
        Ok(leading(&cluster.nodes).await?.iter().sum::<usize>() == PARTITIONS)
    })
    .await?;
    let mut turns = JoinSet::new();
    for n in 0..sessions {
        cluster.fewer_start(n, AT_ONCE).await?;
        let client = cluster.client.clone();
        turns.spawn(async move { client.prompt(&session(n), &prompt(n, "Go.")).await });
    }
    cluster.fewer_start(sessions, 1).await?;
    let led = leading(&cluster.nodes).await?;
    let (leader, most) = led.iter().enumerate().max_by_key(|(_, count)| **count).unwrap_or((0, &0));
    cluster.nodes[leader].kill()?;
    fs::write(cluster.path("workspaces").join(KILLED), "")?;
    let (mut done, mut errors, mut others) = (0, Vec::new(), Vec::<Outcome>::new());
    within("all turns have ended", LIMIT, async {
        while let Some(ended) = turns.join_next().await {
            match ended.map_err(|error| Failure::new(error.to_string()))? {
                Ok(outcome) if is_done(&outcome) => done += 1,
                Ok(outcome) => others.push(outcome),
                Err(error) => errors.push(error),
            }
        }
        Ok(())
    })
    .await?;
    let repeated: usize = (0..sessions).map(|n| cluster.effects(&session(n)).abs_diff(EFFECTS + 1)).sum();
    let figures = format!(
        "the leader of {most} of {PARTITIONS} partitions was killed in {sessions} turns: {done} results, \
         {repeated} of {} effects repeated or missing, {} client errors",
        sessions * (EFFECTS + 1),
        errors.len()
    );
    if (done, repeated) != (sessions, 0) || *most == 0 {
        return Err(Failure::finding(format!("{figures}; {others:?} {errors:?}")));
    }
    Ok(figures)
}

/// Returns how many partitions each node leads.
async fn leading(nodes: &[Node]) -> Result<Vec<usize>, Failure> {
    let mut led = Vec::new();
    for node in nodes {
        let mut count = 0;
        if let Ok(mut metrics) = lines::get(&node.address, "/metrics", "").await {
            while let Some(line) = metrics.next_line().await? {
                if let Some((_, value)) = line.strip_prefix(LEADERS).and_then(|line| line.rsplit_once(' ')) {
                    count = value.parse().unwrap_or(0);
                }
            }
        }
        led.push(count);
    }
    Ok(led)
}

const NODES: usize = 3;
const PARTITIONS: usize = 4;
/// How many lines the command of each turn writes before it waits for the end of the leader.
const EFFECTS: usize = 20;
/// A file of the workspaces' folder that exists once the leader was killed.
const KILLED: &str = "killed";
const LEADERS: &str = "restate_num_active_partition_leaders{";
const STARTING: Duration = Duration::from_secs(120);
