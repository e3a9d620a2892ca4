//! `cargo xtask durable`: durable sessions on Restate, with workers, Redis, a scripted model and the real CLI.

use std::path::PathBuf;

use agentwire_cluster::{CHECKS, Check, Setup, serve};
use clap::builder::PossibleValuesParser;

use crate::board;
use crate::built;
use crate::cli;
use crate::failure::Failure;
use crate::machine;
use crate::netns;
use crate::view_browser;

/// Starts durable sessions on Restate with a web page, or checks their guarantees
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The number of Restate nodes
    #[arg(long, default_value_t = 1, conflicts_with = "check", value_parser = clap::value_parser!(u16).range(1..=3))]
    nodes: u16,
    /// Run these checks instead; `all` for each
    #[arg(long, value_parser = PossibleValuesParser::new(CHECKS.iter().map(|check| check.name).chain(["all"])))]
    check: Vec<String>,
    /// Run the checks with small sizes
    #[arg(long, requires = "check")]
    small: bool,
}

/// Starts everything on loopback until Ctrl-C, or runs the checks, which see a network with loopback alone.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Checks in their full size measure times.
    let is_measured = !args.small && !args.check.is_empty();
    let example = if is_measured { built::optimised } else { built::example };
    // Installing and building come before the network is gone.
    let setup = Setup {
        restate: restate()?,
        agents: example("restate", AGENTS)?,
        fake: example("restate", FAKE)?,
        cli: cli::ensure(cli::CURRENT)?,
        browser: |folder, case| view_browser::check(&board::SCRIPT, folder, case),
        is_small: args.small,
        runtime: tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?,
    };
    machine::provide(&["redis-server"])?;
    if args.check.is_empty() {
        return serve(&setup, args.nodes.into());
    }
    board::SCRIPT.command()?;
    let is_chosen = |check: &&Check| args.check.iter().any(|name| name == "all" || name == check.name);
    netns::within(|| {
        let missed = CHECKS.iter().filter(is_chosen).filter_map(|check| check.run(&setup).err());
        let missed: Vec<String> = missed.map(|why| why.to_string()).collect();
        if missed.is_empty() { Ok(()) } else { Err(Failure::finding(missed.join("\n"))) }
    })
}

/// Installs Restate if it is missing, and returns the path of the server.
fn restate() -> Result<PathBuf, Failure> {
    let package = format!("@restatedev/restate-server-{}", cli::platform()?);
    let server = "bin/restate-server";
    Ok(cli::npm_package(&package, VERSION, server)?.join(server))
}

const VERSION: &str = "1.7.12";
const AGENTS: &str = "agents";
const FAKE: &str = "fake_agent";
