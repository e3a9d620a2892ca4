//! A tiny process that ends the child's group where we can't any more: because we were killed.
//!
//! It is a member of the group that it guards.
//! So the group's id can't pass to a stranger while it lives, and all that it ever signals is its own group.
//! It is started a moment after the child, by a thread that gives way to everything else: nobody waits for it.

use std::{
    env,
    io::{self, PipeWriter, Write},
    os::{fd::OwnedFd, unix::process::CommandExt},
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use rustix::{
    io::retry_on_intr,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid},
};

use super::{Grace, grace::LONGEST, launch::is_executable};

/// A child's guard, or why it has none.
pub(super) struct Guard {
    phase: Mutex<Phase>,
    /// It was started, could not be, or is left out.
    started: Condvar,
    failure: OnceLock<io::Error>,
}

enum Phase {
    /// It is wanted, and not started yet; it will get this copy of the child's input.
    Awaited(Option<OwnedFd>),
    Watching(Watching),
    /// It was not wanted, could not be started, or was dismissed.
    None,
}

struct Watching {
    pid: Pid,
    /// The only write end of the guard's pipe. A line says that the child's input ends, its end that the group is the
    /// guard's to end.
    tie: Option<PipeWriter>,
    /// Whether the guard holds the child's input.
    holds_input: bool,
}

impl Guard {
    /// No guard yet; where one is wanted, [`start`](Self::start) must be called.
    ///
    /// It gets this copy of the child's input, where there is one.
    pub(super) fn new(wanted: bool, input: Option<OwnedFd>) -> Self {
        let phase = Mutex::new(if wanted { Phase::Awaited(input) } else { Phase::None });
        Self { phase, started: Condvar::new(), failure: OnceLock::new() }
    }

    /// Whether it is to be started.
    pub(super) fn is_awaited(&self) -> bool {
        matches!(*self.lock(), Phase::Awaited(_))
    }

    /// Has the guard let go of the child's input, which ends.
    pub(super) fn release_input(&self) {
        match &mut *self.lock() {
            Phase::Awaited(input) => drop(input.take()),
            Phase::Watching(watching) if watching.holds_input => {
                watching.holds_input = false;
                // The pipe is empty, so that this never waits; it fails where the guard is gone, and with it its copy.
                let _ = watching.tie.as_mut().map(|tie| tie.write_all(b"\n"));
            }
            Phase::Watching(_) | Phase::None => {}
        }
    }

    /// Starts the guard of a group whose leader is not reaped before it is dismissed.
    pub(super) fn start(&self, leader: Pid, grace: Grace) {
        let mut phase = self.lock();
        // Under the lock: whoever ends the input meanwhile waits, and then tells the guard.
        let input = if let Phase::Awaited(input) = &mut *phase { input.take() } else { None };
        *phase = start(leader, grace, input).map_or_else(
            |failure| {
                // Nobody else sets it.
                let _ = self.failure.set(failure);
                Phase::None
            },
            Phase::Watching,
        );
        drop(phase);
        self.started.notify_all();
    }

    /// Leaves the start out: there is nobody to be guarded any more.
    pub(super) fn leave_out(&self) {
        *self.lock() = Phase::None;
        self.started.notify_all();
    }

    /// Why there is none although one was wanted. Waits until that is known.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        drop(self.settled());
        self.failure.get()
    }

    /// The guard's process id, until it is dismissed. Waits until it is started.
    pub(super) fn pid(&self) -> Option<Pid> {
        match &*self.settled() {
            Phase::Watching(watching) => Some(watching.pid),
            Phase::Awaited(_) | Phase::None => None,
        }
    }

    /// Ends the guard and reaps it: there is nothing left to be guarded. A second call does nothing.
    ///
    /// Waits until it is started.
    pub(super) fn dismiss(&self) {
        let Phase::Watching(watching) = std::mem::replace(&mut *self.settled(), Phase::None) else { return };
        // Where somebody else in this process has reaped it, its id may be a stranger's by now.
        if watching.look().is_ok() {
            // By force, since it heeds nothing else, and even a stopped process heeds this.
            let _ = kill_process(watching.pid, Signal::KILL);
            let _ = retry_on_intr(|| waitid(WaitId::Pid(watching.pid), WaitIdOptions::EXITED));
        }
    }

    /// Has the guard end the rest of the group, and itself, as where this program has ended.
    ///
    /// For a group whose leader was reaped by somebody else: only a member can still signal it safely.
    pub(super) fn take_over(&self) {
        if let Phase::Watching(watching) = &mut *self.settled() {
            watching.tie = None;
        }
    }

    /// Whether there is a guard that has not ended.
    pub(super) fn lives(&self) -> bool {
        matches!(&*self.settled(), Phase::Watching(watching) if watching.look() == Ok(false))
    }

    fn settled(&self) -> MutexGuard<'_, Phase> {
        let is_awaited = |phase: &mut Phase| matches!(phase, Phase::Awaited(_));
        self.started.wait_while(self.lock(), is_awaited).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watching {
    /// Whether it has ended; an error where somebody else has reaped it.
    fn look(&self) -> rustix::io::Result<bool> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        Ok(retry_on_intr(|| waitid(WaitId::Pid(self.pid), look))?.is_some())
    }
}

