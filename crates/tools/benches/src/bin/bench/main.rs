//! Compares whole clients: `cargo xtask bench` runs it.

#![expect(clippy::print_stdout, reason = "a program for the terminal prints")]

mod clients;
mod peers;

use std::{error::Error, process::ExitCode};

use clap::Parser;

#[derive(Debug, Parser)]
enum Arguments {
    /// Compares ours with *floor-tokio*
    Clients(clients::Arguments),
    /// Compares other SDKs with ours
    Peers(peers::Arguments),
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    match Arguments::parse() {
        Arguments::Clients(arguments) => clients::run(&arguments),
        Arguments::Peers(arguments) => peers::run(&arguments),
    }
}
