//! `partition`: the network between a worker and everything else is cut while a session runs a tool there.

use std::fs;
use std::time::{Duration, Instant};

use agentwire_worker::Outcome;
use serde_json::json;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::sessions::{LIMIT, is_done, prompt, session};
use crate::waiting::eventually;

/// Checks that the worker ends its processes before another worker starts the session.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(cut(setup, setup.size(4, 1)))
}

async fn cut(setup: &Setup, sessions: usize) -> Result<String, Failure> {
    let settings = json!({"allowed_tools": ["Bash"], "slots": sessions, "lease_seconds": LEASE.as_secs()});
    let plan = Plan { nodes: 1, cli: &setup.cli, script: script(), settings };
    let cluster = Cluster::start(setup, plan).await?;
    let (network, _distant) = cluster.distant_worker().await?;
    let prompts: Vec<_> = (0..sessions).map(|n| prompt(n, "Go.")).collect();
    cluster.send(&prompts).await?;
    eventually("each session runs its tool", LIMIT, async || {
        Ok((0..sessions).all(|n| cluster.effects(&session(n)) > 0))
    })
    .await?;
    let _near = cluster.worker()?;
    // The prompts wait in the engine, which starts them as soon as it may.
    let again: Vec<_> = (0..sessions).map(|n| prompt(sessions + n, "AGAIN")).collect();
    cluster.send(&again).await?;
    network.cut()?;
    let cut = Instant::now();
    let (mut ended, mut started) = (None, None);
    eventually("the other worker runs each session", LIMIT, async || {
        if network.processes(&setup.cli)? == 0 {
            ended.get_or_insert_with(|| cut.elapsed());
        }
        let began = (0..sessions).filter(|n| notes(&cluster, *n).contains(SECOND)).count();
        if began > 0 {
            started.get_or_insert_with(|| cut.elapsed());
        }
        Ok(began == sessions)
    })
    .await?;
    let outcomes = cluster.outcomes(&prompts).await?;
    let lost = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Interrupted { .. })).count();
    let resumed = cluster.outcomes(&again).await?.iter().filter(|outcome| is_done(outcome)).count();
    let late = (0..sessions).filter(|n| wrote_after(&notes(&cluster, *n))).count();
    let seconds = |time: Option<Duration>| time.unwrap_or_default().as_secs_f32();
    let figures = format!(
        "a worker with {sessions} sessions in a tool was cut off, with a lease of {} s: its processes ended after {:.1} s, \
         the other worker began after {:.1} s, {late} sessions wrote after that, {lost} turns were reported as \
         interrupted, {resumed} sessions resumed",
        LEASE.as_secs(),
        seconds(ended),
        seconds(started)
    );
    let is_in_order = ended.zip(started).is_some_and(|(ended, started)| ended < started);
    if !is_in_order || (late, lost, resumed) != (0, sessions, sessions) {
        return Err(Failure::finding(figures));
    }
    Ok(figures)
}

/// A model whose first tool writes until it is ended, and whose second tool writes once.
fn script() -> String {
    let tool = |command: &str| json!([{"blocks": [{"tool_use": {"name": "Bash", "input": {"command": command}}}], "times": 100}]);
    json!({
        "match": [
            {"marker": "AGAIN", "in": "last", "replies": tool(&format!("echo {SECOND} >> ran.txt"))},
            {"marker": "tool_result", "in": "last", "replies": [{"blocks": [{"text": "Done."}], "times": 100}]},
        ],
        "replies": tool(&format!("while true; do echo {FIRST} >> ran.txt; sleep 0.1; done")),
    })
    .to_string()
}

fn notes(cluster: &Cluster, n: usize) -> String {
    let file = cluster.path("workspaces").join(session(n).to_string()).join("ran.txt");
    fs::read_to_string(file).unwrap_or_default()
}

/// Returns whether the first tool has written after the second one.
fn wrote_after(notes: &str) -> bool {
    notes.lines().skip_while(|line| *line == FIRST).any(|line| line == FIRST)
}

const FIRST: &str = "first";
const SECOND: &str = "second";
const LEASE: Duration = Duration::from_secs(12);
