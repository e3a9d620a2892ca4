//! Faults of a process, shared by the fault CLI and the fault server.

use std::{
    env, io,
    io::Write,
    os::unix::process::CommandExt,
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

/// Returns whether this process ignores SIGTERM already.
pub(crate) fn is_trapped() -> bool {
    env::var_os(TRAPPED).is_some()
}

/// Replaces this process by a copy of the program that ignores SIGTERM: the shell can do that, and the standard library
/// can't. Returns the error if that fails.
pub(crate) fn trapped() -> io::Error {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return error,
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' TERM; exec \"$0\" \"$@\""]).arg(program).args(env::args_os().skip(1));
    shell.env(TRAPPED, "1").exec()
}

/// Returns a process that ignores SIGTERM and outlives this one.
pub(crate) fn sleeper() -> Command {
    let mut command = Command::new("sh");
    // `exec` keeps ignored signals ignored.
    command.args(["-c", &format!("trap '' TERM; exec sleep {LIFE}")]);
    command
}

/// Starts processes that ignore SIGTERM and outlive this one, without waiting for them: one that holds stdin, stdout and
/// stderr, and a quiet one that holds none of them.
pub(crate) fn leave_behind(loud: bool, quiet: bool) -> io::Result<()> {
    if loud {
        sleeper().stdin(Stdio::inherit()).spawn()?;
    }
    if quiet {
        sleeper().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    }
    Ok(())
}

/// Closes stdout and keeps running until a signal arrives. Returns the error if that fails.
pub(crate) fn close_stdout() -> io::Error {
    become_shell(&format!("exec sleep {LIFE} >&-"))
}

/// Closes stdin and keeps running until a signal arrives. Returns the error if that fails.
pub(crate) fn close_stdin() -> io::Error {
    become_shell(&format!("exec <&-; exec sleep {LIFE}"))
}

/// Replaces this process by a shell. Returns the error if that fails.
pub(crate) fn become_shell(script: &str) -> io::Error {
    Command::new("sh").args(["-c", script]).exec()
}

/// Blocks for longer than any test waits.
pub(crate) fn linger() {
    thread::sleep(Duration::from_secs(LIFE));
}

/// Writes to stdout, and returns the exit code for that.
pub(crate) fn print(text: &str) -> ExitCode {
    let written = io::stdout().write_all(text.as_bytes());
    written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

/// Writes to stderr, and ignores errors: stderr may be closed.
pub(crate) fn complain(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}

/// Writes this many bytes of lines to stderr, and a last line.
pub(crate) fn flood_stderr(bytes: u64) -> io::Result<()> {
    let line = format!("{}\n", "x".repeat(99));
    for _ in 0..bytes / 100 {
        io::stderr().write_all(line.as_bytes())?;
    }
    io::stderr().write_all(b"the last line of stderr\n")
}

/// Set in a process that ignores SIGTERM already.
const TRAPPED: &str = "AGENTWIRE_FAULT_TRAPPED";

/// The limit on the life of processes that outlive their use, in seconds.
const LIFE: u64 = 300;
