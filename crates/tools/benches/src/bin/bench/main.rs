//! Compares whole clients: `cargo xtask bench` runs it.
//!
//! `bench clients [--check] [--rounds N] [--current-thread] [--only WORKLOAD]`: ours beside *floor-tokio*; with
//! `--check`
//! the program fails if a bound is missed.
//! `bench peers FILE [--rounds N] [--only WORKLOAD]`: other SDKs beside ours; FILE lists them.

#![expect(clippy::print_stdout, reason = "a program for the terminal prints")]

mod clients;
mod peers;

use std::{env, error::Error, process::ExitCode};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let (what, words) = words.split_first().ok_or("name what to compare: `clients` or `peers`")?;
    match what.as_str() {
        "clients" => clients::run(words),
        "peers" => peers::run(words),
        other => Err(format!("there is no comparison `{other}`").into()),
    }
}
