//! `cargo xtask durable`: durable sessions on Restate, with workers, Redis, a scripted model and the real CLI.

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
mod resume_guarded;
mod secrets;
mod sessions;
mod stream;
mod waiting;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::signal;

use crate::board;
use crate::built;
use crate::cli;
use crate::failure::Failure;
use crate::machine;
use crate::netns;
use cluster::{Cluster, Plan};

/// Starts durable sessions on Restate with a web page, or checks their guarantees
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The number of Restate nodes
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=3))]
    nodes: u16,
    /// Run these checks instead; `all` for each
    #[arg(long, value_parser = PossibleValuesParser::new(CHECKS.iter().map(|check| check.name).chain(["all"])))]
    check: Vec<String>,
    /// Run the checks with small sizes
    #[arg(long)]
    small: bool,
}

/// Starts everything on loopback until Ctrl-C, or runs the checks, which see a network with loopback alone.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Installing and building come before the network is gone.
    // The full size measures times.
    let is_measured = !args.small && !args.check.is_empty();
    let example = if is_measured { built::optimised } else { built::example };
    let setup = Setup {
        restate: node::program()?,
        agents: example("restate", AGENTS)?,
        fake: example("restate", FAKE)?,
        cli: cli::ensure(cli::CURRENT)?,
        is_small: args.small,
        runtime: tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?,
    };
    machine::provide(&["redis-server"])?;
    if args.check.is_empty() {
        return serve(&setup, args.nodes.into());
    }
    board::SCRIPT.command()?;
    let is_chosen = |check: &&Check| args.check.iter().any(|name| name == "all" || name == check.name);
    netns::within(|| CHECKS.iter().filter(is_chosen).try_for_each(|check| check.run(&setup)))
}

/// The programs that a cluster needs, and the size of the checks.
struct Setup {
    restate: PathBuf,
    /// The processes of a cluster, an example of agentwire-restate.
    agents: PathBuf,
    /// A stand-in for the CLI.
    fake: PathBuf,
    cli: PathBuf,
    is_small: bool,
    runtime: Runtime,
}

impl Setup {
    /// Returns one of two sizes.
    fn size(&self, full: usize, small: usize) -> usize {
        if self.is_small { small } else { full }
    }
}

/// One guarantee of durable sessions.
struct Check {
    name: &'static str,
    /// Measures, and returns the figures. A failure names the missed guarantee.
    run: fn(&Setup) -> Result<String, Failure>,
}

impl Check {
    fn run(&self, setup: &Setup) -> Result<(), Failure> {
        let figures = (self.run)(setup).map_err(|why| Failure::finding(format!("{}: {why}", self.name)))?;
        println!("{}: {figures}", self.name);
        Ok(())
    }
}

fn serve(setup: &Setup, nodes: usize) -> Result<(), Failure> {
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

const CHECKS: &[Check] = &[
    Check { name: "kill-worker", run: kill_worker::run },
    Check { name: "kill-node", run: kill_node::run },
    Check { name: "stream", run: stream::run },
    Check { name: "partition", run: partition::run },
    Check { name: "overhead", run: overhead::run },
    Check { name: "parked", run: parked::run },
    Check { name: "resume-guarded", run: resume_guarded::run },
    Check { name: "secrets", run: secrets::run },
    Check { name: "admission", run: admission::run },
    Check { name: "page", run: page::run },
];

/// The pool of the workers, as the example names it.
const POOL: &str = "agents";
const AGENTS: &str = "agents";
const FAKE: &str = "fake_agent";

/// Each prompt leads to one command, and its result to a last text.
const SCRIPT: &str = include_str!("../../crates/addons/worker/examples/local/script.json");