/// Has this thread, and what it starts, give way to what is busy: the child's own start is what somebody waits for.
///
/// Elsewhere it would be the whole program that gives way.
pub(super) fn give_way() {
    // Where it is refused the guard is started as fast as all else.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICE);
}

fn start(leader: Pid, grace: Grace, input: Option<OwnedFd>) -> io::Result<Watching> {
    let no_sleep = || io::Error::new(io::ErrorKind::NotFound, "there is no `sleep` to wait with");
    let sleep = find_sleep().ok_or_else(no_sleep)?;
    let (news, tie) = io::pipe()?;
    let leader = leader.as_raw_nonzero().get();
    let holds_input = input.is_some();
    let hold = if holds_input { HOLD } else { "" };
    let guard = Command::new(SHELL)
        .args(["-c", SCRIPT, NAME, &leader.to_string()])
        .arg(sleep)
        .args([&*steps(grace.orphaned), &steps(grace.after_terminate), hold])
        // Nothing of ours tells the shell what else to read or to load.
        .env_clear()
        // So that it holds up no unmounting.
        .current_dir("/")
        .process_group(leader)
        .stdin(news)
        .stdout(input.map_or_else(Stdio::null, Stdio::from))
        .stderr(Stdio::null())
        .spawn()?;
    Ok(Watching { pid: Pid::from_child(&guard), tie: Some(tie), holds_input })
}

/// The one thing that no shell can do by itself. Searched here, because not every system has it in the same place.
fn find_sleep() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = ["/bin", "/usr/bin"].map(PathBuf::from).into_iter().chain(env::split_paths(&path));
    dirs.filter(|dir| dir.is_absolute()).map(|dir| dir.join("sleep")).find(|file| is_executable(file))
}

/// How many steps a wait takes.
fn steps(wait: Duration) -> String {
    wait.min(LONGEST).as_millis().div_ceil(STEP.as_millis()).to_string()
}

/// Arguments: the leader, `sleep`, the number of steps until SIGTERM and of those until SIGKILL, and whether the output is
/// the child's input.
///
/// While the guard lives, the leader's id is the id of the guard's own group, and so nobody else can get it.
/// A signal to 0 goes to the guard's own group.
/// Where `/proc` tells that nobody else is left, the guard goes without another signal; where it does not tell, or not of
/// these processes, there may be somebody.
/// A `sleep` that knows no fractions waits for a second each tenth step.
/// The trap at the exit is for a shell that can't start `sleep` any more: without a way to wait, nothing may be left behind.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM USR1 USR2 ALRM TSTP TTIN TTOU
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
others() {
    read -r self line </proc/self/stat && [ "$self" = "$$" ] || return 0
    for file in /proc/[0-9]*/stat; do
        read -r line <"$file" || continue
        set -- "$file" ${line##*) }
        [ "$4" = "$group" ] && [ "$2" != Z ] && [ "$1" != "/proc/$$/stat" ] && return 0
    done
    return 1
}
step() {
    left=$((left - 1))
    "$sleep" 0.1 || [ $((left % 10)) -gt 0 ] || "$sleep" 1
}
group=$1 sleep=$2 left=$3
[ -z "$5" ] || left=0
while read -r line; do
    exec >/dev/null
    left=$3
done
trap 'kill -KILL 0' EXIT
while [ "$left" -gt 0 ] && kill -0 "$group"; do step; done
others || { trap - EXIT; exit; }
kill -TERM 0
left=$4
while [ "$left" -gt 0 ]; do
    step
    others || { trap - EXIT; exit; }
done
kill -KILL 0
"#;

/// What the guard is called in a list of processes.
const NAME: &str = "agentwire-guard";
const SHELL: &str = "/bin/sh";
/// A tenth of a busy core's time, where nothing else gives way.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;
/// What `sleep` waits in the script.
const STEP: Duration = Duration::from_millis(100);
const HOLD: &str = "hold";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted_in_steps() {
        for (millis, text) in [(0, "0"), (1, "1"), (50, "1"), (100, "1"), (101, "2"), (5000, "50")] {
            assert_eq!(steps(Duration::from_millis(millis)), text);
        }
        assert_eq!(steps(Duration::MAX), steps(LONGEST));
    }
}
