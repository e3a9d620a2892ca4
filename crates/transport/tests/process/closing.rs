//! Dropping: gently first, by force at last, in the background, with and without a runtime.

use std::{
    fs,
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

use agentwire_transport::{ByteSink, PeerHandle};
use bytes::Bytes;

use crate::support::{BOUND, eventually, hasty, lives, open, patient, read_line, reaped, run, runtime};

crate::runner::tests!(closing:
    the_handle_ends_the_input, end_of_input_is_ignored, sigterm_is_ignored, all_parts_dropped_flush_first,
    a_dropped_source_is_drained, dropped_after_the_runtime, a_half_written_chunk_is_finished,
    a_waiting_write_ends_with_the_handle, unopened, grace_can_be_limited,
);

fn the_handle_ends_the_input() {
    run(async {
        // The sink lives on, and the grace is far away: only the end of input can end this one.
        let mut link = open(&["echo"], patient()).await;
        let pid = link.handle.pid();
        drop(link.handle);
        assert!(crate::support::read_all(&mut link.source).await.is_empty());
        reaped(pid);
        assert!(link.sink.write(Bytes::from_static(b"late")).await.is_err());
    });
}

fn end_of_input_is_ignored() {
    run(async {
        let mut link = open(&["hang"], patient().after_input(Duration::from_millis(50))).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        drop(link);
        reaped(pid);
    });
}

fn sigterm_is_ignored() {
    run(async {
        let mut link = open(&["stubborn"], hasty()).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        drop(link);
        reaped(pid);
    });
}

fn all_parts_dropped_flush_first() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    run(async {
        let mut link = open(&["flush", &file.display().to_string()], patient()).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        drop(link);
        reaped(pid);
    });
    assert_eq!(fs::read_to_string(file).unwrap(), "flushed");
}

fn a_dropped_source_is_drained() {
    run(async {
        let link = open(&["exchange", "3000000"], patient()).await;
        drop(link.source);
        drop(link.sink);
        // Nothing was sent: had its output broken, this would be the code of a panic.
        let report = link.handle.wait().await;
        assert_eq!((report.code, report.stderr_tail.as_str()), (Some(1), ""));
    });
}

fn dropped_after_the_runtime() {
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
    // The same with a peer that must be killed.
    let runtime = crate::support::runtime();
    let mut link = runtime.block_on(open(&["stubborn"], hasty()));
    runtime.block_on(read_line(&mut link.source));
    let pid = link.handle.pid();
    drop(runtime);
    drop(link);
    reaped(pid);
}

fn a_half_written_chunk_is_finished() {
    // Whichever part goes first, the line is not cut.
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

fn a_waiting_write_ends_with_the_handle() {
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

fn unopened() {
    // A link that is dropped at once is a child that ends at once.
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

fn grace_can_be_limited() {
    run(async {
        let short = Duration::from_millis(50);
        let mut link = open(&["stubborn"], patient()).await;
        let pid = link.handle.pid();
        read_line(&mut link.source).await;
        link.handle.limit_grace(short, short);
        // It never becomes longer.
        link.handle.limit_grace(BOUND, BOUND);
        drop(link);
        reaped(pid);
    });
}
