//! `kill-worker`: a worker is killed while each of its sessions runs a tool.

use std::time::{Duration, Instant};

use agentwire_restate::SessionPrompt;
use agentwire_worker::{Outcome, Recovery, SessionName};
use serde_json::json;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::sessions::{AT_ONCE, LIMIT, done, one_command, processes, prompt, session};
use crate::waiting::{eventually, within};

/// Checks that no effect is repeated, each turn is reported, and each session is resumed by the other worker.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(killed(setup, setup.size(50, 4)))
}

async fn killed(setup: &Setup, sessions: usize) -> Result<String, Failure> {
    let settings = json!({"allowed_tools": ["Bash"], "slots": sessions, "lease_seconds": LEASE.as_secs()});
    let script = one_command("echo began >> ran.txt; exec sleep 600");
    let cluster = Cluster::start(setup, Plan { nodes: 1, cli: &setup.cli, script, settings }).await?;
    let mut first = cluster.worker()?;
    let prompts: Vec<_> = (0..sessions).map(|n| prompt(n, "Go.")).collect();
    let send = async |session: &SessionName, prompt: &SessionPrompt| {
        Ok(cluster.client.send(session, prompt).await?)
    };
    for (n, prompt) in prompts.iter().enumerate() {
        cluster.fewer_start(n, AT_ONCE).await?;
        within("the prompt is stored", LIMIT, send(&session(n), prompt)).await?;
    }
    cluster.fewer_start(sessions, 1).await?;
    let _second = cluster.worker()?;
    let killed = Instant::now();
    first.kill()?;
    let outcomes = cluster.outcomes(&prompts).await?;
    let reported = killed.elapsed();
    let none_left = async || Ok(processes(&setup.cli)? == 0);
    let limit = (LEASE + LATE).saturating_sub(reported);
    let left = eventually("the processes of the killed worker have ended", limit, none_left).await;
    let left = left.err().map_or_else(String::new, |failure| format!("; {failure}"));
    let interrupted = outcomes.iter().filter(|outcome| has_open_tool(outcome)).count();
    let repeated: usize = (0..sessions).map(|n| cluster.effects(&session(n)).abs_diff(1)).sum();
    let odd = (0..sessions).find(|n| cluster.effects(&session(*n)) != 1 || !has_open_tool(&outcomes[*n]));
    let odd = odd.map_or_else(String::new, |n| {
        let effects = cluster.effects(&session(n));
        format!("; session {n} has {effects} effects and ended as {:?}", outcomes[n])
    });
    let again: Vec<_> = (0..sessions).map(|n| (session(n), prompt(sessions + n, "AGAIN"))).collect();
    let mut ends = Vec::new();
    for group in again.chunks(AT_ONCE) {
        for (session, prompt) in group {
            within("the prompt is stored", LIMIT, send(session, prompt)).await?;
        }
        for (session, prompt) in group {
            let end = async { Ok(cluster.client.prompt(session, prompt).await?) };
            ends.push(within("the turn has ended", LIMIT, end).await?);
        }
    }
    let (resumed, other) = done(&ends);
    let figures = format!(
        "{sessions} sessions in a tool of a worker that was killed: {repeated} effects repeated or missing, {interrupted} \
         reported as interrupted, the last after {:.1} s with a lease of {} s, {resumed} resumed by the other worker",
        reported.as_secs_f32(),
        LEASE.as_secs()
    );
    if (repeated, interrupted, resumed) != (0, sessions, sessions)
        || !left.is_empty()
        || reported > LEASE + LATE
    {
        return Err(Failure::finding(format!("{figures}{left}{odd}{other}")));
    }
    Ok(figures)
}

/// Returns whether the outcome reports one tool use without a result.
fn has_open_tool(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Interrupted { state: Recovery::Interrupted { tools }, .. } if tools.len() == 1)
}

const LEASE: Duration = Duration::from_secs(10);
/// How long after the end of the lease the last turn may be reported, and the last process may end.
const LATE: Duration = Duration::from_secs(5);
