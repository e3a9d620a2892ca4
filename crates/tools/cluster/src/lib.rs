#![doc = include_str!("../README.md")]
#![expect(clippy::print_stdout, reason = "the figures of a check are for the terminal")]
#![allow(clippy::exhaustive_structs, reason = "xtask creates them, and nothing else uses them")]

mod admission;
mod agents;
mod cluster;
mod kill_node;
mod kill_worker;
mod lines;
mod network;
mod node;
mod overhead;
mod page;
mod parked;
mod partition;
pub mod processes;
pub mod program;
pub mod redis;
mod resume_guarded;
mod secrets;
pub mod server;
mod sessions;
mod stream;
mod waiting;

use std::path::{Path, PathBuf};

pub(crate) use agentwire_cli::failure;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::signal;

use cluster::{Cluster, Plan};
use failure::Failure;

/// The programs that a cluster needs, and the size of the checks.
#[derive(Debug)]
pub struct Setup {
    /// The server of Restate.
    pub restate: PathBuf,
    /// The processes of a cluster, an example of agentwire-restate.
    pub agents: PathBuf,
    /// A stand-in for the CLI.
    pub fake: PathBuf,
    /// The CLI.
    pub cli: PathBuf,
    /// Opens the web page of a case in Chromium, with a folder for its files, and fails with its faults.
    pub browser: fn(&Path, &Value) -> Result<(), Failure>,
    /// Whether the checks have their small sizes.
    pub is_small: bool,
    /// Runs the clients.
    pub runtime: Runtime,
}

impl Setup {
    /// Returns one of two sizes.
    fn size(&self, full: usize, small: usize) -> usize {
        if self.is_small { small } else { full }
    }
}

/// One guarantee of durable sessions.
#[derive(Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Measures, and returns the figures. A failure names the missed guarantee.
    run: fn(&Setup) -> Result<String, Failure>,
}

impl Check {
    /// Runs it, and prints its figures. Fails if the guarantee was missed, or could not be measured.
    pub fn run(&self, setup: &Setup) -> Result<(), Failure> {
        let figures = (self.run)(setup).map_err(|why| Failure::finding(format!("{}: {why}", self.name)))?;
        println!("{}: {figures}", self.name);
        Ok(())
    }
}

/// Starts a cluster with two workers and the web page, and waits for Ctrl-C.
pub fn serve(setup: &Setup, nodes: usize) -> Result<(), Failure> {
    setup.runtime.block_on(async {
        let settings = json!({"approvals": ["Bash"], "question_grace_seconds": 30});
        let plan = Plan { nodes, cli: &setup.cli, script: SCRIPT.to_owned(), settings };
        let cluster = Cluster::start(setup, plan).await?;
        let (first, second, board) = (cluster.worker()?, cluster.worker()?, cluster.board()?);
        for (name, agent) in [("worker", &first), ("worker", &second), ("page", &board)] {
            println!("{name}: {} (process {})", agent.url, agent.id());
        }
        for node in &cluster.nodes {
            println!("Restate: {} (process {})", node.ingress, node.id());
        }
        println!("Kill any of them and watch the page; Ctrl-C ends all.");
        signal::ctrl_c().await?;
        Ok(())
    })
}

/// All checks.
pub const CHECKS: &[Check] = &[
    Check { name: "kill-worker", run: kill_worker::run },
    Check { name: "kill-node", run: kill_node::run },
    Check { name: "stream", run: stream::run },
    Check { name: "partition", run: partition::run },
    Check { name: "parked", run: parked::run },
    Check { name: "resume-guarded", run: resume_guarded::run },
    Check { name: "secrets", run: secrets::run },
    Check { name: "admission", run: admission::run },
    Check { name: "page", run: page::run },
    Check { name: "overhead", run: overhead::run },
];

/// The pool of the workers, as the example names it.
const POOL: &str = "agents";

/// For each prompt, the script runs one command and then sends a final text.
const SCRIPT: &str = include_str!("../../../addons/worker/examples/local/script.json");
