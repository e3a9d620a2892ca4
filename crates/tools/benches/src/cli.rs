//! The bench CLI: a program that plays the CLI's side of a session over stdin and stdout as fast as it can, checks what the
//! client says, and holds the watch.
//!
//! For everyone who measures a client, in whatever language: name `bench_cli` as the CLI, and say by environment
//! variables what it plays ([`WORKLOAD`], [`SHARE`]) and where its [`Report`] goes ([`REPORT`]).
//! It takes the flags of the CLI and ignores them.
//!
//! # What a client does
//!
//! It shakes hands where it wants to (`initialize`), and sends [`Plan::prompts`] prompts, each once the `result` of the one
//! before is in its hands; then it ends the program's input.
//! It answers what it is asked meanwhile, as [`Callback`] says.
//! Where [`Plan::stall`] says so it stops reading for a while, and it plays [`Plan::sessions`] sessions.
//! What it was told in a session it adds up in a [`Tally`], which must equal that of the report: what was lost, doubled, put in another
//! order or read wrongly is an error, and no figure.
//!
//! # What is timed
//!
//! Callbacks are timed from the write of a request to the read of its answer.
//! Other workloads are timed from the first write of the answer to a prompt, to the read of the next prompt, which the
//! client sends once it has the result.
//! All lines are built before the clock starts.
//!
//! It needs the pipes of Unix; on other systems only the synthetic [`stream`] is available.

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
