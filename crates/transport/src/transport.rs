//! The contract: three traits that move bytes, and say when the peer is gone.

use std::{
    future::{Future, pending},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;

use crate::error::{ExitReport, TransportError};

/// A way to reach an agent CLI that has not been opened yet.
///
/// A transport knows nothing of lines or JSON.
/// Opening it gives a [`Connected`]: a source, a sink and a handle, each owned on its own, so that reading and writing
/// go on side by side without a lock.
pub trait Transport: Send {
    /// What comes from the peer.
    type Source: ByteSource + 'static;
    /// What goes to the peer.
    type Sink: ByteSink + 'static;
    /// The peer's life.
    type Handle: PeerHandle + 'static;

    /// Starts or connects to the peer.
    ///
    /// # Errors
    ///
    /// Whatever kept the peer from being reached, as [`TransportError`].
    /// A failed `open` leaves nothing behind: no process, no thread, no descriptor.
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
    /// What comes from the peer.
    pub source: So,
    /// What goes to the peer.
    pub sink: Si,
    /// The peer's life: dropping it ends the peer.
    pub handle: L,
}

/// The peer's output.
pub trait ByteSource: Send {
    /// Waits for the next piece of output, of any length but zero, split anywhere.
    ///
    /// `Ok(None)` is the clean end of output; every later call gives it again.
    /// An abnormal end is one `Err`, after every byte that the peer wrote before it was delivered; after it comes
    /// `Ok(None)`.
    ///
    /// # Cancellation
    ///
    /// The future need not be cancel-safe: the caller polls it to its end, or gives the source up.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] when reading fails.
    fn read(&mut self) -> impl Future<Output = Result<Option<Bytes>, TransportError>> + Send;
}

/// The peer's input.
pub trait ByteSink: Send {
    /// Hands over one chunk, and waits until the transport has taken all of it.
    ///
    /// Chunks arrive in the order of the calls.
    /// Waiting is the backpressure: a sink keeps no unbounded buffer.
    ///
    /// # Cancellation
    ///
    /// The future need not be cancel-safe: the caller polls it to its end, or gives the sink up.
    ///
    /// # Errors
    ///
    /// [`TransportError::Closed`] when the peer no longer takes input, [`TransportError::Io`] when writing fails.
    fn write(&mut self, chunk: Bytes) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Ends the peer's input, after everything written before.
    ///
    /// A second call does nothing.
    ///
    /// # Errors
    ///
    /// As [`ByteSink::write`].
    fn finish(&mut self) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Takes what was to be written and never was, since the sink is dropped next.
    ///
    /// A sink that can write without the caller's runtime writes it in the background, behind the rest of a chunk that is
    /// half written, in bounded time.
    /// By default it is lost.
    fn flush_detached(&mut self, rest: Bytes) {
        drop(rest);
    }
}

/// When and how the peer ended, and the power to end it.
///
/// Dropping the handle ends the peer: gently first, then by force, in bounded time, and without the caller's
/// runtime.
/// The defaults are for transports that have no process: such a peer never ends by itself, and is ended by dropping
/// the other two parts.
pub trait PeerHandle: Send + Sync {
    /// Resolves when the peer is gone, at once when it is gone already, to the same report each time.
    ///
    /// Output may still be unread then, and may end before: watch both.
    /// Cancel-safe; any number of futures may wait at once.
    fn wait(&self) -> impl Future<Output = ExitReport> + Send {
        pending()
    }

    /// Resolves when nothing is left of the peer: it is reaped, and what it started has ended with it.
    ///
    /// Comes with or after [`PeerHandle::wait`], in bounded time.
    /// By default it comes with it.
    /// A handle that wraps another must pass this on, or else a session's `close` does not wait for the rest.
    /// Cancel-safe; any number of futures may wait at once.
    fn wait_group(&self) -> impl Future<Output = ()> + Send {
        async {
            self.wait().await;
        }
    }

    /// Asks the peer, and everything that it started, to stop, or makes it stop.
    ///
    /// Returns at once; [`PeerHandle::wait`] tells when it has worked.
    /// A peer that is gone already is no error.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] when the system refuses.
    fn signal(&self, _signal: Signal) -> Result<(), TransportError> {
        Ok(())
    }

    /// Limits each step of the peer's end to these times, from the end of its input and from the request to end.
    ///
    /// Called before the handle is dropped, for a peer that was given no work and so has nothing to finish.
    /// By default it does nothing.
    /// A handle that wraps another must pass this on.
    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        let _ = (after_input, after_terminate);
    }

    /// Whether there is a process behind it, so that [`PeerHandle::wait`] will resolve after the end of output.
    fn has_process(&self) -> bool {
        false
    }

    /// The last of what the peer said beside its output (its stderr), for error messages. Empty by default.
    fn stderr_tail(&self) -> String {
        String::new()
    }
}

/// How to end a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// Ask: SIGTERM to the process group.
    Term,
    /// Make it: SIGKILL to the process group.
    Kill,
}

/// A handle for transports that have no process behind them.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoProcess;

impl PeerHandle for NoProcess {}

/// A handle may be shared: the peer is ended when the last share is dropped.
impl<L: PeerHandle> PeerHandle for Arc<L> {
    async fn wait(&self) -> ExitReport {
        (**self).wait().await
    }

    async fn wait_group(&self) {
        (**self).wait_group().await;
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        (**self).signal(signal)
    }

    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        (**self).limit_grace(after_input, after_terminate);
    }

    fn has_process(&self) -> bool {
        (**self).has_process()
    }

    fn stderr_tail(&self) -> String {
        (**self).stderr_tail()
    }
}
