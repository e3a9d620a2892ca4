//! The clients and the bench CLI as programs: that a small run of each workload is right, and that whatever is wrong is found.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "in tests a failure is a panic")]

mod answers;
mod small;
mod told;

use std::path::Path;

use agentwire_benches::clients::{BuiltIn, Client, Flavour};

/// A client of ours, as a program.
fn client(client: BuiltIn) -> Client {
    client.of(Path::new(env!("CARGO_BIN_EXE_bench_client")), Flavour::MultiThread)
}

/// The bench CLI.
fn cli() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_bench_cli"))
}
