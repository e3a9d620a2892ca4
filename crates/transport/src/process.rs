//! The CLI as a child process, on tokio's pipes and a few small threads.
//!
//! Threads make the child's end independent of the caller's runtime.
//! One thread per child waits for the process and drains its stderr.
//! When the handle is dropped, another thread performs the shutdown: end of input, grace, SIGTERM, grace, SIGKILL.
//! Stderr has a thread of its own if there is a callback for its lines, and on systems other than Linux.
//!
//! Signals go to the child's own process group, and only until its leader is reaped, so that they never reach another
//! process with a reused id.
//! If this program is killed, a small guard process in that group performs the shutdown.
//!
//! ```no_run
//! use agentwire_transport::{ByteSink, ByteSource, PeerHandle, Transport, process};
//!
//! # async fn run() -> Result<(), agentwire_transport::TransportError> {
//! let program = process::locate(None)?;
//! let launch = process::Launch::new(program).args(["--print", "--output-format", "json", "hello"]);
//! let mut link = process::ProcessTransport::new(launch).open().await?;
//! link.sink.finish().await?;
//! while let Some(chunk) = link.source.read().await? {
//!     println!("{} bytes", chunk.len());
//! }
//! println!("{}", link.handle.wait().await);
//! # Ok(())
//! # }
//! ```

mod closing;
mod drain;
mod grace;
mod group;
mod guard;
mod handle;
mod input;
mod launch;
mod locate;
mod output;
mod process_list;
mod running;
mod shutdown_fd;
mod start;
mod stderr;
mod version;
mod watch;

use std::sync::Arc;

pub use self::{
    grace::Grace,
    handle::ProcessHandle,
    input::ProcessSink,
    launch::Launch,
    locate::{AGENTWIRE_CLI, CliSearch, locate},
    output::ProcessSource,
    version::CliVersion,
};
use self::{running::Attachments, stderr::StderrSink};
use crate::{
    error::TransportError,
    transport::{Connected, Transport},
};

/// A transport that starts the CLI as a child process.
pub struct ProcessTransport {
    launch: Launch,
    grace: Grace,
    guard: bool,
    holds_input: bool,
    stderr_bound: usize,
    on_stderr: Option<StderrSink>,
    attachments: Option<Attachments>,
}

impl ProcessTransport {
    /// Creates a transport that starts this program, with the default [`Grace`] and a stderr tail of 16 KiB.
    pub fn new(launch: Launch) -> Self {
        let grace = Grace::default();
        Self {
            launch,
            grace,
            guard: true,
            holds_input: false,
            stderr_bound: STDERR_TAIL,
            on_stderr: None,
            attachments: None,
        }
    }

    /// Sets the time of each step of the child's shutdown.
    #[must_use]
    pub fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    /// Sets whether a guard process ends the child if this program can't, because it was killed or exited first.
    /// On by default.
    ///
    /// The guard is a shell (`/bin/sh`, 230 KiB of memory of its own) in the child's process group, which sleeps while
    /// this program lives.
    /// Then it waits for [`Grace::orphaned`], sends SIGTERM to the group, waits for [`Grace::after_terminate`], and sends
    /// SIGKILL.
    /// It inherits one end of a pipe from this program and, with [`Transport::hold_input`], the child's input, but no other
    /// descriptor. It signals no process outside its group.
    ///
    /// Starting it, right after the child, takes about a millisecond. If this program is killed in between, the child
    /// only sees the end of its pipes, as without a guard.
    /// If the guard can't be started, the child runs without it, and [`ProcessHandle::unguarded`] returns the reason.
    /// If its input is to be held ([`Transport::hold_input`]), that is an error instead.
    #[must_use]
    pub fn guard(mut self, guard: bool) -> Self {
        self.guard = guard;
        self
    }

    /// Sets how many bytes of stderr to keep for [`ExitReport::stderr_tail`](crate::ExitReport::stderr_tail).
    #[must_use]
    pub fn stderr_tail(mut self, bytes: usize) -> Self {
        self.stderr_bound = bytes;
        self
    }

    /// Sets a callback for each line of stderr, without its newline and lossily decoded. Lines over 8 KiB come in pieces.
    ///
    /// The callback runs on the thread that drains stderr and must not block for long: the child blocks once its stderr pipe
    /// is full.
    /// After a panic it is not called again, and stderr is still drained.
    #[must_use]
    pub fn on_stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(sink));
        self
    }

    /// Attaches a value that is dropped on a background thread when the child is reaped and its group has ended, such as a
    /// temporary directory that the child works in. A second call replaces the first value.
    ///
    /// [`PeerHandle::wait_group`](crate::PeerHandle::wait_group) resolves after that.
    /// If the child can't be started, the value is dropped with the transport.
    #[must_use]
    pub fn attach(mut self, value: impl Send + 'static) -> Self {
        self.attachments = Some(Box::new(value));
        self
    }
}

impl Transport for ProcessTransport {
    type Source = ProcessSource;
    type Sink = ProcessSink;
    type Handle = ProcessHandle;

    /// Keeps the child's input open if this program is killed, and sends SIGTERM at once.
    ///
    /// The [guard](Self::guard) also holds the input, so that the child receives SIGTERM first.
    /// When this program ends the input, the guard closes its copy.
    /// Without a guard this has no effect.
    fn hold_input(&mut self) {
        self.holds_input = true;
    }

    /// Starts the process.
    ///
    /// Must be called in a tokio runtime with I/O enabled, where the pipes are registered.
    /// Otherwise the error is [`TransportError::Io`]; if I/O is disabled, tokio also prints a panic message.
    async fn open(self) -> Result<Connected<ProcessSource, ProcessSink, ProcessHandle>, TransportError> {
        start::start(self)
    }
}

debug_by_name!(ProcessTransport { launch, grace, guard, holds_input, stderr_bound });

/// Room for a stack trace or a usage text, in bytes.
const STDERR_TAIL: usize = 16 * 1024;
