//! Reports of the end of a peer: code, signal, stderr and the remaining output.

use agentwire_transport::{ByteSink, ByteSource, PeerHandle, Signal, TransportError};
use bytes::Bytes;

use crate::support::{open, patient, read_all, read_line, reaped, run};

crate::runner::tests!(ending:
    exit_code_is_reported_to_every_wait, output_and_stderr_survive_the_end, fatal_signal_is_reported,
    term_and_kill_end_the_peer, end_of_output_is_not_the_end_of_the_peer,
    finish_and_drop_of_the_sink_end_the_input, many_tasks_can_wait_for_the_end, signal_after_the_end_succeeds,
    write_to_a_dead_peer_fails,
);

fn exit_code_is_reported_to_every_wait() {
    run(async {
        let link = open(&["exit", "3"], patient()).await;
        let report = link.handle.wait().await;
        assert_eq!((report.code, report.signal), (Some(3), None));
        assert_eq!(link.handle.wait().await, report);
        reaped(link.handle.pid());
        assert_eq!(link.handle.wait().await, report);
    });
}

fn output_and_stderr_survive_the_end() {
    run(async {
        let mut link = open(&["fail", "1", "No conversation found"], patient()).await;
        let report = link.handle.wait().await;
        assert_eq!(report.code, Some(1));
        assert_eq!(report.stderr_tail, "No conversation found");
        // The output is delivered after the end, however late it is read.
        assert_eq!(read_all(&mut link.source).await, b"partial");
        assert_eq!(link.source.read().await.unwrap(), None);
        reaped(link.handle.pid());
    });
}

fn fatal_signal_is_reported() {
    run(async {
        let mut link = open(&["die"], patient()).await;
        let report = link.handle.wait().await;
        assert_eq!((report.code, report.signal), (None, Some(9)));
        assert!(read_all(&mut link.source).await.is_empty());
    });
}

fn term_and_kill_end_the_peer() {
    run(async {
        let mut link = open(&["hang"], patient()).await;
        read_line(&mut link.source).await;
        link.handle.signal(Signal::Term).unwrap();
        assert_eq!(link.handle.wait().await.signal, Some(15));
        let mut link = open(&["stubborn"], patient()).await;
        read_line(&mut link.source).await;
        link.handle.signal(Signal::Term).unwrap();
        link.handle.signal(Signal::Kill).unwrap();
        assert_eq!(link.handle.wait().await.signal, Some(9));
    });
}

fn end_of_output_is_not_the_end_of_the_peer() {
    run(async {
        let mut link = open(&["close-stdout"], patient()).await;
        assert_eq!(read_all(&mut link.source).await, b"bye\n");
        assert!(crate::support::lives(link.handle.pid()));
        link.sink.finish().await.unwrap();
        assert_eq!(link.handle.wait().await.code, Some(0));
    });
}

fn finish_and_drop_of_the_sink_end_the_input() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        link.sink.write(Bytes::from_static(b"one\n")).await.unwrap();
        assert_eq!(read_line(&mut link.source).await, "one");
        link.sink.finish().await.unwrap();
        link.sink.finish().await.unwrap();
        assert!(matches!(link.sink.write(Bytes::from_static(b"two")).await, Err(TransportError::Closed)));
        assert!(link.handle.wait().await.is_success());
        assert_eq!(link.source.read().await.unwrap(), None);
        // Dropping the sink ends the input too.
        let link = open(&["echo"], patient()).await;
        drop(link.sink);
        assert!(link.handle.wait().await.is_success());
    });
}

fn many_tasks_can_wait_for_the_end() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        let handle = std::sync::Arc::new(link.handle);
        let waiting: Vec<_> = (0..20)
            .map(|_| {
                let handle = handle.clone();
                tokio::spawn(async move { handle.wait().await })
            })
            .collect();
        link.sink.finish().await.unwrap();
        for waits in waiting {
            assert!(waits.await.unwrap().is_success());
        }
    });
}

fn signal_after_the_end_succeeds() {
    run(async {
        let mut link = open(&["exit", "0"], patient()).await;
        assert!(read_all(&mut link.source).await.is_empty());
        link.handle.wait().await;
        link.handle.signal(Signal::Term).unwrap();
        reaped(link.handle.pid());
        link.handle.signal(Signal::Kill).unwrap();
    });
}

fn write_to_a_dead_peer_fails() {
    run(async {
        let mut link = open(&["exit", "0"], patient()).await;
        let outcome = async {
            // More than the capacity of a pipe: the write waits, and must fail when the peer ends.
            loop {
                link.sink.write(Bytes::from(vec![b'x'; 1_000_000])).await?;
            }
        };
        let outcome: Result<(), TransportError> = outcome.await;
        assert!(matches!(outcome, Err(TransportError::Closed)));
        link.sink.finish().await.unwrap();
        link.handle.wait().await;
    });
}
