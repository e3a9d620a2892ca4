//! Faults of the process: how it starts, children that it leaves behind, and how it ends.

use std::{os::unix::process::CommandExt, process::Command};

use super::{Fault, stop::Stop};
use crate::fault_plan::Plan;
use crate::fault_process::{self, flood_stderr, is_trapped, sleeper, trapped};
pub(super) use crate::fault_process::{close_stdin, close_stdout, complain, linger};

/// Applies the faults that come before the first read.
pub(super) fn prepare(plan: &Plan<Fault>) -> Result<(), Stop> {
    if plan.has(Fault::Stubborn) && !is_trapped() {
        return Err(trapped().into());
    }
    if let Some(bytes) = plan.number(Fault::StderrFlood) {
        flood_stderr(bytes)?;
    }
    if plan.has(Fault::RefuseStart) {
        complain("error: unknown option '--nope'\n");
        return Err(Stop::Exit(1));
    }
    Ok(())
}

/// Starts the processes that outlive this one; it does not wait for them.
pub(super) fn leave_behind(plan: &Plan<Fault>) -> Result<(), Stop> {
    fault_process::leave_behind(plan.has(Fault::Grandchild), plan.has(Fault::QuietGrandchild))?;
    if plan.has(Fault::Stranger) {
        sleeper().process_group(0).spawn()?;
    }
    Ok(())
}

/// Stops the process until another process sends SIGCONT.
pub(super) fn stop() -> Result<(), Stop> {
    Command::new("kill").args(["-STOP", &std::process::id().to_string()]).status()?;
    Ok(())
}
