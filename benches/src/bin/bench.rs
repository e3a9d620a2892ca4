//! The marks of the whole stack: ours against programs without an SDK, in turn within one run.
//!
//! `bench [--check] [--rounds N] [--current-thread] [--only WORKLOAD]`; with `--check` it fails where a mark is missed, or
//! where the run does not count. `--only stream` means `stream-lines` too.
//! Each client is a process of its own: this program, started again.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

#[cfg(unix)]
use std::{env, error::Error, process::ExitCode};

#[cfg(unix)]
use agentwire_benches::{
    clients::{BuiltIn, CLIENT, CURRENT_THREAD, Client, Flavour},
    measured::{Measured, measured},
    rounds::Rounds,
    run::bench_cli,
    tables,
};
#[cfg(unix)]
use agentwire_testkit::bench::{Plan, Workload};

#[cfg(unix)]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let flavour = if has(CURRENT_THREAD) { Flavour::CurrentThread } else { Flavour::MultiThread };
    if let Some(client) = value(CLIENT) {
        let client = BuiltIn::named(client).ok_or("there is no such client")?;
        println!("{}", serde_json::to_string(&client.play(flavour)?)?);
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = value("--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let mut marks = Vec::new();
    for workload in chosen(value("--only"))? {
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
    let failed = has("--check") && missed(true) + missed(false) > 0;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// All workloads, or those of one name and of names that go on from it.
#[cfg(unix)]
fn chosen(only: Option<&String>) -> Result<Vec<Workload>, Box<dyn Error>> {
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
#[cfg(unix)]
fn compare(workload: Workload, flavour: Flavour, rounds: usize) -> Result<Vec<Measured>, Box<dyn Error>> {
    let program = env::current_exe()?;
    let playing = BuiltIn::ALL.into_iter().filter(|client| client.plays(workload));
    let clients: Vec<Client> = playing.map(|client| client.of(&program, flavour)).collect();
    let names: Vec<String> = clients.iter().map(|client| client.name.clone()).collect();
    let rounds = Rounds::measure(Plan::whole(workload), &clients, &bench_cli()?, rounds)?;
    let marks = measured(&rounds);
    println!("{}\n{}", tables::table(&rounds, &names), tables::marks(workload, &marks));
    Ok(marks)
}

#[cfg(not(unix))]
fn main() {
    println!("\nclients: not measured, since sessions over pipes are there on Unix alone");
}

#[cfg(unix)]
const ROUNDS: usize = 5;
