//! Tests that only code can express, with the real CLI and a scripted model.
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
mod ignored;
mod killed;
#[cfg(target_os = "linux")]
mod leaving;
mod matchers;
mod mcp;
mod mirrored;
mod observing;
mod permissions;
mod place;
mod recipes;
mod requests;
mod stored;
mod structured;
mod untrusted;

use std::time::Duration;

use place::Place;

const LIMIT: Duration = Duration::from_secs(60);
