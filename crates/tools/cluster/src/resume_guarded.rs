//! `resume-guarded`: a deferred tool use is resumed beside an MCP server that does not answer.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agentwire::hooks::Hooks;
use agentwire::mcp::{McpServers, McpService, Outbox, ResponseFuture, ServerInstance};
use agentwire::protocol::RawJson;
use agentwire::protocol::hook::{HookReply, PreToolUse};
use agentwire::sessions::FolderStore;
use agentwire::{Options, SessionBuilder};
use agentwire_restate::{Host, HostConfig, Ingress};
use agentwire_worker::{Admission, Answer, WorkerConfig};
use serde_json::json;
use tokio::net::TcpListener;

use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::sessions::{done, one_command, prompt, session};
use crate::{POOL, Setup};

/// Checks that each resumed CLI calls the hook before the tool, which the person has denied.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(guarded(setup, setup.size(20, 4)))
}

async fn guarded(setup: &Setup, sessions: usize) -> Result<String, Failure> {
    let settings =
        json!({"approvals": ["Bash"], "slots": 4, "question_grace_seconds": 0.1, "lease_seconds": 8});
    let script = one_command("echo ran >> ran.txt");
    let cluster = Cluster::start(setup, Plan { nodes: 1, cli: &setup.cli, script, settings }).await?;
    let mut parking = cluster.worker()?;
    let prompts: Vec<_> = (0..sessions).map(|n| prompt(n, "Go.")).collect();
    cluster.send(&prompts).await?;
    let questions = cluster.parked(0..sessions).await?;
    parking.kill()?;
    let asked = Arc::<AtomicUsize>::default();
    let _slow = slow_worker(setup, &cluster, Arc::clone(&asked)).await?;
    for (n, question) in questions.iter().enumerate() {
        cluster.answer(n, question, &Answer::deny("no")).await?;
    }
    let (ended, other) = done(&cluster.outcomes(&prompts).await?);
    let ran: usize = (0..sessions).map(|n| cluster.effects(&session(n))).sum();
    let asked = asked.load(Ordering::Relaxed);
    let figures = format!(
        "{sessions} deferred tools resumed beside a server that does not answer for {SLOW:?}: the hook was called \
         {asked} times, {ran} denied tools ran, {ended} turns ended"
    );
    if (asked, ran, ended) != (sessions, 0, sessions) {
        return Err(Failure::finding(format!("{figures}{other}")));
    }
    Ok(figures)
}

/// Starts a worker in this process, which counts the calls of its hook.
async fn slow_worker(setup: &Setup, cluster: &Cluster, asked: Arc<AtomicUsize>) -> Result<Host, Failure> {
    let count = move |_, _| {
        asked.fetch_add(1, Ordering::Relaxed);
        async { HookReply::proceed() }
    };
    let slow = |_: &_, builder: SessionBuilder| {
        builder.mcp_servers(McpServers::new().with("hangs", Hangs).manifest_limit(SLOW))
    };
    let mut options = Options::new().env_clear().path_to_claude_code_executable(&setup.cli);
    options.env = cluster.environment.clone();
    let worker =
        WorkerConfig::new(Arc::new(FolderStore::at(cluster.path("store"))), cluster.path("workspaces"))
            // The options of the example's workers: with other options, the CLI does not resume their tool uses.
            .options(options.untrusted_folder())
            .approvals(["Bash"])
            .admission(Admission::slots(4))
            .hooks(Hooks::new().on(PreToolUse, count))
            .configure(slow);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let ingress = Ingress::new(cluster.nodes.iter().map(|node| node.ingress.as_str()))?;
    Ok(Host::start(worker, HostConfig::new(ingress, POOL, address), listener)?)
}

/// A server that never answers.
struct Hangs;

impl McpService for Hangs {
    fn open(&self, _: Outbox) -> Box<dyn ServerInstance> {
        Box::new(Self)
    }
}

impl ServerInstance for Hangs {
    fn handle(&self, _: RawJson) -> ResponseFuture {
        Box::pin(pending())
    }
}

/// How long a session waits for the server. A CLI resumes the tool use half a second after its start.
const SLOW: Duration = Duration::from_secs(3);
