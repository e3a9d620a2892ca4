//! The misbehaving MCP server as a program; see `agentwire_testkit::fault_mcp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    agentwire_testkit::fault_mcp::run(std::env::args_os().skip(1))
}
