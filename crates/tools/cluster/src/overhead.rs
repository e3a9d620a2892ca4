//! `overhead`: the time of a turn beside a bare session, and how many turns a second one node takes.
//!
//! A fake agent stands in for the CLI: its turns take no time themselves.

use std::time::{Duration, Instant};

use agentwire::{Options, Session};
use agentwire_worker::SessionName;
use serde_json::json;
use tokio::task::JoinSet;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::sessions::{LIMIT, is_done, prompt, session};
use crate::waiting::within;

/// Checks that a turn takes little longer than one of a bare session in the same run, and that many turns run at once.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    let (alone, at_once) = (setup.size(500, 50), setup.size(6400, 320));
    setup.runtime.block_on(within("all turns have ended", LIMIT, measured(setup, alone, at_once)))
}

async fn measured(setup: &Setup, alone: usize, at_once: usize) -> Result<String, Failure> {
    // The time that the disk takes is not measured.
    let settings = json!({"slots": SESSIONS, "log": "warn", "synced": false});
    let script = json!({"replies": []}).to_string();
    let cluster = Cluster::start(setup, Plan { nodes: 1, cli: &setup.fake, script, settings }).await?;
    let _workers = [cluster.worker()?, cluster.worker()?];
    let mut bare = bare(setup, &cluster).await?;
    let (mut bare_times, mut empty_times, mut times) = (Vec::new(), Vec::new(), Vec::new());
    // One after the other, so that both have the same share of a busy machine.
    for n in 0..WARM + alone {
        let started = Instant::now();
        let turn = bare.ask("Go.").await?.finish().await?;
        let ended = Instant::now();
        let outcome = cluster.client.prompt(&session(0), &prompt(n, "Go.")).await?;
        if turn.is_none() || !is_done(&outcome) {
            return Err(Failure::new(format!("turn {n} ended as {outcome:?}")));
        }
        if n >= WARM {
            bare_times.push(ended - started);
            times.push(ended.elapsed());
            let asked = Instant::now();
            cluster.client.status(&session(SESSIONS)).await?;
            empty_times.push(asked.elapsed());
        }
    }
    bare.close().await?;
    turns(&cluster, 1, WARM_PROMPTS).await?;
    let rounds = at_once / SESSIONS;
    let started = Instant::now();
    turns(&cluster, rounds, WARM_PROMPTS + SESSIONS).await?;
    let rate = (rounds * SESSIONS) as f64 / started.elapsed().as_secs_f64();
    let (bare, empty, durable) = (median(bare_times), median(empty_times), median(times));
    let more = durable.saturating_sub(bare);
    let figures = format!(
        "a turn of a fake agent takes {:.1} ms at p50, {:.1} ms more than on a bare session ({alone} turns each); \
         an empty call of Restate takes {:.1} ms; \
         {rate:.0} turns a second in {SESSIONS} sessions of {TENANTS} tenants on two workers and one node ({} turns)",
        milliseconds(durable),
        milliseconds(more),
        milliseconds(empty),
        rounds * SESSIONS
    );
    // The programs of the small size are not optimised.
    if !setup.is_small && (more > empty * MORE || rate * empty.as_secs_f64() < RATE) {
        return Err(Failure::finding(figures));
    }
    Ok(figures)
}

/// Starts a session of the fake agent without a worker.
async fn bare(setup: &Setup, cluster: &Cluster) -> Result<Session, Failure> {
    let mut options = Options::new()
        .env_clear()
        .path_to_claude_code_executable(&setup.fake)
        .cwd(cluster.path("home"))
        .session_id("0b0e7a3e-57a1-4a4c-9d3f-ffffffffffff");
    options.env = cluster.model.environment(cluster.path("home"));
    Ok(Session::connect(options).await?)
}

/// Runs turns in all sessions at once, in each one after the other. `first` is the number of the first prompt.
async fn turns(cluster: &Cluster, rounds: usize, first: usize) -> Result<(), Failure> {
    let mut sessions = JoinSet::new();
    for n in 0..SESSIONS {
        let (client, name) = (cluster.client.clone(), tenants_session(n));
        sessions.spawn(async move {
            for round in 0..rounds {
                let prompt = prompt(first + round * SESSIONS + n, "Go.");
                let outcome = client.prompt(&name, &prompt).await?;
                if !is_done(&outcome) {
                    return Err(Failure::new(format!("a turn of session {n} ended as {outcome:?}")));
                }
            }
            Ok(())
        });
    }
    while let Some(ended) = sessions.join_next().await {
        ended.map_err(|error| Failure::new(error.to_string()))??;
    }
    Ok(())
}

/// Returns the name of the `n`th of the sessions at once. They have several tenants, since the turns of one tenant are
/// reserved and settled one after the other.
fn tenants_session(n: usize) -> SessionName {
    SessionName::new(format!("tenant-{}", n % TENANTS), session(n).session)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// How many sessions run at once; each worker has room for all of them.
const SESSIONS: usize = 64;
/// How many tenants they have.
const TENANTS: usize = 8;
/// How many first turns are not measured.
const WARM: usize = 10;
/// The number of the first prompt of the sessions at once.
const WARM_PROMPTS: usize = 100_000;
/// How much longer a turn may take than on a bare session, in empty calls of Restate in the same run, at p50.
const MORE: u32 = 5;
/// How many turns must run in the time of an empty call.
const RATE: f64 = 0.4;
