//! `cargo xtask services`: the servers that the tests of stores need, on loopback, for as long as a command runs.

mod folder;
mod moto;
mod postgres;
mod redis;
mod s3s;
mod server;
mod suite;

use std::process::Command;

use tokio::signal::unix::{SignalKind, signal};

use crate::args::Args;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::machine;
use crate::netns;
use crate::program;
use folder::Folder;
use server::Running;

/// `cargo xtask services [--proof] [--only NAME,…] [-- COMMAND…]`: starts the servers, runs the command, and stops them.
///
/// Each server has a free port of 127.0.0.1, and its data in a folder that goes with it.
/// The command is told of them by environment variables; without one, the tests that need these servers are run.
/// With `--proof` those are run that need the real CLI too, where nothing can leave the machine.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let (proof, only, words) = (args.flag("--proof"), args.option("--only")?, args.rest());
    args.finish()?;
    let chosen = choose(only.as_deref().or(proof.then_some(PROVED)))?;
    let names: Vec<&str> = chosen.iter().map(|service| service.name).collect();
    // Building comes first: servers that wait for a compiler help nobody.
    let commands = match words {
        Some(words) => vec![command(&words)?],
        None if proof => {
            // What needs the network comes before it is left.
            let cli = cli::ensure(cli::CURRENT)?;
            let mut commands = suite::commands(&names, suite::PROOF)?;
            commands.iter_mut().for_each(|command| _ = command.env(NAMED_CLI, &cli));
            return netns::within(|| beside(&chosen, commands));
        }
        None => suite::commands(&names, suite::SERVER)?,
    };
    beside(&chosen, commands)
}

/// Runs the commands, one after the other, while these servers run.
fn beside(chosen: &[&Service], commands: Vec<Command>) -> Result<(), Failure> {
    let folder = Folder::new()?;
    let mut servers = Vec::new();
    for service in chosen {
        let started = (service.start)(&folder).while_doing(|| format!("starting {}", service.name))?;
        println!("    {}: process {}", service.name, started.server.id());
        servers.push(started);
    }
    let result = commands.into_iter().try_for_each(|command| run_beside(command, &servers));
    drop(servers);
    result
}

/// Makes sure that the usual servers can be started here; what pip and cargo build comes later.
pub(crate) fn provide() -> Result<(), Failure> {
    machine::provide(&[redis::PROGRAM, "python3"])?;
    postgres::programs().map(drop)
}

/// A server that can be started.
struct Service {
    name: &'static str,
    start: fn(&Folder) -> Result<Running, Failure>,
    /// Whether it is one of those that are started unless one says which.
    usual: bool,
}

fn choose(only: Option<&str>) -> Result<Vec<&'static Service>, Failure> {
    let Some(names) = only else { return Ok(SERVICES.iter().filter(|service| service.usual).collect()) };
    let find = |name: &str| {
        let service = SERVICES.iter().find(|service| service.name == name);
        service.ok_or_else(|| {
            let known: Vec<&str> = SERVICES.iter().map(|service| service.name).collect();
            Failure::new(format!("there is no service `{name}`; there are: {}", known.join(", ")))
        })
    };
    names.split(',').map(find).collect()
}

fn command(words: &[String]) -> Result<Command, Failure> {
    let Some((program, rest)) = words.split_first() else {
        return Err(Failure::new("say what to run after `--`"));
    };
    let mut command = Command::new(program);
    command.args(rest);
    Ok(command)
}

/// Runs the command to its end, or until we are asked to end; then it is ended too, as when we are killed.
fn run_beside(mut command: Command, servers: &[Running]) -> Result<(), Failure> {
    let shown = program::show(&command);
    command = server::bound_to_us(&command, None);
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

/// Where the tests find the CLI; the variable is the library's own.
const NAMED_CLI: &str = "AGENTWIRE_CLI";
/// The stores that a conversation with the real CLI goes on from.
const PROVED: &str = "redis,postgres";
const SERVICES: &[Service] = &[
    Service { name: "redis", start: redis::start, usual: true },
    Service { name: "postgres", start: postgres::start, usual: true },
    Service { name: "moto", start: moto::start, usual: true },
    Service { name: "s3s", start: s3s::start, usual: false },
];

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn services_are_chosen_by_name() {
        let names = |only| choose(only).map(|chosen| chosen.iter().map(|it| it.name).collect::<Vec<_>>());
        assert_eq!(names(None).unwrap(), ["redis", "postgres", "moto"]);
        assert_eq!(names(Some("s3s,redis")).unwrap(), ["s3s", "redis"]);
        assert!(names(Some("redsi")).is_err());
    }
}
