//! An in-process transport with a bounded capacity each way, for tests that play the peer.
//!
//! A capacity of 1 exercises every place where one side waits for the other.

mod peer;
mod pipe;

use std::sync::Arc;

use bytes::Bytes;

pub use self::peer::MemoryPeer;
use self::pipe::Pipe;
use crate::{
    error::{ExitReport, TransportError},
    lock::Lock,
    once_event::OnceEvent,
    transport::{ByteSink, ByteSource, Connected, PeerHandle, Signal, Transport},
};

/// Creates a transport to a peer in the same process, and that peer.
///
/// Each direction holds at most `capacity` bytes, and at least one; a writer waits for room.
/// Larger chunks are split.
pub fn memory(capacity: usize) -> (MemoryTransport, MemoryPeer) {
    let shared = Arc::new(Shared {
        input: Pipe::new(capacity),
        output: Pipe::new(capacity),
        ended: OnceEvent::new(),
        released: OnceEvent::new(),
        terminations: Lock::new(Vec::new()),
        first_termination: OnceEvent::new(),
        stderr: Lock::new(String::new()),
    });
    let link = Connected {
        source: MemorySource { shared: Arc::clone(&shared) },
        sink: MemorySink { shared: Arc::clone(&shared), rest: Bytes::new() },
        handle: MemoryPeerHandle { shared: Arc::clone(&shared) },
    };
    (MemoryTransport { link }, MemoryPeer { shared })
}

/// The host's side of [`memory`]. Opening it never fails.
#[derive(Debug)]
pub struct MemoryTransport {
    link: Connected<MemorySource, MemorySink, MemoryPeerHandle>,
}

impl Transport for MemoryTransport {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = MemoryPeerHandle;

    async fn open(self) -> Result<Connected<MemorySource, MemorySink, MemoryPeerHandle>, TransportError> {
        Ok(self.link)
    }
}

/// The output of a [`MemoryPeer`]. Reads are cancel-safe. After it is dropped, the peer's writes fail.
pub struct MemorySource {
    shared: Arc<Shared>,
}

impl ByteSource for MemorySource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        self.shared.output.read().await
    }
}

impl Drop for MemorySource {
    fn drop(&mut self) {
        self.shared.output.abandon();
    }
}

/// The input of a [`MemoryPeer`]. Dropping it ends the peer's input.
///
/// If a `write` future is dropped halfway, the next `write` or `finish` writes the rest of its chunk first.
pub struct MemorySink {
    shared: Arc<Shared>,
    /// The part of the last chunk that is not written yet.
    rest: Bytes,
}

impl MemorySink {
    async fn flush(&mut self) -> Result<(), TransportError> {
        self.shared.input.write(&mut self.rest).await
    }
}

impl ByteSink for MemorySink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        self.flush().await?;
        self.rest = chunk;
        self.flush().await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        if !self.rest.is_empty() {
            self.flush().await?;
        }
        self.shared.input.close(None);
        Ok(())
    }

    fn flush_detached(&mut self, rest: Bytes) {
        for chunk in [std::mem::take(&mut self.rest), rest] {
            self.shared.input.push_unbounded(chunk);
        }
    }
}

impl Drop for MemorySink {
    fn drop(&mut self) {
        self.shared.input.close(None);
    }
}

/// The handle to a [`MemoryPeer`], which ends when the test calls [`MemoryPeer::end`].
///
/// Dropping the handle ends the peer's input and resolves [`MemoryPeer::released`].
pub struct MemoryPeerHandle {
    shared: Arc<Shared>,
}

impl PeerHandle for MemoryPeerHandle {
    async fn wait(&self) -> ExitReport {
        self.shared.ended.wait().await
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        if self.shared.ended.get().is_none() {
            self.shared.terminations.lock().push(signal);
            self.shared.first_termination.set(signal);
        }
        Ok(())
    }

    fn stderr_tail(&self) -> String {
        self.shared.stderr.lock().clone()
    }
}

impl Drop for MemoryPeerHandle {
    fn drop(&mut self) {
        self.shared.input.close(None);
        self.shared.released.set(());
    }
}

debug_by_name!(MemorySource, MemorySink, MemoryPeerHandle);

struct Shared {
    /// From the host to the peer.
    input: Pipe,
    /// From the peer to the host.
    output: Pipe,
    ended: OnceEvent<ExitReport>,
    released: OnceEvent<()>,
    terminations: Lock<Vec<Signal>>,
    first_termination: OnceEvent<Signal>,
    stderr: Lock<String>,
}
