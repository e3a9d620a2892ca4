//! Transports that hang, panic or cannot signal their peer.

use std::{future::pending, io, time::Duration};

use agentwire::{
    EndedBy, Session,
    transport::{
        ByteSource, Connected, ExitReport, MemoryPeerHandle, MemorySink, MemorySource, MemoryTransport,
        PeerHandle, Signal, Transport, TransportError, memory,
    },
};
use bytes::Bytes;

use crate::peer::Peer;

struct NeverOpens;

impl Transport for NeverOpens {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = MemoryPeerHandle;

    async fn open(self) -> Result<Connected<MemorySource, MemorySink, MemoryPeerHandle>, TransportError> {
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn transport_that_never_opens_fails_after_the_limit_of_the_handshake() {
    let limit = Duration::from_secs(3);
    let start = tokio::time::Instant::now();
    let error = Session::builder().transport(NeverOpens).handshake_limit(limit).connect().await.unwrap_err();
    let report = error.report().to_string();
    assert!(
        report.contains("opening the connection failed") && report.contains("`handshake_limit` of 3s"),
        "{report}"
    );
    assert_eq!(start.elapsed(), limit);
}

/// A transport whose source panics at a message, and whose handle cannot send SIGTERM.
struct Faulty(MemoryTransport);

struct Panicking(MemorySource);

struct NoTerm(MemoryPeerHandle);

impl Transport for Faulty {
    type Source = Panicking;
    type Sink = MemorySink;
    type Handle = NoTerm;

    async fn open(self) -> Result<Connected<Panicking, MemorySink, NoTerm>, TransportError> {
        let Connected { source, sink, handle } = self.0.open().await?;
        Ok(Connected { source: Panicking(source), sink, handle: NoTerm(handle) })
    }
}

impl ByteSource for Panicking {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let read = self.0.read().await?;
        assert!(read.as_ref().is_none_or(|bytes| !bytes.starts_with(b"{\"type\":\"panic\"")), "as told");
        Ok(read)
    }
}

impl PeerHandle for NoTerm {
    async fn wait(&self) -> ExitReport {
        self.0.wait().await
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        match signal {
            Signal::Kill => self.0.signal(signal),
            _ => {
                Err(TransportError::Io { action: "signalling the pod", source: io::Error::other("no route") })
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn peer_that_cannot_be_sent_sigterm_is_killed() {
    let (transport, peer) = memory(1 << 16);
    let mut peer = Peer::new(peer);
    let connecting = Session::builder().transport(Faulty(transport)).connect();
    let (session, ()) = tokio::join!(connecting, async { drop(peer.shake_hands().await) });
    let killed = async {
        assert_eq!(peer.raw.terminated().await, Signal::Kill);
        peer.exit(ExitReport::signalled(9));
    };
    let (closed, ()) = tokio::join!(session.unwrap().close(), killed);
    assert_eq!(closed.unwrap().by, EndedBy::Killed);
}

#[tokio::test(start_paused = true)]
async fn panic_of_a_transport_is_an_error_that_names_it() {
    let (transport, peer) = memory(1 << 16);
    let mut peer = Peer::new(peer);
    let connecting = Session::builder().transport(Faulty(transport)).connect();
    let (session, ()) = tokio::join!(connecting, async { drop(peer.shake_hands().await) });
    let mut session = session.unwrap();
    peer.say(serde_json::json!({"type": "panic"})).await;
    let error = session.next().await.unwrap().unwrap_err().report().to_string();
    assert!(error.contains("aborted by a panic"), "{error}");
    let error = session.close().await.unwrap_err().report().to_string();
    assert!(error.contains("aborted by a panic"), "{error}");
}
