//! How an end is reported: code, signal, stderr, and what the peer wrote before.

use agentwire_transport::{ByteSink, ByteSource, Lifeline, Terminate, TransportError};
use bytes::Bytes;

use crate::support::{open, patient, read_all, read_line, reaped, run};

crate::runner::tests!(ending:
    exit_code, output_and_stderr_come_before_the_end, signal, terminated, stdout_closed_while_it_lives, end_of_input,
    many_wait, terminate_after_the_end, writing_to_the_dead,
);

fn exit_code() {
    run(async {
        let link = open(&["exit", "3"], patient()).await;
        let report = link.lifeline.ended().await;
        assert_eq!((report.code, report.signal), (Some(3), None));
        assert_eq!(link.lifeline.ended().await, report);
        reaped(link.lifeline.pid());
        assert_eq!(link.lifeline.ended().await, report);
    });
}

fn output_and_stderr_come_before_the_end() {
    run(async {
        let mut link = open(&["fail", "1", "No conversation found"], patient()).await;
        let report = link.lifeline.ended().await;
        assert_eq!(report.code, Some(1));
        assert_eq!(report.stderr_tail, "No conversation found");
        // What was written is delivered after the end, however late it is read.
        assert_eq!(read_all(&mut link.source).await, b"partial");
        assert_eq!(link.source.read().await.unwrap(), None);
        reaped(link.lifeline.pid());
    });
}

fn signal() {
    run(async {
        let mut link = open(&["die"], patient()).await;
        let report = link.lifeline.ended().await;
        assert_eq!((report.code, report.signal), (None, Some(9)));
        assert!(read_all(&mut link.source).await.is_empty());
    });
}

fn terminated() {
    run(async {
        let mut link = open(&["hang"], patient()).await;
        read_line(&mut link.source).await;
        link.lifeline.terminate(Terminate::Gently).unwrap();
        assert_eq!(link.lifeline.ended().await.signal, Some(15));
        let mut link = open(&["stubborn"], patient()).await;
        read_line(&mut link.source).await;
        link.lifeline.terminate(Terminate::Gently).unwrap();
        link.lifeline.terminate(Terminate::ByForce).unwrap();
        assert_eq!(link.lifeline.ended().await.signal, Some(9));
    });
}

fn stdout_closed_while_it_lives() {
    run(async {
        let mut link = open(&["close-stdout"], patient()).await;
        assert_eq!(read_all(&mut link.source).await, b"bye\n");
        assert!(crate::support::lives(link.lifeline.pid()));
        link.sink.finish().await.unwrap();
        assert_eq!(link.lifeline.ended().await.code, Some(0));
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
        assert!(link.lifeline.ended().await.is_success());
        assert_eq!(link.source.read().await.unwrap(), None);
        // Dropping the sink ends the input too.
        let link = open(&["echo"], patient()).await;
        drop(link.sink);
        assert!(link.lifeline.ended().await.is_success());
    });
}

fn many_wait() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        let lifeline = std::sync::Arc::new(link.lifeline);
        let waiting: Vec<_> = (0..20)
            .map(|_| {
                let lifeline = lifeline.clone();
                tokio::spawn(async move { lifeline.ended().await })
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
        link.lifeline.ended().await;
        link.lifeline.terminate(Terminate::Gently).unwrap();
        reaped(link.lifeline.pid());
        link.lifeline.terminate(Terminate::ByForce).unwrap();
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
        link.lifeline.ended().await;
    });
}
