//! Records the traffic of a transport while a session runs over it.
//!
//! [`Recorder::record`] wraps any transport; the session does not notice.
//! The [`Recorder`] is a shared handle, and gives the [`Transcript`] at the end.
//!
//! The order of the entries is the order in which our side saw them: a line to the CLI is recorded before it is passed
//! on, so that no answer can precede it, and a line from the CLI when it was read.
//!
//! ```
//! use agentwire_testkit::{transcript::Entry, Recorder};
//! use agentwire_transport::{ByteSink, Transport, memory};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (transport, _peer) = memory(64);
//! let recorder = Recorder::new();
//! let mut link = recorder.record(transport).open().await?;
//! link.sink.write("{\"type\":\"keep_alive\"}\n".into()).await?;
//! let session = recorder.transcript()?;
//! assert_eq!(session.entries, [Entry::Outbound("{\"type\":\"keep_alive\"}".into())]);
//! # Ok(())
//! # }
//! ```

mod link;
pub(crate) mod tape;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use agentwire_transport::{Connected, Transport, TransportError};

pub use link::{RecordingPeer, RecordingSink, RecordingSource};
use tape::Tape;

use crate::{Argv, Transcript};

/// The handle of a recording; clones share it.
#[derive(Clone, Debug)]
pub struct Recorder {
    tape: Arc<Mutex<Tape>>,
}

/// A transport that records its traffic.
#[derive(Debug)]
pub struct Recording<T> {
    inner: T,
    recorder: Recorder,
}

/// A session that was too long to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has more than the {limit} bytes that may be recorded")]
#[non_exhaustive]
pub struct TooLong {
    /// The limit that was exceeded.
    pub limit: usize,
}

impl Recorder {
    /// Creates an empty recording with a limit of 256 MiB.
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// Creates an empty recording with a limit in bytes of memory.
    ///
    /// A longer session goes on undisturbed, but has no transcript.
    pub fn with_limit(bytes: usize) -> Self {
        Self { tape: Arc::new(Mutex::new(Tape::new(bytes))) }
    }

    /// Also records pauses from now on: the milliseconds before each line.
    ///
    /// Such a recording differs from run to run, and is for reading: the page of a session then has durations.
    #[must_use]
    pub fn with_times(self) -> Self {
        self.tape().clock = Some(Instant::now());
        self
    }

    /// Wraps a transport.
    ///
    /// One recorder is for one session.
    pub fn record<T: Transport>(&self, transport: T) -> Recording<T> {
        Recording { inner: transport, recorder: self.clone() }
    }

    /// Records the arguments of the program, which a transport does not know.
    pub fn argv(&self, argv: Argv) {
        self.tape().argv = Some(argv);
    }

    /// Records a line of the CLI's stderr. Without such lines, the recording has the tail that the transport reports.
    pub fn stderr(&self, line: &str) {
        self.tape().stderr(line);
    }

    /// Records a signal that another program sent.
    pub fn signal(&self, name: &str) {
        self.tape().signalled(name);
    }

    /// Returns the recording so far.
    ///
    /// The header contains the version that the CLI reports when a turn starts (`unknown` before that), and the system.
    /// The end of the CLI is the last entry. After it was seen, only output is recorded, which is often read late.
    /// A last line without a line feed is included once its stream has ended, with a comment that marks it.
    ///
    /// # Errors
    ///
    /// [`TooLong`] when the session went past the limit.
    pub fn transcript(&self) -> Result<Transcript, TooLong> {
        self.tape().transcript()
    }

    /// Locks the tape. Its methods keep it consistent, so a panic elsewhere does no harm.
    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Transport> Transport for Recording<T> {
    type Source = RecordingSource<T::Source>;
    type Sink = RecordingSink<T::Sink>;
    type Handle = RecordingPeer<T::Handle>;

    fn hold_input(&mut self) {
        self.inner.hold_input();
    }

    async fn open(self) -> Result<Connected<Self::Source, Self::Sink, Self::Handle>, TransportError> {
        let Connected { source, sink, handle } = self.inner.open().await?;
        Ok(Connected {
            source: RecordingSource { inner: source, recorder: self.recorder.clone() },
            sink: RecordingSink { inner: sink, recorder: self.recorder.clone() },
            handle: RecordingPeer { inner: handle, recorder: self.recorder },
        })
    }
}

const LIMIT: usize = 256 << 20;
