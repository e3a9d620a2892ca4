//! Faults of the server's process: children that it starts, and signals that it ignores.

use std::io;

use super::McpFault;
use crate::fault_plan::Plan;
pub(super) use crate::fault_process::{close_stdin, close_stdout, complain, linger};
use crate::fault_process::{flood_stderr, is_trapped, leave_behind, trapped};

/// Applies the faults that come before the first read.
pub(super) fn prepare(plan: &Plan<McpFault>) -> io::Result<()> {
    if plan.has(McpFault::Stubborn) && !is_trapped() {
        return Err(trapped());
    }
    if plan.has(McpFault::Levels) {
        complain(
            "INFO: an error is not what this is\nWARNING slow\n2026-01-01 [ERROR] broken\nerrors: none\n",
        );
    }
    if let Some(bytes) = plan.number(McpFault::StderrFlood) {
        // The client may have closed stderr.
        drop(flood_stderr(bytes));
    }
    leave_behind(plan.has(McpFault::Grandchild), plan.has(McpFault::QuietGrandchild))
}
