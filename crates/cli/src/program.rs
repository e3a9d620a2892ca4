//! Runs the program behind `mock` and `replay`.

use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::signal::unix::SignalKind;
use tokio::time::timeout;

use crate::failure::{Failure, While as _};
use crate::signals::Signals;

/// Runs the program until it ends, and returns its exit code as a shell reports it.
pub(crate) async fn run(command: &mut Command, signals: &mut Signals) -> Result<u8, Failure> {
    let name = command.as_std().get_program().display().to_string();
    let mut child = command.kill_on_drop(true).spawn().while_doing(|| format!("starting {name}"))?;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status?,
            signal = signals.next() => {
                // Ctrl-C has reached the program too; it decides how to end.
                if signal != SignalKind::interrupt() {
                    terminate(&mut child).await?;
                }
            }
        }
    };
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(1))
}

/// Sends SIGTERM to the program, and kills it if it has not ended within the limit.
async fn terminate(child: &mut Child) -> Result<(), Failure> {
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
    if let Some(pid) = pid {
        kill_process(pid, Signal::TERM)?;
    }
    if timeout(LIMIT, child.wait()).await.is_err() {
        child.start_kill()?;
    }
    Ok(())
}

/// How long a program may take to end after SIGTERM.
const LIMIT: Duration = Duration::from_secs(10);
