//! Compares other SDKs of the CLI with ours: each runs the same workloads, in turn within one run.
//!
//! There are no bounds, and the failure of one SDK does not stop the others.

use std::{error::Error, path::PathBuf, process::ExitCode};

use agentwire_benches::cli::Plan;
use agentwire_benches::{
    clients::{BuiltIn, Client},
    peers::{HEAD, Peer, are_played, rows},
    run::{bench_cli, bench_client},
};

use crate::clients::chosen;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file that lists the clients of the peers
    file: PathBuf,
    /// The rounds of each workload
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Run only this workload
    #[arg(long)]
    only: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let (program, cli) = (bench_client()?, bench_cli()?);
    let current_thread = false;
    let ours = [BuiltIn::FloorTokio, BuiltIn::Ours].map(|client| client.of(&program, current_thread));
    let peers = Peer::named_in(&arguments.file)?.into_iter().map(|peer| peer.at_home(home.path()));
    let clients: Vec<Client> = ours.into_iter().chain(peers).collect();
    println!("\n{HEAD}");
    for workload in chosen(arguments.only.as_deref())?.into_iter().filter(|workload| are_played(*workload)) {
        for row in rows(&clients, &cli, Plan::whole(workload), arguments.rounds) {
            println!("{row}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
