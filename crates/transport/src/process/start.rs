//! Starts the child: pipes and threads first, the process last, so that a failure leaves nothing behind.

use std::{
    io,
    os::fd::OwnedFd,
    process::{Command, Stdio},
    sync::{Arc, mpsc},
    thread::{Builder, JoinHandle},
};

use rustix::{io::ioctl_fionbio, process::Pid};
use tokio::{
    net::unix::pipe::{Receiver, Sender},
    runtime::Handle,
};

use super::{
    ProcessLifeline, ProcessSink, ProcessSource, ProcessTransport, alarm::Alarm, closing::STACK,
    group::Group, guard::Guard, input::Input, running::Running, stderr::Stderr, stderr::StderrSink, watch,
};
use crate::{error::TransportError, settled::Settled, transport::Link};

pub(super) type ProcessLink = Link<ProcessSource, ProcessSink, ProcessLifeline>;

pub(super) fn start(transport: ProcessTransport) -> Result<ProcessLink, TransportError> {
    let ProcessTransport { launch, grace, guard, stderr_bound, on_stderr } = transport;
    let (ours, theirs) = pipes()?;
    let alarm = Arc::new(Alarm::new().map_err(io_error("creating an event"))?);
    let stderr = Arc::new(Stderr::new(stderr_bound));
    let threads = Threads::start(ours.stderr, Arc::clone(&stderr), Arc::clone(&alarm), on_stderr)?;
    let child = match launch.spawn(|command| theirs.wire(command)) {
        Ok(child) => child,
        Err(error) => {
            threads.stop();
            return Err(error);
        }
    };
    let running = Arc::new(Running {
        group: Group::new(Pid::from_child(&child)),
        guard: Guard::new(guard),
        grace,
        input: Input::new(ours.stdin),
        stderr,
        alarm,
        ended: Settled::new(),
        gone: Settled::new(),
        output_done: Settled::new(),
        abandoned: Settled::new(),
    });
    threads.watch(Arc::clone(&running));
    Ok(Link {
        source: ProcessSource::new(Arc::clone(&running), ours.stdout),
        sink: ProcessSink::new(Arc::clone(&running)),
        lifeline: ProcessLifeline::new(running),
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
    let ours = Ours {
        stdin: Sender::from_owned_fd(stdin.into()).map_err(io_error(register))?,
        stdout: Receiver::from_owned_fd(stdout.into()).map_err(io_error(register))?,
        stderr: stderr.into(),
    };
    let theirs =
        Theirs { stdin: their_stdin.into(), stdout: their_stdout.into(), stderr: their_stderr.into() };
    Ok((ours, theirs))
}

/// The two threads of a child, started before it.
struct Threads {
    watch: JoinHandle<()>,
    stderr: JoinHandle<()>,
    /// Gives the watching thread its child; dropped without one, that thread ends.
    hand_over: mpsc::SyncSender<Arc<Running>>,
    alarm: Arc<Alarm>,
}

impl Threads {
    fn start(
        pipe: OwnedFd,
        stderr: Arc<Stderr>,
        alarm: Arc<Alarm>,
        sink: Option<StderrSink>,
    ) -> Result<Self, TransportError> {
        let (hand_over, awaited) = mpsc::sync_channel::<Arc<Running>>(1);
        let watch = thread("aw-watch", STACK, move || {
            if let Ok(running) = awaited.recv() {
                watch::watch(&running);
            }
        })?;
        // If this one fails, `hand_over` is dropped, and the other ends by itself.
        let bell = Arc::clone(&alarm);
        let stderr = thread("aw-stderr", STDERR_STACK, move || stderr.run(pipe, &bell, sink))?;
        Ok(Self { watch, stderr, hand_over, alarm })
    }

    /// There is a child: the threads live as long as it does.
    fn watch(self, running: Arc<Running>) {
        // The thread waits for exactly this; it cannot be gone.
        let _ = self.hand_over.send(running);
    }

    /// There is no child. Both threads end at once, and are waited for.
    fn stop(self) {
        drop(self.hand_over);
        self.alarm.ring();
        for thread in [self.watch, self.stderr] {
            // Neither runs code of the caller without a child.
            let _ = thread.join();
        }
    }
}

fn thread(
    name: &str,
    stack: usize,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, TransportError> {
    Builder::new().name(name.into()).stack_size(stack).spawn(work).map_err(io_error("starting a thread"))
}

fn io_error(action: &'static str) -> impl FnOnce(io::Error) -> TransportError {
    move |source| TransportError::Io { action, source }
}

/// The caller's code runs on this thread, and perhaps its panic. Only what is touched counts as memory.
const STDERR_STACK: usize = 1024 * 1024;
