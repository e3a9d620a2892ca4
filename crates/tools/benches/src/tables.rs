//! Markdown tables of the measurements.

use std::fmt::Write;

use crate::cli::{Phase, Workload};

use crate::{
    measured::{Measured, lap, megabytes, megabytes_a_second, messages_a_second, start},
    rounds::Rounds,
    run::Run,
};

/// Returns the table of a workload; each figure is the median of its runs.
pub fn table(rounds: &Rounds, clients: &[String]) -> String {
    let mut table = format!("\n{}\n", rounds.workload().name());
    // Writing to a string does not fail.
    let _: std::fmt::Result = match rounds.workload() {
        Workload::Callback(_) | Workload::HookMany => round_trips(rounds, clients, &mut table),
        Workload::Stream | Workload::Stalled => figures(rounds, clients, STREAM, &mut table),
        Workload::Turns => figures(rounds, clients, TURNS, &mut table),
        Workload::Start => figures(rounds, clients, START, &mut table),
    };
    table
}

/// Returns the bounds with their measured values.
pub fn bounds(workload: Workload, measured: &[Measured]) -> String {
    let mut table = format!("| {} | bound | measured | |\n|---|---:|---:|---|\n", workload.name());
    for Measured { what, bound, value } in measured {
        let verdict = if bound.holds(*value) { "kept" } else { "MISSED" };
        let _: std::fmt::Result = writeln!(table, "| {what} | {bound} | {value:.2} | {verdict} |");
    }
    table
}

fn round_trips(rounds: &Rounds, clients: &[String], table: &mut String) -> std::fmt::Result {
    writeln!(
        table,
        "| client | open at once | p50, µs | p99, µs | requests/s | CPU, µs a request |\n|---|---:|---:|---:|---:|---:|"
    )?;
    for client in clients {
        let mut cpu = format!("{:.1}", rounds.middle(client, cpu_a_request));
        for at in 0.. {
            let of = |what: fn(&Phase) -> f64| {
                rounds.middle(client, |run| run.report.phases.get(at).map_or(f64::NAN, what))
            };
            let open = of(|phase| phase.outstanding as f64);
            if open.is_nan() {
                break;
            }
            let (p50, p99, rate) = (of(|phase| phase.p50), of(|phase| phase.p99), of(Phase::rate));
            writeln!(table, "| {client} | {open:.0} | {p50:.1} | {p99:.1} | {rate:.0} | {cpu} |")?;
            cpu.clear();
        }
    }
    Ok(())
}

/// The name of a figure, the number of its digits after the point, and the figure of a run.
type Column = (&'static str, usize, fn(&Run) -> f64);

fn figures(rounds: &Rounds, clients: &[String], columns: &[Column], table: &mut String) -> std::fmt::Result {
    let names: Vec<&str> = columns.iter().map(|(name, ..)| *name).collect();
    writeln!(table, "| client | {} |\n|---{}|", names.join(" | "), "|---:".repeat(columns.len()))?;
    for client in clients {
        write!(table, "| {client} |")?;
        for &(_, digits, figure) in columns {
            write!(table, " {:.digits$} |", rounds.middle(client, figure))?;
        }
        table.push('\n');
    }
    Ok(())
}

/// Returns the CPU time in µs. It includes the warm-up requests, which cost as much.
fn cpu_a_request(run: &Run) -> f64 {
    let requests: usize = run.report.phases.iter().map(|phase| phase.requests + phase.requests / 10).sum();
    run.outcome.cpu.map_or(f64::NAN, |cpu| cpu * 1e6 / requests as f64)
}

fn cpu_a_message(run: &Run) -> f64 {
    run.outcome.cpu.map_or(f64::NAN, |cpu| cpu * 1e6 / run.report.sent.messages as f64)
}

fn cpu_a_lap(run: &Run) -> f64 {
    let laps: usize = run.report.phases.iter().map(|phase| phase.requests).sum();
    run.outcome.cpu.map_or(f64::NAN, |cpu| cpu * 1e6 / laps as f64)
}

/// Returns the CPU time in µs, from the first prompt on.
fn cpu_a_start(run: &Run) -> f64 {
    run.outcome.cpu.map_or(f64::NAN, |cpu| cpu * 1e6 / run.outcome.first.len() as f64)
}

const STREAM: &[Column] = &[MESSAGES, BYTES, ("CPU, µs a message", 2, cpu_a_message), MEMORY];
const TURNS: &[Column] = &[("a turn, µs", 0, lap), MESSAGES, BYTES, ("CPU, µs a turn", 0, cpu_a_lap), MEMORY];
const START: &[Column] = &[("to the first message, µs", 0, start), ("CPU of a session, µs", 0, cpu_a_start)];
const MESSAGES: Column = ("messages/s", 0, messages_a_second);
const BYTES: Column = ("MB/s", 0, megabytes_a_second);
const MEMORY: Column = ("memory, MB", 1, megabytes);
