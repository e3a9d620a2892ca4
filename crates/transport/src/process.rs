//! The CLI as a child process, on tokio's pipes and a few small threads.
//!
//! The threads are there so that nothing about the child's end depends on the caller's runtime: one waits for the
//! process and drains its stderr, and another, only while closing, sees to the order *end of input, grace, SIGTERM, grace,
//! SIGKILL*.
//! Stderr has a thread of its own where there is a callback for its lines, and where the system is not Linux.
//! Signals always go to the child's own process group, and only while its leader is not reaped yet, so that they can
//! never reach a stranger that got the same id.
//! Should this program itself be killed, a small guard process in that group does the same in its place.
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

mod alarm;
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
mod running;
mod start;
mod stderr;
mod version;
mod watch;

use std::{any::Any, fmt, sync::Arc};

use self::stderr::StderrSink;
pub use self::{
    grace::Grace,
    handle::ProcessHandle,
    input::ProcessSink,
    launch::Launch,
    locate::{AGENTWIRE_CLI, Search, locate},
    output::ProcessSource,
    version::Version,
};
use crate::{
    error::TransportError,
    transport::{Connected, Transport},
};

/// The CLI as a child process that has not been started yet.
pub struct ProcessTransport {
    launch: Launch,
    grace: Grace,
    guard: bool,
    holds_input: bool,
    stderr_bound: usize,
    on_stderr: Option<StderrSink>,
    keep: Option<Kept>,
}

/// What lives as long as the child.
type Kept = Box<dyn Any + Send>;

impl ProcessTransport {
    /// Will start this program, with the default [`Grace`], and keep the last 16 KiB of its stderr.
    pub fn new(launch: Launch) -> Self {
        let grace = Grace::default();
        Self {
            launch,
            grace,
            guard: true,
            holds_input: false,
            stderr_bound: STDERR_TAIL,
            on_stderr: None,
            keep: None,
        }
    }

    /// How long to wait at each step of the child's end.
    #[must_use]
    pub fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    /// Whether a guard sees to the child's end where this program can't, because it was killed or has ended first.
    /// On by default.
    ///
    /// The guard is a shell (`/bin/sh`, about a megabyte) in the child's process group, which sleeps as long as this
    /// program lives.
    /// Then it gives the child the time of [`Grace::orphaned`], ends the group with SIGTERM, and after
    /// [`Grace::after_terminate`] with SIGKILL; it leaves as soon as the group is empty.
    /// It has none of this program's descriptors but one end of a pipe, and signals no process outside its group.
    ///
    /// It is started five milliseconds after the child, so that the child is there as soon as without it, and takes about
    /// a millisecond, on a busy machine some more: a program that is killed within that time leaves a child that is told
    /// by the end of its pipes alone, as without a guard.
    /// A child that ends within that time, and leaves nobody in its group, has none.
    /// On Linux it gives way to what else is to be computed: its nice value is 10 more than this program's.
    /// Where it can't be started the child is started all the same, and [`ProcessHandle::unguarded`] says why.
    #[must_use]
    pub fn guard(mut self, guard: bool) -> Self {
        self.guard = guard;
        self
    }

    /// Whether the child's input stays open after this program was killed, and SIGTERM comes at once.
    /// Off by default.
    ///
    /// For a child that asks for leave and goes ahead when its input ends: the [guard](Self::guard) holds the input too,
    /// so that the child never sees it end before SIGTERM.
    /// Where this program itself ends the input, the guard lets go of it.
    /// Without a guard it has no effect.
    #[must_use]
    pub fn hold_input(mut self, hold: bool) -> Self {
        self.holds_input = hold;
        self
    }

    /// How many bytes of stderr to keep for [`ExitReport::stderr_tail`](crate::ExitReport::stderr_tail).
    #[must_use]
    pub fn stderr_tail(mut self, bytes: usize) -> Self {
        self.stderr_bound = bytes;
        self
    }

    /// Calls this for each line of stderr, without its newline, lossily decoded, in pieces where it is over 8 KiB.
    ///
    /// It runs on the thread that drains stderr and must not block for long: the child waits meanwhile, once its
    /// stderr pipe is full.
    /// After a panic it is not called again; stderr is drained all the same.
    #[must_use]
    pub fn on_stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(sink));
        self
    }

    /// Keeps this until the child is reaped and its group has ended, and drops it then, on a thread of ours: such as
    /// what removes a folder that the child works in.
    ///
    /// [`PeerHandle::wait_group`](crate::PeerHandle::wait_group) comes after that.
    /// Where the child can't be started it is dropped with the transport.
    #[must_use]
    pub fn keep(mut self, kept: impl Send + 'static) -> Self {
        self.keep = Some(Box::new(kept));
        self
    }
}

impl Transport for ProcessTransport {
    type Source = ProcessSource;
    type Sink = ProcessSink;
    type Handle = ProcessHandle;

    /// Starts the process.
    ///
    /// Must be called in a tokio runtime, with I/O enabled: the pipes are registered there.
    /// Without one, the error is [`TransportError::Io`]; where I/O is disabled, tokio prints a panic message too.
    async fn open(self) -> Result<Connected<ProcessSource, ProcessSink, ProcessHandle>, TransportError> {
        start::start(self)
    }
}

impl fmt::Debug for ProcessTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessTransport")
            .field("launch", &self.launch)
            .field("grace", &self.grace)
            .field("guard", &self.guard)
            .field("holds_input", &self.holds_input)
            .field("stderr_bound", &self.stderr_bound)
            .field("on_stderr", &self.on_stderr.is_some())
            .finish()
    }
}

/// Enough for a stack trace or a usage text.
const STDERR_TAIL: usize = 16 * 1024;
