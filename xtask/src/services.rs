//! `cargo xtask services`: the servers that the tests of stores need, on loopback, for as long as a command runs.

mod moto;
mod postgres;

use std::path::Path;
use std::process::Command;

use agentwire_cluster::redis;
use agentwire_cluster::server::{self, Running};
use tokio::signal::unix::{SignalKind, signal};

use crate::built;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::machine;
use crate::netns;
use crate::program;
use crate::python::PYTHON;

/// Runs the tests that need a database or an S3 server
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run the tests that need the real CLI too, without a network
    #[arg(long, conflicts_with = "command")]
    proof: bool,
    /// Start only these servers
    #[arg(long, value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(SERVICES.iter().map(|service| service.name)))]
    only: Vec<String>,
    /// Run this command instead of the tests
    #[arg(last = true)]
    command: Vec<String>,
}

/// Starts the servers, runs the command, and stops the servers.
///
/// Each server has a free port of 127.0.0.1 and a temporary folder for its data.
/// The command finds them by environment variables.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let is_chosen = |service: &&Service| match &args.only[..] {
        [] => !args.proof || PROVED.contains(&service.name),
        only => only.iter().any(|name| name == service.name),
    };
    let chosen: Vec<&Service> = SERVICES.iter().filter(is_chosen).collect();
    if let Some((program, rest)) = args.command.split_first() {
        let mut command = Command::new(program);
        command.args(rest);
        return beside(&chosen, command);
    }
    // Building comes before the servers start, and installing before the network is gone.
    if !args.proof {
        return beside(&chosen, built::ignored_tests(&filter(&chosen, "server::"), false)?);
    }
    let cli = cli::ensure(cli::CURRENT)?;
    let mut tests = built::ignored_tests(&filter(&chosen, "proof::"), false)?;
    tests.env(cli::VARIABLE, &cli);
    netns::within(|| beside(&chosen, tests))
}

/// The ignored tests for these services that have this prefix.
fn filter(chosen: &[&Service], prefix: &str) -> String {
    let crates = chosen.iter().flat_map(|service| service.crates);
    let packages: Vec<String> = crates.map(|name| format!("package({name})")).collect();
    format!("({}) & test(/^{prefix}/)", packages.join(" | "))
}

/// Runs the command while these servers run.
fn beside(chosen: &[&Service], command: Command) -> Result<(), Failure> {
    let folder = tempfile::Builder::new().prefix("agentwire-services-").tempdir()?;
    let mut servers = Vec::new();
    if chosen.iter().any(|service| service.name == "redis") {
        machine::provide(&[redis::PROGRAM])?;
    }
    for service in chosen {
        let started = (service.start)(folder.path()).while_doing(|| format!("starting {}", service.name))?;
        println!("    {}: process {}", service.name, started.server.id());
        servers.push(started);
    }
    run_beside(command, &servers)
}

/// Makes sure that the servers can be started here; pip installs moto later.
pub(crate) fn provide() -> Result<(), Failure> {
    machine::provide(&[redis::PROGRAM, PYTHON])?;
    postgres::programs().map(drop)
}

/// Returns whether a step runs the ignored tests in this module of the crate in this folder.
pub(crate) fn runs(folder: &str, module: &str) -> bool {
    SERVICES.iter().any(|service| {
        let is_here = |name: &&str| name.strip_prefix("agentwire-").unwrap_or(name) == folder;
        let is_run = module == "server" || (module == "proof" && PROVED.contains(&service.name));
        is_run && service.crates.iter().any(is_here)
    })
}

/// A server that can be started.
struct Service {
    name: &'static str,
    start: fn(&Path) -> Result<Running, Failure>,
    /// The crates with tests for it.
    crates: &'static [&'static str],
}

/// Runs the command. It is killed on SIGINT and SIGTERM, and if this process is killed.
fn run_beside(mut command: Command, servers: &[Running]) -> Result<(), Failure> {
    let shown = program::show(&command);
    command = server::bound_to_us(command, None, "KILL");
    for (name, value) in servers.iter().flat_map(|running| &running.variables) {
        command.env(name, value);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async {
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
        tokio::select! {
            status = child.wait() => status.map(Some),
            _ = interrupt.recv() => Ok(None),
            _ = terminate.recv() => Ok(None),
        }
    });
    match status.while_doing(|| "running the command".to_owned())? {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(Failure::new(format!("`{shown}` ended with {status}"))),
        None => Err(Failure::new("interrupted")),
    }
}

/// The stores whose tests resume a session with the real CLI.
const PROVED: [&str; 2] = ["redis", "postgres"];
const SERVICES: [Service; 3] = [
    Service {
        name: "redis",
        start: |folder| redis::start(folder, "always"),
        crates: &["agentwire-store-redis", "agentwire-eventlog", "agentwire-judge"],
    },
    Service { name: "postgres", start: postgres::start, crates: &["agentwire-store-postgres"] },
    Service { name: "moto", start: moto::start, crates: &["agentwire-store-object"] },
];
