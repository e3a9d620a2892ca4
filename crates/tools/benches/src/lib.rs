//! Compares whole clients of the CLI within one run: see `docs/performance.md`.

#![allow(clippy::exhaustive_enums, clippy::exhaustive_structs, reason = "shared inside the workspace only")]

pub mod cli;
pub mod clients;
mod handlers;
pub mod measured;
mod one_core;
pub mod outcome;
pub mod peers;
pub mod rounds;
pub mod run;
pub mod tables;
