//! The misbehaving MCP server: a server over stdio, with selectable faults.
//!
//! Use it to test a client of MCP servers: each fault has broken such clients before.
//! It shakes hands, lists three tools and ends with its input, as good servers do, except for the faults that its flags
//! name (`--fault-deaf --fault-stderr-flood`).
//! `--help` describes each fault and the correct reaction.
//!
//! | tool | does |
//! |---|---|
//! | `echo` | returns its argument `text`, with any fault |
//! | `fault` | behaves as the faults of calls say |
//! | `seen` | returns its counters `lists`, `pings` and `cancelled`, and `environment` (names), `cwd`, `pid` |
//!
//! The program `agentwire-fault-mcp` only calls [`run`], so that a test program can start itself as the server: with
//! [`FLAG`] as the first argument, followed by the faults.

mod fault;
mod life;
mod server;

use std::{ffi::OsString, process::ExitCode};

pub use fault::McpFault;

use crate::fault_plan::Plan;
use server::Server;

/// The first argument of a test program that plays the server.
pub const FLAG: &str = "--agentwire-fault-mcp";

/// Plays a server on stdin, stdout and stderr of this process, until it ends.
///
/// `arguments` are those of the command line without the program, and without [`FLAG`].
/// The exit code is 0, or that of a fault; 1 if the client is gone, and 2 for an unknown fault.
///
/// Ends at most five minutes after its input has ended, with any fault.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<String> =
        arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let plan = match Plan::read(&arguments, "", ABOUT) {
        Ok(plan) => plan,
        Err(code) => return code,
    };
    match Server::new(plan).serve() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            life::complain(&format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

const ABOUT: &str = "An MCP server over stdio with faults, for tests of clients.\n\n";
