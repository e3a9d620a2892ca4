//! Runs a single client: ours, or one without an SDK. The program contains no comparison code, because its memory is
//! measured.
//!
//! `bench_client NAME [--current-thread]` reads the workload from the environment; its last line is the outcome.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

use std::{error::Error, process::ExitCode};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    use agentwire_benches::clients::{BuiltIn, CURRENT_THREAD};

    let words: Vec<String> = std::env::args().skip(1).collect();
    let name = words.first().ok_or("no client is named")?;
    let client = BuiltIn::named(name).ok_or("there is no such client")?;
    let current_thread = words.iter().any(|word| word == CURRENT_THREAD);
    println!("{}", serde_json::to_string(&client.play(current_thread)?)?);
    Ok(ExitCode::SUCCESS)
}
