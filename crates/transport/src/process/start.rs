//! Starts the child: its pipes first, and who attends to it last, so that on one core the child need not wait for them.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    panic::catch_unwind,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use rustix::{io::ioctl_fionbio, process::Pid};
use tokio::{
    net::unix::pipe::{Receiver, Sender},
    runtime::Handle,
};

use super::{
    ProcessHandle, ProcessSink, ProcessSource, ProcessTransport,
    alarm::Alarm,
    closing::STACK,
    group::Group,
    guard::Guard,
    input::Input,
    running::Running,
    stderr::{Stderr, StderrSink, drain_aside},
    watch::watch,
};
use crate::{error::TransportError, settled::Settled, transport::Connected};

pub(super) type ProcessConnected = Connected<ProcessSource, ProcessSink, ProcessHandle>;

pub(super) fn start(transport: ProcessTransport) -> Result<ProcessConnected, TransportError> {
    let ProcessTransport { launch, grace, guard, holds_input, stderr_bound, on_stderr, keep } = transport;
    let (ours, theirs) = pipes()?;
    let alarm = Alarm::new().map_err(io_error("creating an event"))?;
    let child = launch.spawn(|command| theirs.wire(command))?;
    // Without a copy of the input the guard does what it can.
    let held = (guard && holds_input).then(|| ours.stdin.as_fd().try_clone_to_owned().ok()).flatten();
    let guard = Arc::new(Guard::new(guard, held));
    let running = Arc::new(Running {
        group: Group::new(Pid::from_child(&child)),
        guard: Arc::clone(&guard),
        grace: Mutex::new(grace),
        input: Input::new(ours.stdin, guard),
        stderr: Stderr::new(stderr_bound),
        alarm,
        ended: Settled::new(),
        gone: Settled::new(),
        output_done: Settled::new(),
        abandoned: Settled::new(),
        keep: Mutex::new(keep),
    });
    if let Err(error) = attend(&running, ours.stderr, on_stderr) {
        // Nobody would see its end.
        running.group.abort();
        return Err(io_error("starting a thread")(error));
    }
    Ok(Connected {
        source: ProcessSource::new(Arc::clone(&running), ours.stdout),
        sink: ProcessSink::new(Arc::clone(&running)),
        handle: ProcessHandle::new(running),
    })
}

struct Ours {
    stdin: Sender,
    stdout: Receiver,
    stderr: OwnedFd,
}

struct Theirs {
    stdin: Stdio,
    stdout: Stdio,
    stderr: Stdio,
}

impl Theirs {
    fn wire(self, command: &mut Command) {
        command.stdin(self.stdin).stdout(self.stdout).stderr(self.stderr);
    }
}

/// All six ends, ours registered with the runtime and not blocking, theirs blocking as programs expect.
fn pipes() -> Result<(Ours, Theirs), TransportError> {
    let pipe = || io::pipe().map_err(io_error("creating a pipe"));
    let register = "registering a pipe with the tokio runtime";
    // Without this check, tokio panics.
    Handle::try_current().map_err(|error| io_error(register)(io::Error::other(error)))?;
    let (their_stdin, stdin) = pipe()?;
    let (stdout, their_stdout) = pipe()?;
    let (stderr, their_stderr) = pipe()?;
    ioctl_fionbio(&stderr, true).map_err(|error| io_error("preparing a pipe")(error.into()))?;
    // A runtime does not say whether it has I/O: without it, this panics.
    let registered =
        catch_unwind(|| Ok((Sender::from_owned_fd(stdin.into())?, Receiver::from_owned_fd(stdout.into())?)));
    let (stdin, stdout) =
        registered.unwrap_or_else(|_| Err(io::Error::other(DISABLED))).map_err(io_error(register))?;
    let ours = Ours { stdin, stdout, stderr: stderr.into() };
    let theirs =
        Theirs { stdin: their_stdin.into(), stdout: their_stdout.into(), stderr: their_stderr.into() };
    Ok((ours, theirs))
}

/// Starts the thread that watches the child, and drains its stderr.
///
/// A callback may take its time, which the child's end can't wait for: it has a thread of its own, and so has stderr where
/// the system can't wait for both at once.
fn attend(running: &Arc<Running>, stderr: OwnedFd, sink: Option<StderrSink>) -> io::Result<()> {
    let is_apart = sink.is_some() || running.group.leader_end().is_none();
    let mut stderr = Some(stderr);
    if is_apart && let Some(stderr) = stderr.take() {
        drain_aside(running, stderr, sink)?;
    }
    let running = Arc::clone(running);
    let work = move || watch(&running, stderr);
    thread::Builder::new().name("aw-watch".into()).stack_size(STACK).spawn(work).map(|_| ())
}

const DISABLED: &str = "I/O is disabled; build the runtime with `enable_all`";

fn io_error(action: &'static str) -> impl FnOnce(io::Error) -> TransportError {
    move |source| TransportError::Io { action, source }
}
