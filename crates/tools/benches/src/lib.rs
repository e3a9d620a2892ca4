//! Compares whole clients of the CLI within one run: see `docs/performance.md`.

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
