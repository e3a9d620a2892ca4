//! `parked`: questions wait without a process, and are answered after the worker and the engine were killed.

use std::fs;

use agentwire_worker::Answer;
use serde_json::json;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::{Failure, While as _};
use crate::sessions::{LIMIT, done, one_command, processes, prompt, session};
use crate::waiting::within;

/// Checks that an allowed tool runs once, a denied one never, and that parked questions cost the worker little.
///
/// The full size uses a fake agent, since its processes start in milliseconds.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(parked(setup, setup.size(1000, 6)))
}

async fn parked(setup: &Setup, sessions: usize) -> Result<String, Failure> {
    let (cli, agents) = if setup.is_small { (&setup.cli, "the CLI") } else { (&setup.fake, "a fake agent") };
    let settings = json!({
        "approvals": ["Bash"], "slots": 2 * GROUP, "question_grace_seconds": 0.1, "idle_seconds": 0.1,
        "lease_seconds": 8,
    });
    let script = one_command("echo ran >> ran.txt");
    let mut cluster = Cluster::start(setup, Plan { nodes: 1, cli, script, settings }).await?;
    let mut worker = cluster.worker()?;
    let before = resident(worker.id())?;
    let prompts: Vec<_> = (0..sessions).map(|n| prompt(n, "Use the tool.")).collect();
    let groups = || (0..sessions).step_by(GROUP).map(|first| first..sessions.min(first + GROUP));
    let mut questions = Vec::new();
    for group in groups() {
        for n in group.clone() {
            cluster.client.send(&session(n), &prompts[n]).await?;
        }
        questions.extend(cluster.parked(group).await?);
    }
    let waiting = processes(cli)?;
    let more = resident(worker.id())?.saturating_sub(before);
    worker.kill()?;
    for node in &mut cluster.nodes {
        node.kill()?;
        node.restart()?;
    }
    let _worker = cluster.worker()?;
    let answers = [Answer::allow(), Answer::deny("no")];
    let mut outcomes = Vec::new();
    for group in groups() {
        for n in group.clone() {
            cluster.answer(n, &questions[n], &answers[n % 2]).await?;
        }
        for n in group {
            let outcome = async { Ok(cluster.client.prompt(&session(n), &prompts[n]).await?) };
            outcomes.push(within("an answered turn has ended", LIMIT, outcome).await?);
        }
    }
    let (ended, other) = done(&outcomes);
    let ran = |allowed: usize, times: fn(usize) -> bool| {
        (0..sessions).filter(|n| n % 2 == allowed && times(cluster.effects(&session(*n)))).count()
    };
    let (once, never) = (ran(0, |effects| effects == 1), ran(1, |effects| effects == 0));
    let figures = format!(
        "{sessions} questions of {agents} parked: {waiting} processes, {:.1} MB more in the worker; after the worker \
         and the engine were killed, {once} of {} allowed tools ran once, {never} of {} denied never, {ended} turns ended",
        more as f64 / 1e6,
        sessions.div_ceil(2),
        sessions / 2
    );
    if waiting > 0 || more > MORE || once + never != sessions || ended != sessions {
        return Err(Failure::finding(format!("{figures}{other}")));
    }
    Ok(figures)
}

/// Returns the resident memory of a process, in bytes.
fn resident(process: u32) -> Result<u64, Failure> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).while_doing(|| format!("reading {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map(|kilobytes| kilobytes * 1024).ok_or_else(|| Failure::new(format!("{path} has no VmRSS")))
}

/// The number of sessions that run at once.
const GROUP: usize = 12;
/// How much more memory a worker may have after all questions are parked.
const MORE: u64 = 30_000_000;
