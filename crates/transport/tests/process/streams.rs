//! Transfer of bytes: large, in both directions at once, cancelled, and on stderr.

use std::{
    fs,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Waker},
    time::Duration,
};

use agentwire_transport::{ByteSink, ByteSource, PeerHandle, Transport, process::ProcessTransport};
use bytes::Bytes;

use crate::support::{eventually, fake, hasty, open, patient, read_all, read_line, reaped, run};

crate::runner::tests!(streams:
    large_transfers_both_ways_at_once_are_complete, large_echo_is_complete, output_of_a_dead_peer_is_complete,
    flooded_stderr_keeps_its_tail, stderr_callback_gets_lines,
    stderr_is_drained_after_a_panic_of_the_callback, dropped_read_loses_nothing, written_chunk_is_not_kept,
    dropped_write_is_continued_by_the_next,
);

const LARGE: usize = 8_000_000;

fn large_transfers_both_ways_at_once_are_complete() {
    run(async {
        let mut link = open(&["exchange", &LARGE.to_string()], patient()).await;
        let writing = tokio::spawn(async move {
            // One chunk, much larger than a pipe.
            link.sink.write(Bytes::from(vec![b'y'; LARGE])).await.unwrap();
            link.sink.finish().await.unwrap();
        });
        assert_eq!(read_all(&mut link.source).await.len(), LARGE);
        writing.await.unwrap();
        assert_eq!(link.handle.wait().await.code, Some(0));
    });
}

fn large_echo_is_complete() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        let sent: Vec<u8> = (0..2_000_000_u32).flat_map(u32::to_le_bytes).collect();
        let chunks = sent.clone();
        let writing = tokio::spawn(async move {
            for chunk in chunks.chunks(99_991) {
                link.sink.write(Bytes::copy_from_slice(chunk)).await.unwrap();
            }
        });
        assert!(read_all(&mut link.source).await == sent);
        writing.await.unwrap();
    });
}

fn output_of_a_dead_peer_is_complete() {
    run(async {
        for _ in 0..10 {
            // Fits into the pipe, so that the peer ends before the first read. There is no grace period for its pipes.
            let mut link = open(&["spout", "60000"], hasty().drain(Duration::ZERO)).await;
            link.handle.wait().await;
            reaped(link.handle.pid());
            assert_eq!(read_all(&mut link.source).await.len(), 60_000);
        }
    });
}

fn flooded_stderr_keeps_its_tail() {
    run(async {
        let launch = fake(&["flood-stderr", "20000000"]);
        let mut link = ProcessTransport::new(launch).grace(patient()).stderr_tail(1000).open().await.unwrap();
        assert_eq!(read_line(&mut link.source).await, "done");
        eventually("the tail", || link.handle.stderr_tail().ends_with("the last line\n"));
        link.sink.finish().await.unwrap();
        let report = link.handle.wait().await;
        assert!(report.stderr_tail.ends_with("abcde\nthe last line\n"));
        assert_eq!(report.stderr_tail.len(), 1000);
    });
}

fn stderr_callback_gets_lines() {
    run(async {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let transport = ProcessTransport::new(fake(&["fail", "0", "one\r\n\ntwo \u{e9}"]))
            .grace(patient())
            .on_stderr(move |line| sink.lock().unwrap().push(line.to_owned()));
        transport.open().await.unwrap().handle.wait().await;
        assert_eq!(*lines.lock().unwrap(), ["one", "", "two \u{e9}"]);
    });
}

fn stderr_is_drained_after_a_panic_of_the_callback() {
    run(async {
        let transport = ProcessTransport::new(fake(&["flood-stderr", "1000000"]))
            .grace(patient())
            .on_stderr(|_| panic!("this panic is part of the test"));
        let mut link = transport.open().await.unwrap();
        assert_eq!(read_line(&mut link.source).await, "done");
    });
}

fn dropped_read_loses_nothing() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        for number in 0..50 {
            let sent = format!("line {number}\n");
            link.sink.write(Bytes::from(sent.clone())).await.unwrap();
            // Each read is polled once and dropped, and must not lose data.
            let mut received = Vec::new();
            while received.len() < sent.len() {
                let once = pin!(link.source.read()).poll(&mut Context::from_waker(Waker::noop()));
                match once {
                    std::task::Poll::Ready(chunk) => received.extend_from_slice(&chunk.unwrap().unwrap()),
                    std::task::Poll::Pending => tokio::task::yield_now().await,
                }
            }
            assert_eq!(received, sent.as_bytes());
        }
    });
}

fn dropped_write_is_continued_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("input");
    let name = file.display().to_string();
    run(async {
        let mut link = open(&["save-slowly", &name], patient()).await;
        read_line(&mut link.source).await;
        let first = Bytes::from(vec![b'a'; 1_000_000]);
        let write_now = link.sink.write_now().unwrap();
        assert!(write_now(Bytes::from_static(b"-")));
        assert!(pin!(link.sink.write(first)).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(!write_now(Bytes::from_static(b"a")));
        fs::write(format!("{name}.go"), "").unwrap();
        link.sink.write(Bytes::from_static(b"b")).await.unwrap();
        assert!(write_now(Bytes::from_static(b"c")));
        link.sink.finish().await.unwrap();
        assert!(link.handle.wait().await.is_success());
    });
    let saved = fs::read(file).unwrap();
    assert_eq!(saved.len(), 1_000_004);
    assert!(saved.starts_with(b"-a") && saved.ends_with(b"aabc"));
}

fn written_chunk_is_not_kept() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        let chunk = Bytes::from(vec![b'x'; 1000]);
        link.sink.write(chunk.clone()).await.unwrap();
        assert!(link.sink.write_now().unwrap()(chunk.clone()));
        assert!(chunk.is_unique(), "an idle session keeps a chunk that was written");
    });
}
