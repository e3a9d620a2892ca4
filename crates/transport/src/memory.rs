//! An in-process transport with a bounded capacity each way: tests play the peer, and a capacity of 1 shows every
//! place where one side waits for the other.

mod peer;
mod pipe;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;

pub use self::peer::MemoryPeer;
use self::pipe::Pipe;
use crate::{
    error::{ExitReport, TransportError},
    settled::Settled,
    transport::{ByteSink, ByteSource, Connected, PeerHandle, Signal, Transport},
};

/// A transport to a peer in the same process, and that peer.
///
/// Each direction holds at most `capacity` bytes (at least one); a writer waits for room.
/// Chunks larger than the capacity go through in pieces.
pub fn memory(capacity: usize) -> (MemoryTransport, MemoryPeer) {
    let shared = Arc::new(Shared {
        input: Pipe::new(capacity),
        output: Pipe::new(capacity),
        ended: Settled::new(),
        released: Settled::new(),
        terminations: Mutex::new(Vec::new()),
        first_termination: Settled::new(),
        stderr: Mutex::new(String::new()),
    });
    let link = Connected {
        source: MemorySource { shared: Arc::clone(&shared) },
        sink: MemorySink { shared: Arc::clone(&shared), rest: Bytes::new() },
        handle: MemoryPeerHandle { shared: Arc::clone(&shared) },
    };
    (MemoryTransport { link }, MemoryPeer::new(shared))
}

/// The host's side of [`memory`], not opened yet. Opening it never fails.
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

/// What a [`MemoryPeer`] writes. Cancel-safe. Dropped: the peer's writes fail.
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

/// What a [`MemoryPeer`] reads. Dropped: the peer's input ends.
///
/// A `write` whose future is dropped half-way is gone on with by the next `write` or `finish`.
pub struct MemorySink {
    shared: Arc<Shared>,
    /// What the pipe has not taken yet, of the chunk that was handed over last.
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
            self.shared.input.leave(chunk);
        }
    }
}

impl Drop for MemorySink {
    fn drop(&mut self) {
        self.shared.input.close(None);
    }
}

/// The life of a [`MemoryPeer`]: it ends when the test says so.
///
/// Dropping it ends the peer's input, and is seen by [`MemoryPeer::released`].
pub struct MemoryPeerHandle {
    shared: Arc<Shared>,
}

impl PeerHandle for MemoryPeerHandle {
    async fn wait(&self) -> ExitReport {
        self.shared.ended.wait().await
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        if self.shared.ended.value().is_none() {
            self.shared.terminations.lock().unwrap_or_else(PoisonError::into_inner).push(signal);
            self.shared.first_termination.settle(signal);
        }
        Ok(())
    }

    fn stderr_tail(&self) -> String {
        self.shared.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for MemoryPeerHandle {
    fn drop(&mut self) {
        self.shared.input.close(None);
        self.shared.released.settle(());
    }
}

macro_rules! debug_by_name {
    ($($name:ident),*) => { $(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )* };
}

debug_by_name!(MemorySource, MemorySink, MemoryPeerHandle);

struct Shared {
    /// From the host to the peer.
    input: Pipe,
    /// From the peer to the host.
    output: Pipe,
    ended: Settled<ExitReport>,
    released: Settled<()>,
    terminations: Mutex<Vec<Signal>>,
    first_termination: Settled<Signal>,
    stderr: Mutex<String>,
}
