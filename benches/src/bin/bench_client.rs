//! A client alone: ours, or one without an SDK. It links what its user links and what it notes down, and nothing of what
//! compares: what it holds of memory is a mark, and its own code as far as it was used is part of that.
//!
//! `bench_client NAME [--current-thread]`, with what it plays in the environment; its last line is what it came to.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

use std::{error::Error, process::ExitCode};

#[cfg(unix)]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    use agentwire_benches::clients::{BuiltIn, CURRENT_THREAD, Flavour};

    let words: Vec<String> = std::env::args().skip(1).collect();
    let name = words.first().ok_or("no client is named")?;
    let client = BuiltIn::named(name).ok_or("there is no such client")?;
    let one_thread = words.iter().any(|word| word == CURRENT_THREAD);
    let flavour = if one_thread { Flavour::CurrentThread } else { Flavour::MultiThread };
    println!("{}", serde_json::to_string(&client.play(flavour)?)?);
    Ok(ExitCode::SUCCESS)
}

#[cfg(not(unix))]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    println!("no clients: sessions over pipes are there on Unix alone");
    Ok(ExitCode::FAILURE)
}
