//! The marks of callbacks: round trips through the whole stack against a bare echo of the same frames, in turn within one
//! run.
//!
//! `round_trips [--check] [--rounds N] [--current-thread] [--only WORKLOAD]`; with `--check` it fails where a mark is missed.
//! Each client is a process of its own: this program, started again.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

#[cfg(unix)]
use std::{env, error::Error, process::ExitCode, time::Duration};

#[cfg(unix)]
use agentwire_benches::round_trips::{
    echo, floor,
    measure::{CLIENT, CURRENT_THREAD, Client, Flavour, bench_cli, measure},
    ours,
    tables::Runs,
    workload::Workload,
};

#[cfg(unix)]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let flavour = if has(CURRENT_THREAD) { Flavour::CurrentThread } else { Flavour::MultiThread };
    if let [first, client, workload, ..] = &words[..]
        && first == CLIENT
    {
        let client = Client::named(client).ok_or("there is no such client")?;
        let workload = Workload::named(workload).ok_or("there is no such workload")?;
        println!("{}", be(client, flavour, workload)?.as_secs_f64());
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = value("--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let only =
        value("--only").map(|name| Workload::named(name).ok_or("there is no such workload")).transpose()?;
    let mut missed = 0;
    for workload in Workload::ALL.into_iter().filter(|workload| only.is_none_or(|only| only == *workload)) {
        missed += marks(workload, &runs(workload, flavour, rounds)?);
    }
    Ok(if has("--check") && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// All clients in turn, again and again, so that a slow moment of the machine meets them all.
#[cfg(unix)]
fn runs(workload: Workload, flavour: Flavour, rounds: usize) -> Result<Runs, Box<dyn Error>> {
    let mut runs = Runs::default();
    // The first round warms up.
    for round in 0..=rounds {
        let mut clients = Client::ALL;
        let turn = round % clients.len();
        clients.rotate_left(turn);
        for client in clients {
            let report = measure(client, flavour, workload)?;
            if round > 0 {
                runs.add(client, report);
            }
        }
    }
    Ok(runs)
}

/// Prints the tables, and gives the number of marks that were missed.
#[cfg(unix)]
fn marks(workload: Workload, runs: &Runs) -> usize {
    println!("{}", runs.table(workload));
    println!("| mark, {} | bound | measured | |\n|---|---:|---:|---|", workload.name());
    let marks = runs.marks();
    for (what, bound, ratio) in marks {
        let verdict = if bound.holds(ratio) { "kept" } else { "MISSED" };
        println!("| {what} | {bound} | {ratio:.2} | {verdict} |");
    }
    marks.iter().filter(|(_, bound, ratio)| !bound.holds(*ratio)).count()
}

/// Answers one session; gives the CPU time that it took.
#[cfg(unix)]
fn be(client: Client, flavour: Flavour, workload: Workload) -> Result<Duration, Box<dyn Error>> {
    let cli = bench_cli()?;
    if client == Client::Floor {
        return floor::run(&cli, workload);
    }
    let mut runtime = match flavour {
        Flavour::MultiThread => tokio::runtime::Builder::new_multi_thread(),
        Flavour::CurrentThread => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build()?;
    let taken = match client {
        Client::Ours => runtime.block_on(ours::run(&cli)),
        _ => runtime.block_on(echo::run(&cli, workload)),
    };
    taken.map_err(|error| -> Box<dyn Error> { error })
}

#[cfg(not(unix))]
fn main() {
    println!("\nround trips: not measured, since sessions over pipes are there on Unix alone");
}

#[cfg(unix)]
const ROUNDS: usize = 5;
