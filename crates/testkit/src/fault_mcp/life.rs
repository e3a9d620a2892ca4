//! How the server's process behaves badly: whom it starts, and what it does not heed.

use std::{
    env, io,
    io::Write,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{McpFault, fault::Plan};

/// What is done before anything is read.
pub(super) fn prepare(plan: &Plan) -> io::Result<()> {
    if plan.has(McpFault::Stubborn) && env::var_os(TRAPPED).is_none() {
        return Err(trapped());
    }
    if plan.has(McpFault::Levels) {
        complain(
            "INFO: an error is not what this is\nWARNING slow\n2026-01-01 [ERROR] broken\nerrors: none\n",
        );
    }
    if let Some(bytes) = plan.number(McpFault::StderrFlood) {
        let line = format!("{}\n", "x".repeat(99));
        (0..bytes / 100).for_each(|_| complain(&line));
        complain("the last line of stderr\n");
    }
    // A signal that is ignored stays so in the program that takes the shell's place.
    let sleeper = || {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("trap '' TERM; exec sleep {LIFE}")]);
        command
    };
    // Nobody waits for them: outliving their parent is the fault to be played.
    if plan.has(McpFault::Grandchild) {
        sleeper().stdin(Stdio::inherit()).spawn()?;
    }
    if plan.has(McpFault::QuietGrandchild) {
        sleeper().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    }
    Ok(())
}

/// Closes stdout and lives on, listening to nothing but signals; what comes back is why it did not.
pub(super) fn close_stdout() -> io::Error {
    Command::new("sh").args(["-c", &format!("exec sleep {LIFE} >&-")]).exec()
}

/// Closes stdin and lives on, likewise.
pub(super) fn close_stdin() -> io::Error {
    Command::new("sh").args(["-c", &format!("exec <&-; exec sleep {LIFE}")]).exec()
}

/// Does nothing any more, for longer than any test waits and no longer than leftovers may live.
pub(super) fn linger() {
    let (start, life) = (Instant::now(), Duration::from_secs(LIFE));
    while start.elapsed() < life {
        thread::park_timeout(life);
    }
}

/// Pauses; a pause is what the fault is.
pub(super) fn pause(millis: u64) {
    let (start, pause) = (Instant::now(), Duration::from_millis(millis));
    while let Some(left) = pause.checked_sub(start.elapsed()) {
        thread::park_timeout(left);
    }
}

/// Writes to stderr; where nobody reads it, nobody need know.
pub(super) fn complain(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}

/// Starts this program anew, as the same process, with SIGTERM ignored: the shell can do that, and the standard library
/// can't.
fn trapped() -> io::Error {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return error,
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' TERM; exec \"$0\" \"$@\""]).arg(program).args(env::args_os().skip(1));
    shell.env(TRAPPED, "1").exec()
}

/// Set where SIGTERM is ignored already.
const TRAPPED: &str = "AGENTWIRE_FAULT_TRAPPED";

/// How long whatever outlives its use may live, in seconds.
const LIFE: u64 = 300;
