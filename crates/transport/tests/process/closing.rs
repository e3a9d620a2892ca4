//! Shutdown by dropping: gracefully first, then by force, in the background, with and without a runtime.

use std::{
    fs,
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

use agentwire_transport::{ByteSink, PeerHandle, process::Grace};
use bytes::Bytes;

use crate::support::{BOUND, eventually, hasty, lives, open, patient, read_line, reaped, run, runtime};

crate::runner::tests!(closing:
    drop_of_the_handle_ends_the_input, peer_that_ignores_the_end_of_input_gets_sigterm,
    peer_that_ignores_sigterm_is_killed, dropped_peer_can_flush, dropped_source_is_drained,
    drop_after_the_runtime_ends_the_peer, half_written_chunk_is_completed,
    waiting_write_fails_when_the_handle_is_dropped, peers_dropped_at_once_are_reaped,
    limited_grace_never_grows,
);

fn drop_of_the_handle_ends_the_input() {
    run(async {
        // The sink is kept and no grace period passes: only the end of input can end the peer.
        let mut link = open(&["echo"], patient()).await;
        let pid = link.handle.pid();
        drop(link.handle);
        assert!(crate::support::read_all(&mut link.source).await.is_empty());
        reaped(pid);
        assert!(link.sink.write(Bytes::from_static(b"late")).await.is_err());
    });
}

fn peer_that_ignores_the_end_of_input_gets_sigterm() {
    ends_when_dropped(&["hang"], patient().after_input(Duration::from_millis(50)));
}

fn peer_that_ignores_sigterm_is_killed() {
    ends_when_dropped(&["stubborn"], hasty());
}

fn dropped_peer_can_flush() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    ends_when_dropped(&["flush", &file.display().to_string()], patient());
    assert_eq!(fs::read_to_string(file).unwrap(), "flushed");
}

/// Drops the link after the peer's first line.
fn ends_when_dropped(part: &[&str], grace: Grace) {
    run(async {
        let mut link = open(part, grace).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        drop(link);
        reaped(pid);
    });
}

fn dropped_source_is_drained() {
    run(async {
        let link = open(&["exchange", "3000000"], patient()).await;
        drop(link.source);
        drop(link.sink);
        // The peer exits with 1 because it received no input. With a broken output it would panic instead.
        let report = link.handle.wait().await;
        assert_eq!((report.code, report.stderr_tail.as_str()), (Some(1), ""));
    });
}

fn drop_after_the_runtime_ends_the_peer() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    let runtime = runtime();
    let mut link = runtime.block_on(open(&["flush", &file.display().to_string()], patient()));
    runtime.block_on(read_line(&mut link.source));
    let pid = link.handle.pid();
    drop(runtime);
    assert!(lives(pid));
    drop(link);
    reaped(pid);
    assert_eq!(fs::read_to_string(file).unwrap(), "flushed");
    // A peer that must be killed.
    let runtime = crate::support::runtime();
    let mut link = runtime.block_on(open(&["stubborn"], hasty()));
    runtime.block_on(read_line(&mut link.source));
    let pid = link.handle.pid();
    drop(runtime);
    drop(link);
    reaped(pid);
}

fn half_written_chunk_is_completed() {
    // In either order of dropping, the line is complete.
    for sink_first in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("input");
        let name = file.display().to_string();
        run(async {
            let mut link = open(&["save-slowly", &name], patient()).await;
            let pid = link.handle.pid();
            read_line(&mut link.source).await;
            let chunk = Bytes::from(vec![b'a'; 1_000_000]);
            assert!(pin!(link.sink.write(chunk)).poll(&mut Context::from_waker(Waker::noop())).is_pending());
            if sink_first {
                drop(link.sink);
                drop(link.handle);
            } else {
                drop(link.handle);
                drop(link.sink);
            }
            fs::write(format!("{name}.go"), "").unwrap();
            reaped(pid);
        });
        assert_eq!(fs::read(file).unwrap().len(), 1_000_000);
    }
}

fn waiting_write_fails_when_the_handle_is_dropped() {
    run(async {
        let mut link = open(&["hang"], hasty()).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        let writing = tokio::spawn(async move { link.sink.write(Bytes::from(vec![b'a'; 1_000_000])).await });
        tokio::task::yield_now().await;
        drop(link.handle);
        assert!(writing.await.unwrap().is_err());
        reaped(pid);
    });
}

fn peers_dropped_at_once_are_reaped() {
    // Each peer is dropped right after opening.
    let pids: Vec<u32> = run(async {
        let mut pids = Vec::new();
        for _ in 0..10 {
            pids.push(open(&["echo"], patient()).await.handle.pid());
        }
        pids
    });
    eventually("all gone", || pids.iter().all(|pid| !lives(*pid)));
    pids.into_iter().for_each(reaped);
}

fn limited_grace_never_grows() {
    run(async {
        let short = Duration::from_millis(50);
        let mut link = open(&["stubborn"], patient()).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        link.handle.limit_grace(short, short);
        // A longer limit has no effect.
        link.handle.limit_grace(BOUND, BOUND);
        drop(link);
        reaped(pid);
    });
}
