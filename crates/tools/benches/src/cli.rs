//! The bench CLI: a program that plays the CLI's side of a session over stdin and stdout as fast as it can, checks the
//! client's replies, and measures times.
//!
//! It measures clients in any language: start `bench_cli` as the CLI, with environment variables for the workload
//! ([`WORKLOAD`], [`SHARE`]) and the file for the [`Report`] ([`REPORT`]).
//! It accepts the flags of the CLI and ignores them.
//!
//! # Duties of a client
//!
//! It may send `initialize`. It sends [`Plan::prompts`] prompts, each after the `result` of the previous one; then it
//! closes the program's input.
//! It answers requests as [`Callback`] describes.
//! It stops reading for a while if [`Plan::stall`] returns a time, and plays [`Plan::sessions`] sessions.
//! It counts the messages of a session in a [`Tally`], which must equal the one of the report: lost, duplicated,
//! reordered and changed messages are an error of the run.
//!
//! # Timed intervals
//!
//! Callbacks are timed from the write of a request to the read of its answer.
//! Other workloads are timed from the first write of the answer to a prompt, to the read of the next prompt, which the
//! client sends once it has the result.
//! All lines are built before the clock starts.
//!
//! It needs the pipes of Unix.

mod callback;
mod lines;
mod plan;
mod play;
mod program;
mod report;
mod script;
pub mod stream;
mod tally;
mod turn;
mod wire;
mod workload;

pub use {
    callback::Callback,
    lines::Lines,
    plan::{Plan, REPORT, SHARE, WORKLOAD},
    program::run,
    report::{Phase, Report},
    tally::Tally,
    workload::Workload,
};
