//! Tests of the clients and the bench CLI as programs: a small run of each workload, and the detection of faults.

#![expect(clippy::unwrap_used, reason = "in tests a failure is a panic")]

mod answers;
mod small;

use std::path::Path;

use agentwire_benches::clients::{BuiltIn, Client};

/// Returns a built-in client as a process.
fn client(client: BuiltIn) -> Client {
    let current_thread = false;
    client.of(Path::new(env!("CARGO_BIN_EXE_bench_client")), current_thread)
}

/// Returns the path of the bench CLI.
fn cli() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_bench_cli"))
}
