//! Turns of a worker and of the embedded engine, with a script in place of the CLI.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

mod local;
mod outage;
mod panics;
mod questions;
mod stand_in;
mod warned;
mod worker;

use std::time::Duration;

use agentwire_worker::{Outcome, SessionName, TurnSpec};

const LIMIT: Duration = Duration::from_secs(60);

/// Returns the name of the `n`th session.
fn session(n: usize) -> SessionName {
    SessionName::new("tenant", format!("0b0e7a3e-57a1-4a4c-9d3f-{n:012x}"))
}

/// Returns the id of the `n`th prompt.
fn id(n: usize) -> String {
    format!("5f3f4c52-5a35-4f0e-9a51-{n:012x}")
}

/// Returns the `n`th prompt, with this text.
fn prompt(n: usize, text: &str) -> TurnSpec {
    TurnSpec::prompt(id(n), text)
}

fn done() -> Outcome {
    Outcome::Done { text: "Done.".to_owned(), is_error: false }
}
