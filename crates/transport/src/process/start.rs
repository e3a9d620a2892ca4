//! Starts the child, its guard and its threads.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    panic::catch_unwind,
    process::Stdio,
    sync::Arc,
};

use rustix::{io::ioctl_fionbio, process::Pid};
use tokio::{
    net::unix::pipe::{Receiver, Sender},
    runtime::Handle,
};

use super::{
    ProcessHandle, ProcessSink, ProcessSource, ProcessTransport,
    group::Group,
    guard::Guard,
    input::Input,
    running::{Running, spawn_thread},
    shutdown_fd::ShutdownFd,
    stderr::{Stderr, StderrSink, drain_on_thread},
    watch::watch,
};
use crate::{error::TransportError, lock::Lock, once_event::OnceEvent, transport::Connected};

pub(super) type ProcessConnected = Connected<ProcessSource, ProcessSink, ProcessHandle>;

pub(super) fn start(transport: ProcessTransport) -> Result<ProcessConnected, TransportError> {
    let ProcessTransport { launch, grace, guard, holds_input, stderr_bound, on_stderr, attachments } =
        transport;
    let (ours, theirs) = pipes()?;
    let shutdown = ShutdownFd::new().map_err(io_error("creating an event"))?;
    let child = launch.spawn(|command| {
        command.stdin(theirs.stdin).stdout(theirs.stdout).stderr(theirs.stderr);
    })?;
    let group = Group::new(Pid::from_child(&child));
    let mut guard = if guard {
        Guard::start(group.leader(), grace, holds_input.then(|| ours.stdin.as_fd()))
    } else {
        Guard::none()
    };
    if holds_input && let Some(failure) = guard.failure.take() {
        group.abort();
        return Err(io_error("starting the guard")(failure));
    }
    let guard = Arc::new(guard);
    let running = Arc::new(Running {
        group,
        guard: Arc::clone(&guard),
        grace: Lock::new(grace),
        input: Input::new(ours.stdin, guard),
        stderr: Stderr::new(stderr_bound),
        ended: OnceEvent::new(),
        group_ended: OnceEvent::new(),
        output_done: OnceEvent::new(),
        shutdown,
        attachments: Lock::new(attachments),
    });
    if let Err(error) = start_threads(&running, ours.stderr, on_stderr) {
        // No thread would reap the child and its guard.
        running.guard.dismiss();
        running.group.abort();
        // Stops the thread for stderr, if it was started.
        running.shutdown.signal();
        return Err(io_error("starting a thread")(error));
    }
    Ok(Connected {
        source: ProcessSource::new(Arc::clone(&running), ours.stdout),
        sink: ProcessSink { running: Arc::clone(&running) },
        handle: ProcessHandle { running },
    })
}

/// Our ends of the child's pipes: registered with the runtime, non-blocking.
struct Ours {
    stdin: Sender,
    stdout: Receiver,
    stderr: OwnedFd,
}

/// The child's ends: blocking, as programs expect.
struct Theirs {
    stdin: Stdio,
    stdout: Stdio,
    stderr: Stdio,
}

/// Creates the three pipes.
fn pipes() -> Result<(Ours, Theirs), TransportError> {
    let pipe = || io::pipe().map_err(io_error("creating a pipe"));
    let register = "registering a pipe with the tokio runtime";
    // Without a runtime, tokio would panic below.
    Handle::try_current().map_err(|error| io_error(register)(io::Error::other(error)))?;
    let (their_stdin, stdin) = pipe()?;
    let (stdout, their_stdout) = pipe()?;
    let (stderr, their_stderr) = pipe()?;
    ioctl_fionbio(&stderr, true).map_err(|error| io_error("preparing a pipe")(error.into()))?;
    // Tokio panics here in a runtime without I/O, which can't be detected in another way.
    let registered =
        catch_unwind(|| Ok((Sender::from_owned_fd(stdin.into())?, Receiver::from_owned_fd(stdout.into())?)));
    let (stdin, stdout) =
        registered.unwrap_or_else(|_| Err(io::Error::other(DISABLED))).map_err(io_error(register))?;
    let ours = Ours { stdin, stdout, stderr: stderr.into() };
    let theirs =
        Theirs { stdin: their_stdin.into(), stdout: their_stdout.into(), stderr: their_stderr.into() };
    Ok((ours, theirs))
}

/// Starts the thread that watches the child, and a thread for stderr if the watch thread can't drain it.
///
/// It can't if there is a callback, which must not delay the watch thread, or if the system has no descriptor for the end of
/// a process, so that nothing can wait for both.
fn start_threads(running: &Arc<Running>, stderr: OwnedFd, sink: Option<StderrSink>) -> io::Result<()> {
    let mut stderr = Some(stderr);
    if (sink.is_some() || running.group.leader_end().is_none())
        && let Some(stderr) = stderr.take()
    {
        drain_on_thread(running, stderr, sink)?;
    }
    let running = Arc::clone(running);
    spawn_thread("aw-watch", move || watch(&running, stderr))
}

const DISABLED: &str = "I/O is disabled; build the runtime with `enable_all`";

fn io_error(action: &'static str) -> impl FnOnce(io::Error) -> TransportError {
    move |source| TransportError::Io { action, source }
}
