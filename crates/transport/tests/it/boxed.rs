//! The type-erased transports forward every call.

use std::sync::Arc;

use agentwire_transport::{
    BoxPeerHandle, BoxSink, BoxTransport, ByteSink, ByteSource, Connected, ExitReport, MemoryPeerHandle,
    MemorySink, MemorySource, PeerHandle, Signal, Transport, TransportError, WriteNow, memory,
};
use bytes::Bytes;

use crate::run;

#[test]
fn boxes_forward_every_call() {
    let (transport, peer) = memory(16);
    run(async {
        // Boxing twice proves that the boxes are transports themselves.
        let mut link = BoxTransport::new(BoxTransport::new(transport)).open().await.unwrap();
        link.sink.write(Bytes::from_static(b"in")).await.unwrap();
        link.sink.finish().await.unwrap();
        assert_eq!(peer.read().await.unwrap(), "in");
        assert_eq!(peer.read().await, None);
        peer.write("out").await.unwrap();
        peer.close_output();
        assert_eq!(link.source.read().await.unwrap().unwrap(), "out");
        assert_eq!(link.source.read().await.unwrap(), None);
        peer.set_stderr_tail("noise");
        assert_eq!(link.handle.stderr_tail(), "noise");
        link.handle.signal(Signal::Term).unwrap();
        assert_eq!(peer.terminated().await, Signal::Term);
        peer.end(ExitReport::signalled(15));
        assert_eq!(link.handle.wait().await, ExitReport::signalled(15));
        drop(link.handle);
        peer.released().await;
    });
}

#[test]
fn failed_open_keeps_its_error() {
    let error = run(BoxTransport::new(Refused).open()).unwrap_err();
    assert!(matches!(error, TransportError::Closed));
}

#[test]
fn links_of_different_transports_have_one_type() {
    let (one, _one_peer) = memory(1);
    let (two, _two_peer) = memory(2);
    run(async {
        let links = [one.open().await.unwrap().boxed(), two.open().await.unwrap().boxed()];
        assert_eq!(links.len(), 2);
    });
}

#[test]
fn wait_group_is_forwarded_by_boxes_and_arcs() {
    let handle = Arc::new(BoxPeerHandle::new(BoxPeerHandle::new(Reaped)));
    // By default this would wait for an end that never comes.
    run(handle.wait_group());
}

#[test]
fn write_now_is_forwarded_by_boxes() {
    let write_now = BoxSink::new(BoxSink::new(Direct)).write_now().unwrap();
    assert!(write_now(Bytes::from_static(b"taken")) && !write_now(Bytes::new()));
}

struct Direct;

impl ByteSink for Direct {
    async fn write(&mut self, _: Bytes) -> Result<(), TransportError> {
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        Ok(())
    }

    fn write_now(&self) -> Option<WriteNow> {
        Some(Box::new(|chunk| chunk == "taken"))
    }
}

struct Reaped;

impl PeerHandle for Reaped {
    async fn wait_group(&self) {}
}

struct Refused;

impl Transport for Refused {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = MemoryPeerHandle;

    async fn open(self) -> Result<Connected<MemorySource, MemorySink, MemoryPeerHandle>, TransportError> {
        Err(TransportError::Closed)
    }
}
