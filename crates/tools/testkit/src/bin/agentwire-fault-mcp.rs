//! The misbehaving MCP server as a program; see `agentwire_testkit::fault_mcp`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    agentwire_testkit::fault_mcp::run(std::env::args_os().skip(1))
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
