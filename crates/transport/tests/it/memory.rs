//! The in-process pair: order, backpressure, end, cancellation.

use std::{
    io,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use agentwire_transport::{
    ByteSink, ByteSource, Connected, ExitReport, MemoryPeer, MemoryPeerHandle, MemorySink, MemorySource,
    PeerHandle, Signal, Transport, TransportError, memory,
};
use bytes::Bytes;

use crate::run;

type Opened = Connected<MemorySource, MemorySink, MemoryPeerHandle>;

fn opened(capacity: usize) -> (Opened, MemoryPeer) {
    let (transport, peer) = memory(capacity);
    (run(transport.open()).unwrap(), peer)
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

async fn read_all(source: &mut MemorySource) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(chunk) = source.read().await.unwrap() {
        assert!(!chunk.is_empty());
        all.extend_from_slice(&chunk);
    }
    all
}

#[test]
fn bytes_arrive_in_order_through_a_capacity_of_one() {
    let (mut link, peer) = opened(1);
    let local = tokio::task::LocalSet::new();
    run(local.run_until(async move {
        let writing = tokio::task::spawn_local(async move {
            link.sink.write(Bytes::from_static(b"hello ")).await.unwrap();
            link.sink.write(Bytes::new()).await.unwrap();
            link.sink.write(Bytes::from_static(b"peer")).await.unwrap();
            link.sink.finish().await.unwrap();
            link.sink.finish().await.unwrap();
            read_all(&mut link.source).await
        });
        let mut received = Vec::new();
        while let Some(chunk) = peer.read().await {
            assert_eq!(chunk.len(), 1);
            received.extend_from_slice(&chunk);
        }
        assert_eq!(received, b"hello peer");
        peer.write("hello host").await.unwrap();
        peer.close_output();
        assert_eq!(writing.await.unwrap(), b"hello host");
    }));
}

#[test]
fn full_pipe_blocks_the_writer() {
    let (mut link, peer) = opened(4);
    {
        let mut write = pin!(link.sink.write(Bytes::from_static(b"123456")));
        assert!(poll_once(write.as_mut()).is_pending());
        assert_eq!(run(peer.read()).unwrap(), "1234");
        assert!(poll_once(write.as_mut()).is_ready());
    }
    assert_eq!(run(peer.read()).unwrap(), "56");
}

#[test]
fn dropped_write_is_continued_by_the_next() {
    let (mut link, peer) = opened(2);
    assert!(poll_once(pin!(link.sink.write(Bytes::from_static(b"abcd")))).is_pending());
    assert_eq!(run(peer.read()).unwrap(), "ab");
    assert!(poll_once(pin!(link.sink.write(Bytes::from_static(b"ef")))).is_pending());
    assert_eq!(run(peer.read()).unwrap(), "cd");
    run(link.sink.finish()).unwrap();
    assert_eq!(run(peer.read()).unwrap(), "ef");
    assert_eq!(run(peer.read()), None);
}

#[test]
fn dropped_read_loses_nothing() {
    let (mut link, peer) = opened(8);
    assert!(poll_once(pin!(link.source.read())).is_pending());
    run(peer.write("kept")).unwrap();
    assert_eq!(run(link.source.read()).unwrap().unwrap(), "kept");
}

#[test]
fn error_comes_once_and_after_the_bytes() {
    let (mut link, peer) = opened(8);
    run(peer.write("last")).unwrap();
    peer.break_output(TransportError::Io { action: "reading", source: io::Error::other("cut") });
    assert_eq!(run(link.source.read()).unwrap().unwrap(), "last");
    assert!(matches!(run(link.source.read()), Err(TransportError::Io { .. })));
    assert_eq!(run(link.source.read()).unwrap(), None);
    assert_eq!(run(link.source.read()).unwrap(), None);
}

#[test]
fn write_fails_without_a_reader() {
    let (mut link, peer) = opened(1);
    peer.close_input();
    assert!(matches!(run(link.sink.write(Bytes::from_static(b"x"))), Err(TransportError::Closed)));
    drop(link.source);
    assert!(matches!(run(peer.write("x")), Err(TransportError::Closed)));
}

#[test]
fn rest_of_a_write_is_dropped_once_the_input_is_closed() {
    let (mut link, peer) = opened(1);
    let chunk = Bytes::from(vec![b'x'; 100]);
    assert!(poll_once(pin!(link.sink.write(chunk.clone()))).is_pending());
    peer.close_input();
    assert!(matches!(run(link.sink.finish()), Err(TransportError::Closed)));
    assert!(run(link.sink.finish()).is_ok(), "a second call does nothing");
    assert!(chunk.is_unique());
}

#[test]
fn waiting_write_fails_when_the_peer_is_dropped() {
    let (mut link, peer) = opened(1);
    let mut write = pin!(link.sink.write(Bytes::from_static(b"123")));
    assert!(poll_once(write.as_mut()).is_pending());
    drop(peer);
    assert!(matches!(poll_once(write.as_mut()), Poll::Ready(Err(TransportError::Closed))));
}

#[test]
fn every_wait_gets_the_same_report() {
    let (link, peer) = opened(1);
    let (mut one, mut two) = (pin!(link.handle.wait()), pin!(link.handle.wait()));
    assert!(poll_once(one.as_mut()).is_pending());
    assert!(poll_once(two.as_mut()).is_pending());
    peer.end(ExitReport::exited(3));
    peer.end(ExitReport::exited(4));
    assert_eq!(run(one), ExitReport::exited(3));
    assert_eq!(run(two), ExitReport::exited(3));
    assert_eq!(run(link.handle.wait()), ExitReport::exited(3));
}

#[test]
fn peer_sees_signals_and_release() {
    let (link, peer) = opened(1);
    peer.set_stderr_tail("warning");
    assert_eq!(link.handle.stderr_tail(), "warning");
    link.handle.signal(Signal::Term).unwrap();
    link.handle.signal(Signal::Kill).unwrap();
    assert_eq!(run(peer.terminated()), Signal::Term);
    assert_eq!(peer.terminations(), [Signal::Term, Signal::Kill]);
    let mut released = pin!(peer.released());
    assert!(poll_once(released.as_mut()).is_pending());
    drop(link.handle);
    run(released);
    assert_eq!(run(peer.read()), None);
}

#[test]
fn dropped_peer_has_ended() {
    let (mut link, peer) = opened(8);
    run(peer.write("bye")).unwrap();
    drop(peer);
    assert_eq!(run(link.source.read()).unwrap().unwrap(), "bye");
    assert_eq!(run(link.source.read()).unwrap(), None);
    assert_eq!(run(link.handle.wait()), ExitReport::default());
}

#[test]
fn written_chunk_is_not_kept() {
    let (mut link, peer) = opened(1000);
    let chunk = Bytes::from(vec![b'x'; 1000]);
    run(link.sink.write(chunk.clone())).unwrap();
    assert_eq!(run(peer.read()).unwrap(), chunk);
    assert!(chunk.is_unique());
}
