//! How the process starts, whom it leaves behind, and how it ends badly.

use std::{
    env, io,
    io::Write,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{Fault, plan::Plan, stop::Stop};

/// What is done before anything is read.
pub(super) fn prepare(plan: &Plan) -> Result<(), Stop> {
    if plan.has(Fault::Stubborn) && env::var_os(TRAPPED).is_none() {
        return Err(trapped());
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

/// Starts the processes that are to outlive this one.
pub(super) fn leave_behind(plan: &Plan) -> Result<(), Stop> {
    // A signal that is ignored stays so in the program that takes the shell's place.
    let sleeper = |redirections: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("trap '' TERM; exec sleep {LIFE} {redirections}")]);
        command
    };
    if plan.has(Fault::Grandchild) {
        forget(sleeper("").stdin(Stdio::inherit()))?;
    }
    if plan.has(Fault::QuietGrandchild) {
        forget(sleeper("").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))?;
    }
    if plan.has(Fault::Stranger) {
        forget(sleeper("").process_group(0))?;
    }
    Ok(())
}

/// Nobody waits for it: outliving its parent is the fault to be played.
fn forget(command: &mut Command) -> Result<(), Stop> {
    command.spawn()?;
    Ok(())
}

/// Ends by SIGKILL.
pub(super) fn be_killed() -> Stop {
    become_shell("kill -KILL $$")
}

/// Stops, until somebody has it go on.
pub(super) fn stop() -> Result<(), Stop> {
    Command::new("kill").args(["-STOP", &std::process::id().to_string()]).status()?;
    Ok(())
}

/// Closes stdout and lives on, listening to nothing but signals.
pub(super) fn close_stdout() -> Stop {
    become_shell(&format!("exec sleep {LIFE} >&-"))
}

/// Closes stdin and lives on, likewise.
pub(super) fn close_stdin() -> Stop {
    become_shell(&format!("exec <&-; exec sleep {LIFE}"))
}

/// Does nothing any more, for longer than any test waits and no longer than leftovers may live.
pub(super) fn linger() {
    let (start, life) = (Instant::now(), Duration::from_secs(LIFE));
    while start.elapsed() < life {
        thread::park_timeout(life);
    }
}

/// Writes to stderr; where nobody reads it, nobody need know.
pub(super) fn complain(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}

fn flood_stderr(bytes: u64) -> Result<(), Stop> {
    let line = format!("{}\n", "x".repeat(99));
    for _ in 0..bytes / 100 {
        io::stderr().write_all(line.as_bytes())?;
    }
    Ok(io::stderr().write_all(b"the last line of stderr\n")?)
}

/// Starts this program anew, as the same process, with SIGTERM ignored: the shell can do that, and the standard library
/// can't.
fn trapped() -> Stop {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return Stop::Io(error),
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' TERM; exec \"$0\" \"$@\""]).arg(program).args(env::args_os().skip(1));
    Stop::Io(shell.env(TRAPPED, "1").exec())
}

/// Turns this process into a shell; what comes back is why it did not.
fn become_shell(script: &str) -> Stop {
    Stop::Io(Command::new("sh").args(["-c", script]).exec())
}

/// Set where SIGTERM is ignored already.
const TRAPPED: &str = "AGENTWIRE_FAULT_TRAPPED";

/// How long whatever outlives its use may live, in seconds.
const LIFE: u64 = 300;
