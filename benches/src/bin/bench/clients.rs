//! The marks of the whole stack: ours against programs without an SDK, in turn within one run.
//!
//! It fails where the run does not count, too. `--only stream` means `stream-lines` as well.

use std::{error::Error, process::ExitCode};

use agentwire_benches::{
    clients::{BuiltIn, CURRENT_THREAD, Client, Flavour},
    measured::{Measured, measured},
    rounds::Rounds,
    run::{bench_cli, bench_client},
    tables,
    words::{ended, has, value},
};
use agentwire_testkit::bench::{Plan, Workload};

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let flavour = if has(words, CURRENT_THREAD) { Flavour::CurrentThread } else { Flavour::MultiThread };
    let rounds = value(words, "--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let mut marks = Vec::new();
    for workload in chosen(value(words, "--only"))? {
        marks.extend(compare(workload, flavour, rounds)?);
    }
    let missed = |yardstick| {
        marks.iter().filter(|mark| mark.yardstick == yardstick && !mark.bound.holds(mark.value)).count()
    };
    match (missed(true), missed(false)) {
        (0, 0) => println!("\nAll marks are kept."),
        (0, marks) => println!("\nMarks that are missed: {marks}."),
        (yardsticks, _) => println!(
            "\nThis run does not count: {yardsticks} of its yardsticks are missed, so that the others say nothing."
        ),
    }
    Ok(ended(words, missed(true) + missed(false)))
}

/// All workloads, or those of one name and of names that go on from it.
pub(crate) fn chosen(only: Option<&String>) -> Result<Vec<Workload>, Box<dyn Error>> {
    let all = Workload::ALL.iter().copied();
    let Some(only) = only else { return Ok(all.collect()) };
    let more = format!("{only}-");
    let chosen: Vec<Workload> =
        all.filter(|workload| workload.name() == *only || workload.name().starts_with(&more)).collect();
    if chosen.is_empty() {
        return Err(format!("there is no workload `{only}`").into());
    }
    Ok(chosen)
}

/// Prints the tables of a workload, and gives its marks.
fn compare(workload: Workload, flavour: Flavour, rounds: usize) -> Result<Vec<Measured>, Box<dyn Error>> {
    let program = bench_client()?;
    let playing = BuiltIn::ALL.into_iter().filter(|client| client.plays(workload));
    let clients: Vec<Client> = playing.map(|client| client.of(&program, flavour)).collect();
    let names: Vec<String> = clients.iter().map(|client| client.name.clone()).collect();
    let rounds = Rounds::measure(Plan::whole(workload), &clients, &bench_cli()?, rounds)?;
    let marks = measured(&rounds);
    println!("{}\n{}", tables::table(&rounds, &names), tables::marks(workload, &marks));
    Ok(marks)
}

const ROUNDS: usize = 5;
