//! Recording: lines cut out of bytes exactly, in the order in which our side saw them.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};

#[cfg(feature = "replay")]
use agentwire_testkit::Replay;
use agentwire_testkit::{End, Recorder, Transcript, record::TooLong, transcript::Entry};
use agentwire_transport::{
    ByteSink, ByteSource, Connected, ExitReport, MemoryPeer, MemorySink, MemorySource, PeerHandle, Signal,
    Transport, TransportError, memory,
};
use bytes::Bytes;

fn outbound(line: &'static str) -> Entry {
    Entry::Outbound(Bytes::from_static(line.as_bytes()))
}

fn inbound(line: &'static str) -> Entry {
    Entry::Inbound(Bytes::from_static(line.as_bytes()))
}

/// Records a connection in memory.
async fn recording(
    capacity: usize,
) -> (Recorder, Connected<impl ByteSource, impl ByteSink + Debug, impl PeerHandle>, MemoryPeer) {
    let (transport, peer) = memory(capacity);
    let recorder = Recorder::new();
    let link = recorder.record(transport).open().await.unwrap();
    (recorder, link, peer)
}

#[tokio::test]
async fn both_directions_are_recorded_in_order_with_any_chunks() {
    let (recorder, mut link, peer) = recording(1 << 10).await;
    for chunk in ["one\ntw", "o", "\n", "\n\r\nfour"] {
        link.sink.write(chunk.into()).await.unwrap();
    }
    peer.write("six\nsev").await.unwrap();
    let mut read = 0;
    while read < 7 {
        read += link.source.read().await.unwrap().unwrap().len();
    }
    link.sink.write(" five\n".into()).await.unwrap();
    link.sink.finish().await.unwrap();
    link.sink.finish().await.unwrap();
    let recorded = recorder.transcript().unwrap().entries;
    let expected = [
        outbound("one"),
        outbound("two"),
        outbound(""),
        outbound("\r"),
        inbound("six"),
        outbound("four five"),
        Entry::EndOfInput,
    ];
    assert_eq!(recorded, expected);
}

#[tokio::test]
async fn a_line_is_recorded_before_the_peer_can_have_it() {
    let (recorder, mut link, _peer) = recording(1).await;
    // The pipe holds one byte and has no reader, so the write does not end.
    let write = link.sink.write("longer than the pipe\n".into());
    let waited = tokio::time::timeout(Duration::from_millis(1), write).await;
    assert!(waited.is_err());
    assert_eq!(recorder.transcript().unwrap().entries, [outbound("longer than the pipe")]);
}

#[tokio::test]
async fn lines_that_were_left_at_the_end_are_recorded_and_passed_on() {
    let (recorder, mut link, peer) = recording(64).await;
    link.sink.flush_detached("left\n".into());
    // Dropping the link ends the input, so that the read fails instead of waiting.
    drop(link);
    assert_eq!(peer.read().await.unwrap(), "left\n");
    assert_eq!(recorder.transcript().unwrap().entries, [outbound("left")]);
}

/// A process, which notes its grace periods.
#[derive(Default)]
struct Process(Arc<Mutex<Vec<Duration>>>);

impl Transport for Process {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = Self;

    async fn open(self) -> Result<Connected<MemorySource, MemorySink, Self>, TransportError> {
        let Connected { source, sink, .. } = memory(1).0.open().await?;
        Ok(Connected { source, sink, handle: self })
    }
}

