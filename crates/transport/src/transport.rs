//! The transport contract: traits that move bytes, and report and control the end of the peer.

use std::{
    future::{Future, pending},
    time::Duration,
};

use bytes::Bytes;

use crate::error::{ExitReport, TransportError};

/// A connection to an agent CLI that has not been opened yet.
///
/// A transport carries bytes, and does not interpret lines or JSON.
/// Opening it returns a [`Connected`]: a source, a sink and a handle. Each is owned separately, so that reading and writing
/// run concurrently without a lock.
pub trait Transport: Send {
    /// The peer's output.
    type Source: ByteSource + 'static;
    /// The peer's input.
    type Sink: ByteSink + 'static;
    /// The handle to the peer.
    type Handle: PeerHandle + 'static;

    /// Requests that the peer receive SIGTERM before the end of its input if this program or the connection ends.
    ///
    /// A session with a hook that can refuse calls it before `open`: at the end of its input, the CLI proceeds with
    /// every action that no hook has decided yet. Such a session ends the input only while the CLI is idle, so
    /// [`ByteSink::finish`] may terminate the peer too.
    ///
    /// By default this does nothing, and hooks block nothing once the connection has ended.
    /// A transport that wraps another must forward it.
    fn hold_input(&mut self) {}

    /// Starts or connects to the peer.
    ///
    /// # Errors
    ///
    /// A [`TransportError`] if the peer can't be started or reached.
    /// A failed `open` leaves no process, thread or descriptor behind.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves nothing behind either. A session drops it after the limit of its handshake.
    #[expect(clippy::type_complexity, reason = "three parts have three types; an alias would hide which")]
    fn open(
        self,
    ) -> impl Future<Output = Result<Connected<Self::Source, Self::Sink, Self::Handle>, TransportError>> + Send;
}

/// The three parts of an open transport.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "implementers of `Transport` build it; three parts are the contract"
)]
pub struct Connected<So, Si, L> {
    /// The peer's output.
    pub source: So,
    /// The peer's input.
    pub sink: Si,
    /// The handle to the peer. Dropping it ends the peer.
    pub handle: L,
}

/// The peer's output.
pub trait ByteSource: Send {
    /// Waits for the next chunk of output. A chunk is not empty, and may start and end anywhere in the stream.
    ///
    /// Returns `Ok(None)` at the clean end of output, and at every later call.
    /// An abnormal end is one `Err`, after all bytes that the peer wrote before it. Later calls return `Ok(None)`.
    ///
    /// # Cancel safety
    ///
    /// Implementations need not be cancel-safe: callers poll the future to completion or drop the source.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] if reading fails.
    fn read(&mut self) -> impl Future<Output = Result<Option<Bytes>, TransportError>> + Send;
}

/// The peer's input.
pub trait ByteSink: Send {
    /// Writes one chunk, and waits until the transport has accepted all of it.
    ///
    /// Chunks arrive in the order of the calls.
    /// Waiting provides backpressure: a sink must not buffer without a limit.
    ///
    /// # Cancel safety
    ///
    /// Implementations need not be cancel-safe: callers poll the future to completion or drop the sink.
    ///
    /// # Errors
    ///
    /// [`TransportError::Closed`] if the peer no longer reads its input, [`TransportError::Io`] if writing fails.
    fn write(&mut self, chunk: Bytes) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Ends the peer's input, after all chunks written before.
    ///
    /// A second call does nothing.
    ///
    /// # Cancel safety
    ///
    /// As [`ByteSink::write`].
    ///
    /// # Errors
    ///
    /// As [`ByteSink::write`].
    fn finish(&mut self) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Returns a function that writes a chunk on the caller's thread, without waiting. By default there is none.
    ///
    /// It saves the switch to the task that owns the sink, and is called only while no other method is in progress.
    /// It returns whether the whole chunk is written. If not, the next [`write`](Self::write) first writes the
    /// rest, or returns why it can't.
    /// A session calls it under its lock: it must not block, panic or call the session.
    fn write_now(&self) -> Option<WriteNow> {
        None
    }

    /// Accepts data that was never written, maybe none, right before the sink is dropped, also after
    /// [`finish`](Self::finish).
    ///
    /// A sink that can write without the caller's runtime writes it in the background with a time limit, after the rest of
    /// a half-written chunk.
    /// By default the data is lost.
    fn flush_detached(&mut self, rest: Bytes) {
        drop(rest);
    }
}

/// A function that writes a chunk without waiting: see [`ByteSink::write_now`].
pub type WriteNow = Box<dyn Fn(Bytes) -> bool + Send>;

/// A handle to the peer, which reports its end and can end it.
///
/// Dropping the handle ends the peer: gracefully first, then by force, with a time limit, and without the caller's runtime.
/// The provided methods are for transports without a process: such a peer ends when the handle and the sink are
/// dropped.
pub trait PeerHandle: Send + Sync {
    /// Waits until the peer has ended. Returns the same report each time.
    ///
    /// The output may end before or after the peer, so watch both.
    /// Cancel-safe; any number of tasks may wait at once.
    fn wait(&self) -> impl Future<Output = ExitReport> + Send {
        pending()
    }

    /// Waits until the peer is reaped and the processes that it started have ended.
    ///
    /// Resolves with or after [`PeerHandle::wait`], within a time limit; by default, with it.
    /// A handle that wraps another must forward this, otherwise `close` of a session does not wait for the other processes.
    /// Cancel-safe; any number of tasks may wait at once.
    fn wait_group(&self) -> impl Future<Output = ()> + Send {
        async {
            self.wait().await;
        }
    }

    /// Signals the peer and the processes that it started.
    ///
    /// Returns at once; [`PeerHandle::wait`] resolves when the peer has ended.
    /// Succeeds if the peer has ended already.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] if the system refuses.
    fn signal(&self, _signal: Signal) -> Result<(), TransportError> {
        Ok(())
    }

    /// Limits the grace periods after the end of input and after SIGTERM.
    ///
    /// Called before the handle is dropped, for a peer that received no work and so has nothing to finish.
    /// By default this does nothing.
    /// A handle that wraps another must forward it.
    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        let _ = (after_input, after_terminate);
    }

    /// Returns whether the peer is a process, so that [`PeerHandle::wait`] resolves after the end of output.
    /// A handle that wraps another must forward it.
    fn has_process(&self) -> bool {
        false
    }

    /// Returns the end of the peer's stderr, for error messages. Empty by default.
    /// A session adds it to a report of [`PeerHandle::wait`] that contains no stderr.
    /// A handle that wraps another must forward it.
    fn stderr_tail(&self) -> String {
        String::new()
    }
}

/// A signal that ends a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// SIGTERM to the process group: requests an orderly end.
    Term,
    /// SIGKILL to the process group: ends it by force.
    Kill,
}

/// A handle for transports without a process.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoProcess;

impl PeerHandle for NoProcess {}
