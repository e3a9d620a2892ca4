//! Frames over a transport: order, end and errors.

use std::{io, sync::Arc};

use agentwire_codec::{FrameError, Limits, WireError, WireReader, WireWriter};
use agentwire_protocol::message::UserInput;
use agentwire_transport::{
    Connected, MemoryPeer, MemoryPeerHandle, MemorySink, MemorySource, Transport, TransportError, memory,
};

type Opened = (WireReader<MemorySource>, WireWriter<MemorySink>, MemoryPeerHandle, Arc<MemoryPeer>);

async fn opened(capacity: usize, limits: Limits) -> Opened {
    let (transport, peer) = memory(capacity);
    let Connected { source, sink, handle } = transport.open().await.unwrap();
    (WireReader::new(source, limits), WireWriter::new(sink), handle, Arc::new(peer))
}

/// Returns all frames as text, and the error that ended them.
async fn read_all(reader: &mut WireReader<MemorySource>) -> (Vec<String>, Option<WireError>) {
    let mut all = Vec::new();
    loop {
        match reader.read().await {
            Ok(Some(batch)) => all.extend(batch.into_iter().map(|frame| match frame {
                Ok(frame) => frame.line.to_str().unwrap().to_owned(),
                Err(FrameError::TooLong { line, .. }) => format!("too long: {line}"),
                Err(error) => panic!("{error}"),
            })),
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error)),
        }
    }
}

#[tokio::test]
async fn frames_come_in_order_through_a_pipe_of_any_width() {
    for capacity in [1, 2, 7, 4096] {
        let (mut reader, _sink, _handle, peer) = opened(capacity, Limits::max_line(20)).await;
        let peer = tokio::spawn(async move {
            let stream = "{\"a\":1}\n\n \r\nnoise\n0123456789012345678901\n{\"last\":2}";
            peer.write(stream).await.unwrap();
            peer.close_output();
            peer
        });
        let (lines, error) = read_all(&mut reader).await;
        assert_eq!(lines, [r#"{"a":1}"#, "noise", "too long: 5", r#"{"last":2}"#]);
        assert!(error.is_none());
        assert!(reader.read().await.unwrap().is_none());
        drop(peer.await.unwrap());
    }
}

#[tokio::test]
async fn transport_error_comes_after_the_last_line() {
    let (mut reader, _sink, _handle, peer) = opened(4096, Limits::default()).await;
    peer.write("{\"a\":1}\n{\"cut\":").await.unwrap();
    peer.break_output(TransportError::Io { action: "reading", source: io::Error::other("boom") });
    let (lines, error) = read_all(&mut reader).await;
    assert_eq!(lines, [r#"{"a":1}"#, r#"{"cut":"#]);
    assert!(matches!(error, Some(WireError::Transport(TransportError::Io { .. }))), "{error:?}");
    assert!(reader.read().await.unwrap().is_none());
}

#[tokio::test]
async fn last_line_without_a_newline_is_truncated() {
    let (mut reader, _sink, _handle, peer) = opened(4096, Limits::default()).await;
    peer.write("{\"a\":1}\n{\"type\":\"resu").await.unwrap();
    peer.close_output();
    let mut unfinished = Vec::new();
    while let Some(batch) = reader.read().await.unwrap() {
        unfinished.extend(batch.into_iter().map(|frame| frame.unwrap().is_truncated));
    }
    assert_eq!(unfinished, [false, true]);
}

#[tokio::test]
async fn dropped_read_loses_nothing() {
    let (mut reader, _sink, _handle, peer) = opened(1, Limits::default()).await;
    let writer = tokio::spawn(async move {
        for number in 0..50 {
            peer.write(format!("{{\"n\":{number}}}\n")).await.unwrap();
        }
        peer.close_output();
        peer
    });
    let mut lines = Vec::new();
    loop {
        // Each future is dropped after one poll.
        let batch = tokio::select! {
            biased;
            batch = reader.read() => batch.unwrap(),
            () = tokio::task::yield_now() => continue,
        };
        let Some(batch) = batch else { break };
        lines.extend(batch.into_iter().map(|frame| frame.unwrap().line.to_str().unwrap().to_owned()));
    }
    assert_eq!(lines, (0..50).map(|number| format!("{{\"n\":{number}}}")).collect::<Vec<_>>());
    drop(writer.await.unwrap());
}

#[tokio::test]
async fn values_are_written_as_lines_and_the_input_ends() {
    let (_reader, mut writer, _handle, peer) = opened(3, Limits::default()).await;
    let read = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Some(chunk) = peer.read().await {
            all.extend_from_slice(&chunk);
        }
        String::from_utf8(all).unwrap()
    });
    writer.write(&UserInput::new("a\nb")).await.unwrap();
    writer.write_lines("{}\n".into()).await.unwrap();
    writer.finish().await.unwrap();
    writer.finish().await.unwrap();
    let text = read.await.unwrap();
    assert_eq!(text.lines().count(), 2);
    assert!(text.contains(r"a\nb") && text.ends_with("{}\n"), "{text}");
}

#[tokio::test]
async fn write_to_closed_input_is_an_error() {
    let (_reader, mut writer, _handle, peer) = opened(3, Limits::default()).await;
    peer.close_input();
    let error = writer.write_lines("{}\n".into()).await.unwrap_err();
    assert!(matches!(error, WireError::Transport(TransportError::Closed)), "{error:?}");
}
