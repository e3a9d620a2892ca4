//! Compares ours with *floor-tokio*, in turn within one run.

use std::{error::Error, process::ExitCode};

use agentwire_benches::cli::{Plan, Workload};
use agentwire_benches::{
    clients::{BuiltIn, Client},
    measured::{Measured, measured},
    rounds::Rounds,
    run::{bench_cli, bench_client},
    tables,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Fail if a bound is missed
    #[arg(long)]
    check: bool,
    /// The rounds of each workload
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Run only this workload
    #[arg(long)]
    only: Option<String>,
    /// Run our clients on a current-thread runtime
    #[arg(long)]
    current_thread: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let mut missed = 0;
    for workload in chosen(arguments.only.as_deref())? {
        let measured = compare(workload, arguments.current_thread, arguments.rounds)?;
        missed += measured.iter().filter(|measured| !measured.bound.holds(measured.value)).count();
    }
    println!("\nBounds missed: {missed}.");
    Ok(if missed > 0 && arguments.check { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns all workloads, or those with this name; `hook` means `hook-many` too.
pub(crate) fn chosen(only: Option<&str>) -> Result<Vec<Workload>, Box<dyn Error>> {
    let all = Workload::ALL.iter().copied();
    let Some(only) = only else { return Ok(all.collect()) };
    let more = format!("{only}-");
    let chosen: Vec<Workload> =
        all.filter(|workload| workload.name() == only || workload.name().starts_with(&more)).collect();
    if chosen.is_empty() {
        return Err(format!("there is no workload `{only}`").into());
    }
    Ok(chosen)
}

/// Prints the tables of a workload and returns its bounds.
fn compare(workload: Workload, current_thread: bool, rounds: usize) -> Result<Vec<Measured>, Box<dyn Error>> {
    let program = bench_client()?;
    let playing = BuiltIn::ALL.into_iter();
    let clients: Vec<Client> = playing.map(|client| client.of(&program, current_thread)).collect();
    let names: Vec<String> = clients.iter().map(|client| client.name.clone()).collect();
    let rounds = Rounds::measure(Plan::whole(workload), &clients, &bench_cli()?, rounds)?;
    let measured = measured(&rounds);
    println!("{}\n{}", tables::table(&rounds, &names), tables::bounds(workload, &measured));
    Ok(measured)
}
