//! How an end is reported: code, signal, stderr, and what the peer wrote before.

use agentwire_transport::{ByteSink, ByteSource, PeerHandle, Signal, TransportError};
use bytes::Bytes;

use crate::support::{open, patient, read_all, read_line, reaped, run};

crate::runner::tests!(ending:
    exit_code, output_and_stderr_come_before_the_end, signal, terminated, stdout_closed_while_it_lives, end_of_input,
    many_wait, terminate_after_the_end, writing_to_the_dead,
);

fn exit_code() {
    run(async {
        let link = open(&["exit", "3"], patient()).await;
        let report = link.handle.wait().await;
        assert_eq!((report.code, report.signal), (Some(3), None));
        assert_eq!(link.handle.wait().await, report);
        reaped(link.handle.pid());
        assert_eq!(link.handle.wait().await, report);
    });
}

fn output_and_stderr_come_before_the_end() {
    run(async {
        let mut link = open(&["fail", "1", "No conversation found"], patient()).await;
        let report = link.handle.wait().await;
        assert_eq!(report.code, Some(1));
        assert_eq!(report.stderr_tail, "No conversation found");
        // What was written is delivered after the end, however late it is read.
        assert_eq!(read_all(&mut link.source).await, b"partial");
        assert_eq!(link.source.read().await.unwrap(), None);
        reaped(link.handle.pid());
    });
}

fn signal() {
    run(async {
        let mut link = open(&["die"], patient()).await;
        let report = link.handle.wait().await;
        assert_eq!((report.code, report.signal), (None, Some(9)));
        assert!(read_all(&mut link.source).await.is_empty());
    });
}

fn terminated() {
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

fn stdout_closed_while_it_lives() {
    run(async {
        let mut link = open(&["close-stdout"], patient()).await;
        assert_eq!(read_all(&mut link.source).await, b"bye\n");
        assert!(crate::support::lives(link.handle.pid()));
        link.sink.finish().await.unwrap();
        assert_eq!(link.handle.wait().await.code, Some(0));
    });
}

fn end_of_input() {
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

fn many_wait() {
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

fn terminate_after_the_end() {
    run(async {
        let mut link = open(&["exit", "0"], patient()).await;
        assert!(read_all(&mut link.source).await.is_empty());
        link.handle.wait().await;
        link.handle.signal(Signal::Term).unwrap();
        reaped(link.handle.pid());
        link.handle.signal(Signal::Kill).unwrap();
    });
}

fn writing_to_the_dead() {
    run(async {
        let mut link = open(&["exit", "0"], patient()).await;
        let outcome = async {
            // More than a pipe holds: the write waits, and must learn of the end.
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
