//! A small process that ends the child's process group when this program no longer can: it was killed, or has exited.
//!
//! The guard is a member of the group that it guards.
//! While it lives, the system does not reuse the group's id, and the guard only ever signals its own group.

use std::{
    env,
    io::{self, PipeWriter, Write},
    os::{fd::BorrowedFd, unix::process::CommandExt},
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use rustix::{
    io::retry_on_intr,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid},
};

use super::{Grace, grace::MAX_WAIT, launch::is_executable};
use crate::lock::Lock;

/// A child's guard, or the reason why it has none.
pub(super) struct Guard {
    /// `None` if there is no guard, and after [`dismiss`](Self::dismiss).
    process: Lock<Option<GuardProcess>>,
    pub(super) failure: Option<io::Error>,
}

struct GuardProcess {
    pid: Pid,
    /// The only write end of the guard's stdin. A line makes the guard close the child's input; the end of the pipe,
    /// which comes when this program dies, makes it end the group.
    control: Option<PipeWriter>,
    holds_input: bool,
}

impl Guard {
    /// No guard.
    pub(super) fn none() -> Self {
        Self { process: Lock::new(None), failure: None }
    }

    /// Starts the guard of a group. The leader must not be reaped before the guard is dismissed.
    ///
    /// The guard holds a copy of `input`, the write end of the child's stdin, until [`release_input`](Self::release_input).
    pub(super) fn start(leader: Pid, grace: Grace, input: Option<BorrowedFd<'_>>) -> Self {
        match spawn(leader, grace, input) {
            Ok(process) => Self { process: Lock::new(Some(process)), failure: None },
            Err(failure) => Self { failure: Some(failure), ..Self::none() },
        }
    }

    /// Makes the guard close its copy of the child's input.
    pub(super) fn release_input(&self) {
        if let Some(guard) = &mut *self.process.lock()
            && std::mem::take(&mut guard.holds_input)
            && let Some(control) = &mut guard.control
        {
            // Never blocks, since the pipe is empty. Fails only if the guard has ended, which also closed its copy.
            let _ = control.write_all(b"\n");
        }
    }

    /// Returns the guard's process id, until it is dismissed.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.process.lock().as_ref().map(|guard| guard.pid)
    }

    /// Kills the guard and reaps it. A second call does nothing.
    pub(super) fn dismiss(&self) {
        let Some(guard) = self.process.lock().take() else { return };
        // If other code of this program has reaped it, its id may belong to another process.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        if retry_on_intr(|| waitid(WaitId::Pid(guard.pid), options)).is_ok() {
            // SIGKILL, since the guard ignores the other signals; it works on a stopped process too.
            let _ = kill_process(guard.pid, Signal::KILL);
            let _ = retry_on_intr(|| waitid(WaitId::Pid(guard.pid), WaitIdOptions::EXITED));
        }
    }

    /// Makes the guard end the rest of the group and itself, as if this program had ended.
    ///
    /// For a group with a leader that other code of this program has reaped: only a member can still signal it safely.
    pub(super) fn take_over(&self) {
        if let Some(guard) = &mut *self.process.lock() {
            guard.control = None;
        }
    }
}

fn spawn(leader: Pid, grace: Grace, input: Option<BorrowedFd<'_>>) -> io::Result<GuardProcess> {
    let no_sleep = || io::Error::new(io::ErrorKind::NotFound, "there is no `sleep` to wait with");
    let sleep = find_sleep().ok_or_else(no_sleep)?;
    let (stdin, control) = io::pipe()?;
    let leader = leader.as_raw_nonzero().get();
    let input = input.map(|input| input.try_clone_to_owned()).transpose()?;
    let holds_input = input.is_some();
    let hold = if holds_input { "hold" } else { "" };
    let guard = Command::new(SHELL)
        .args(["-c", SCRIPT, NAME, &leader.to_string()])
        .arg(sleep)
        .args([&*seconds(grace.orphaned), &seconds(grace.after_terminate), hold])
        // A variable such as `ENV` could make the shell read a file.
        .env_clear()
        // Our working directory could keep a file system from being unmounted.
        .current_dir("/")
        .process_group(leader)
        .stdin(stdin)
        // Safe Rust can only pass stdin, stdout and stderr to a child, so the copy of the child's input is its stdout.
        .stdout(input.map_or_else(Stdio::null, Stdio::from))
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("`{SHELL}` or `/dev/null`: {error}")))?;
    Ok(GuardProcess { pid: Pid::from_child(&guard), control: Some(control), holds_input })
}

/// Finds `sleep`, which most shells do not have built in. Its directory depends on the system.
fn find_sleep() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = ["/bin", "/usr/bin"].map(PathBuf::from).into_iter().chain(env::split_paths(&path));
    dirs.filter(|dir| dir.is_absolute()).map(|dir| dir.join("sleep")).find(|file| is_executable(file))
}

/// Returns a wait in seconds, with fractions.
fn seconds(wait: Duration) -> String {
    format!("{:.3}", wait.min(MAX_WAIT).as_secs_f64())
}

/// The guard's program. Its arguments are the leader, the path of `sleep`, the seconds until SIGTERM, the seconds from there
/// to SIGKILL, and `hold` if stdout is the child's input.
///
/// - Signals go to 0, the guard's own group. `kill -0 "$group"` tests the leader: its id is the id of the guard's own group.
/// - The guard neither polls the leader nor looks for other members: the guards of some hundred sessions would keep the
///   machine busy, and be late.
/// - If `sleep` accepts no fractions, a wait takes up to a second more.
/// - The trap on EXIT is for a shell that can't start `sleep` any more: without a way to wait, it kills the group.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM USR1 USR2 ALRM TSTP TTIN TTOU
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
group=$1 sleep=$2 orphaned=$3 terminated=$4 hold=$5
pause() {
    "$sleep" "$1" || "$sleep" $((${1%.*} + 1))
}
while read -r line; do
    exec >/dev/null
    hold=
done
trap 'kill -KILL 0' EXIT
[ -z "$hold" ] && kill -0 "$group" && pause "$orphaned"
kill -TERM 0
pause "$terminated"
kill -KILL 0
"#;

/// The guard's name in process lists.
const NAME: &str = "agentwire-guard";
const SHELL: &str = "/bin/sh";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_seconds_with_fractions() {
        for (millis, text) in [(0, "0.000"), (50, "0.050"), (5000, "5.000")] {
            assert_eq!(seconds(Duration::from_millis(millis)), text);
        }
        assert_eq!(seconds(Duration::MAX), seconds(MAX_WAIT));
    }
}
