//! The misbehaving MCP server of the testkit, as a program that the live tests can name.

use std::process::ExitCode;

fn main() -> ExitCode {
    agentwire_testkit::fault_mcp::run(std::env::args_os().skip(1))
}
