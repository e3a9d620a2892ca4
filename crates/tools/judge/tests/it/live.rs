//! What only code can try, against the real CLI and a scripted model.
//!
//! `cargo xtask live-tests` names that CLI in `AGENTWIRE_CLI`, and runs these in a network namespace with the loopback
//! alone; other runs ignore them.

mod bare;
mod changed;
mod continued;
mod deferred;
pub(crate) mod durable;
mod ends;
mod failing_hooks;
mod folders;
mod killed;
#[cfg(target_os = "linux")]
mod leaving;
mod matchers;
mod mcp;
mod mirrored;
mod observing;
mod offline;
mod permissions;
mod place;
mod recipes;
mod requests;
mod stored;
mod structured;
mod untrusted;

use std::time::Duration;

use place::Place;

/// Fails a test if its CLI does not answer, instead of blocking the run.
async fn bounded(test: impl Future<Output = ()>) {
    tokio::time::timeout(LIMIT, Box::pin(test)).await.unwrap();
}

/// Works like [`bounded`], for a session with dozens of calls.
async fn bounded_for_many(test: impl Future<Output = ()>) {
    tokio::time::timeout(5 * LIMIT, Box::pin(test)).await.unwrap();
}

const LIMIT: Duration = Duration::from_secs(60);
