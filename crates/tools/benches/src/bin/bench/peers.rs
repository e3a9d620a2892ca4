//! Compares other SDKs of the CLI with ours: each runs the same workloads, in turn within one run.
//!
//! There are no bounds, and the failure of one SDK does not stop the others.

use std::{error::Error, path::Path, process::ExitCode};

use agentwire_benches::cli::Plan;
use agentwire_benches::{
    clients::{BuiltIn, Client, Flavour},
    peers::{HEAD, Peer, are_played, rows},
    run::{bench_cli, bench_client},
    words::value,
};

use crate::clients::chosen;

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let file = words.first().ok_or("no file is named that names the peers")?;
    let rounds = value(words, "--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let home = tempfile::tempdir()?;
    let (program, cli) = (bench_client()?, bench_cli()?);
    let ours = [BuiltIn::FloorTokio, BuiltIn::Ours].map(|client| client.of(&program, Flavour::MultiThread));
    let peers = Peer::named_in(Path::new(file))?.into_iter().map(|peer| peer.at_home(home.path()));
    let clients: Vec<Client> = ours.into_iter().chain(peers).collect();
    println!("\n{HEAD}");
    for workload in chosen(value(words, "--only"))?.into_iter().filter(|workload| are_played(*workload)) {
        for row in rows(&clients, &cli, Plan::whole(workload), rounds) {
            println!("{row}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

const ROUNDS: usize = 3;