impl PeerHandle for Process {
    async fn wait_group(&self) {}

    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        self.0.lock().unwrap().extend([after_input, after_terminate]);
    }

    fn has_process(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn process_is_handled_as_without_the_recording() {
    let process = Process::default();
    let noted = Arc::clone(&process.0);
    let handle = Recorder::new().record(process).open().await.unwrap().handle;
    assert!(handle.has_process());
    let [input, terminate] = [1, 2].map(Duration::from_secs);
    handle.limit_grace(input, terminate);
    assert_eq!(*noted.lock().unwrap(), [input, terminate]);
    // By default this would wait for an end that never comes.
    tokio::time::timeout(Duration::from_secs(20), handle.wait_group()).await.unwrap();
}

#[tokio::test]
async fn last_line_without_a_line_feed_is_marked() {
    let (recorder, mut link, peer) = recording(64).await;
    peer.write("cut").await.unwrap();
    drop(peer);
    while link.source.read().await.unwrap().is_some() {}
    assert_eq!(link.source.read().await.unwrap(), None);
    let entries = recorder.transcript().unwrap().entries;
    assert_eq!(entries, [inbound("cut"), Entry::Comment("the line above has no line feed".into())]);
}

#[tokio::test]
async fn signals_stderr_and_the_end_are_recorded() {
    let (recorder, link, peer) = recording(64).await;
    recorder.stderr("first\nsecond");
    drop(link.handle.signal(Signal::Term));
    peer.end(ExitReport::exited(3));
    assert_eq!(link.handle.wait().await.code, Some(3));
    recorder.stderr("late");
    let expected = [
        Entry::Stderr("first".into()),
        Entry::Stderr("second".into()),
        Entry::Signal("SIGTERM".into()),
        Entry::Stderr("late".into()),
        Entry::End(End::Exit(3)),
    ];
    assert_eq!(recorder.transcript().unwrap().entries, expected);
}

#[tokio::test]
async fn nothing_of_ours_is_recorded_after_the_end_was_seen() {
    let (recorder, mut link, peer) = recording(64).await;
    link.sink.write("one\ncut".into()).await.unwrap();
    peer.write("two\n").await.unwrap();
    peer.end(ExitReport::exited(3));
    assert_eq!(link.handle.wait().await.code, Some(3));
    link.sink.write("late\n".into()).await.unwrap();
    link.sink.finish().await.unwrap();
    link.sink.flush_detached("later\n".into());
    link.handle.signal(Signal::Term).unwrap();
    recorder.signal("SIGINT");
    link.source.read().await.unwrap();
    for passed_on in ["one\ncut", "late\n"] {
        assert_eq!(peer.read().await.unwrap(), passed_on);
    }
    let session = recorder.transcript().unwrap();
    assert_eq!(session.entries, [outbound("one"), inbound("two"), Entry::End(End::Exit(3))]);
    #[cfg(feature = "replay")]
    {
        let replay = Replay::new(&session);
        let replayed = replay.handle();
        let mut link = replay.open().await.unwrap();
        link.sink.write("one\n".into()).await.unwrap();
        assert_eq!(link.source.read().await.unwrap().unwrap(), "two\n");
        assert_eq!(link.handle.wait().await.code, Some(3));
        link.sink.finish().await.unwrap();
        link.handle.signal(Signal::Term).unwrap();
        assert!(replayed.report().is_complete(), "{}", replayed.report());
    }
}

#[tokio::test]
async fn stderr_of_the_report_is_recorded_without_lines_of_stderr() {
    let tail = |text: &str| ExitReport::exited(3).with_stderr_tail(text);
    for (report, of_handle) in [(tail("boom\nbang\n"), "unused"), (tail(""), "boom\nbang")] {
        let (recorder, link, peer) = recording(64).await;
        peer.set_stderr_tail(of_handle);
        peer.end(report);
        link.handle.wait().await;
        let session = recorder.transcript().unwrap();
        let lines = [Entry::Stderr("boom".into()), Entry::Stderr("bang".into())];
        assert_eq!(session.entries, [&lines[..], &[Entry::End(End::Exit(3))]].concat());
        #[cfg(feature = "replay")]
        {
            let replayed = Replay::new(&session).open().await.unwrap();
            assert_eq!(replayed.handle.wait().await.stderr_tail, "boom\nbang\n");
        }
    }
}

#[tokio::test]
async fn broken_output_is_recorded_as_a_comment() {
    let (recorder, mut link, peer) = recording(64).await;
    peer.write("one\n").await.unwrap();
    let source = std::io::Error::other("cable\ncut");
    peer.break_output(TransportError::Io { action: "reading", source });
    link.source.read().await.unwrap();
    link.source.read().await.unwrap_err();
    let session = recorder.transcript().unwrap();
    let comment = Entry::Comment("the output broke: reading failed: cable cut".into());
    assert_eq!(session.entries, [inbound("one"), comment]);
    session.to_bytes().unwrap();
}

#[tokio::test]
async fn debug_shows_no_recorded_text() {
    let (recorder, mut link, _peer) = recording(64).await;
    link.sink.write("c0de\nc0de".into()).await.unwrap();
    for shown in [format!("{recorder:?}"), format!("{:?}", link.sink)] {
        assert!(shown.contains("Tape { limit: 268435456, .. }") && !shown.contains("c0de"), "{shown}");
    }
    #[cfg(feature = "replay")]
    {
        let shown = format!("{:?}", Replay::new(&recorder.transcript().unwrap()));
        assert_eq!(shown, "Replay { shared: Shared { .. } }");
    }
}

#[cfg(feature = "replay")]
#[tokio::test]
async fn recorded_signal_of_the_end_is_replayed() {
    let replayed =
        async |session: &Transcript| Replay::new(session).open().await.unwrap().handle.wait().await.signal;
    for signal in 1..65 {
        let (recorder, link, peer) = recording(64).await;
        peer.end(ExitReport::signalled(signal));
        link.handle.wait().await;
        let session = recorder.transcript().unwrap();
        assert_eq!(replayed(&session).await, Some(signal));
        if let Some((_, name)) =
            [(7, "SIG7"), (8, "SIGFPE"), (14, "SIGALRM")].iter().find(|(of, _)| *of == signal)
        {
            assert_eq!(session.entries, [Entry::End(End::Signal((*name).into()))]);
        }
    }
    let unknown = Transcript::parse("# agentwire-transcript 1\n= signal SIGLATER\n").unwrap();
    assert_eq!(replayed(&unknown).await, Some(0));
}

#[tokio::test]
async fn recording_over_the_limit_has_no_transcript_and_the_session_goes_on() {
    let (transport, peer) = memory(64);
    let recorder = Recorder::with_limit(8);
    let mut link = recorder.record(transport).open().await.unwrap();
    for _ in 0..3 {
        link.sink.write("1234\n".into()).await.unwrap();
    }
    assert!(matches!(recorder.transcript(), Err(TooLong { limit: 8, .. })));
    let mut seen = Vec::new();
    while seen.len() < 15 {
        seen.extend_from_slice(&peer.read().await.unwrap());
    }
    assert_eq!(seen, b"1234\n1234\n1234\n");
}

#[test]
fn short_lines_count_with_their_entries() {
    let recorder = Recorder::with_limit(1000);
    recorder.stderr(&"\n".repeat(100));
    assert!(matches!(recorder.transcript(), Err(TooLong { limit: 1000, .. })));
}

#[tokio::test]
async fn recording_has_the_facts_of_its_header_and_can_be_written() {
    let (recorder, mut link, peer) = recording(1 << 10).await;
    let early = recorder.transcript().unwrap();
    assert_eq!(early.header.cli.as_deref(), Some("unknown"));
    let init = r#"{"type":"system","subtype":"init","claude_code_version":"2.1.330"}"#;
    peer.write(format!("{init}\n")).await.unwrap();
    link.source.read().await.unwrap();
    for transcript in [early, recorder.transcript().unwrap()] {
        let redacted = agentwire_testkit::Redactor::new().redact(&transcript).unwrap();
        let text = redacted.to_bytes().unwrap();
        assert_eq!(Transcript::parse(text).unwrap(), redacted);
    }
    let header = recorder.transcript().unwrap().header;
    assert_eq!(header.cli.as_deref(), Some("2.1.330"));
    assert_eq!(header.os.as_deref(), Some(std::env::consts::OS));
}

#[test]
fn header_with_facts_and_no_version_names_the_field() {
    let mut header = agentwire_testkit::Header::default();
    header.redacted = Some(true);
    let error = Transcript::new(header, None, Vec::new()).to_bytes().unwrap_err();
    assert!(error.cause.to_string().contains("header.cli"), "{}", error.cause);
}
