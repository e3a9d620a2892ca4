//! An open link under test: each wait has a limit and a name for the failure message.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use agentwire_transport::{
    BoxPeerHandle, BoxSink, BoxSource, ByteSink, ByteSource, Connected, ExitReport, PeerHandle,
    TransportError,
};
use bytes::{Bytes, BytesMut};
use tokio::time::{Instant, timeout};

pub(super) use crate::excerpt::with_cause;

/// A link, with the time limit of each wait on it.
pub(super) struct Opened {
    pub(super) source: Source,
    pub(super) sink: Sink,
    pub(super) life: Life,
}

pub(super) struct Source {
    pub(super) source: BoxSource,
    limit: Duration,
}

pub(super) struct Sink {
    pub(super) sink: BoxSink,
    limit: Duration,
}

pub(super) struct Life {
    pub(super) handle: BoxPeerHandle,
    pub(super) limit: Duration,
}

/// Why a check does not pass.
#[derive(Debug)]
pub(super) enum Fault {
    Wrong(String),
    NoProcess,
}

pub(super) type Verdict = Result<(), Fault>;

pub(super) fn wrong<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(why.into()))
}

impl Opened {
    pub(super) fn new(link: Connected<BoxSource, BoxSink, BoxPeerHandle>, limit: Duration) -> Self {
        let Connected { source, sink, handle } = link;
        Self { source: Source { source, limit }, sink: Sink { sink, limit }, life: Life { handle, limit } }
    }
}

impl Source {
    /// Reads once. An empty chunk fails each check: a check that goes on reading would never wait.
    pub(super) async fn read(&mut self) -> Result<Result<Option<Bytes>, TransportError>, Fault> {
        match within(self.limit, "reading", self.source.read()).await? {
            Ok(Some(chunk)) if chunk.is_empty() => wrong("an empty chunk came"),
            read => Ok(read),
        }
    }

    /// Reads exactly these bytes.
    pub(super) async fn read_exactly(&mut self, expected: &[u8]) -> Verdict {
        let mut received = BytesMut::new();
        while received.len() < expected.len() {
            match self.read().await? {
                Ok(Some(chunk)) => received.extend_from_slice(&chunk),
                Ok(None) => {
                    return wrong(format!(
                        "the output ended after {} bytes of {}: either they were lost, or the peer received what was \
                         not written",
                        received.len(),
                        expected.len()
                    ));
                }
                Err(error) => return wrong(format!("reading failed: {}", with_cause(&error))),
            }
        }
        same(&received, expected)
    }

    /// Reads the clean end, and checks that it is permanent.
    pub(super) async fn end(&mut self) -> Verdict {
        for time in ["the first", "the second", "the third"] {
            match self.read().await? {
                Ok(None) => {}
                Ok(Some(chunk)) => return wrong(format!("{} bytes instead of {time} end", chunk.len())),
                Err(error) => {
                    return wrong(format!("an error instead of {time} end: {}", with_cause(&error)));
                }
            }
        }
        Ok(())
    }

    /// Reads until the output ends, with or without an error.
    pub(super) async fn any_end(&mut self) -> Verdict {
        while let Ok(Some(_)) = self.read().await? {}
        Ok(())
    }
}

impl Sink {
    /// Writes once.
    pub(super) async fn write(&mut self, chunk: Bytes) -> Result<Result<(), TransportError>, Fault> {
        within(self.limit, "writing", self.sink.write(chunk)).await
    }

    /// Writes a chunk, which must succeed.
    pub(super) async fn write_all(&mut self, chunk: Bytes) -> Verdict {
        self.write(chunk).await?.or_else(|error| wrong(format!("writing failed: {}", with_cause(&error))))
    }

    /// Ends the input.
    pub(super) async fn finish(&mut self) -> Verdict {
        let finished = within(self.limit, "ending the input", self.sink.finish()).await?;
        finished.or_else(|error| wrong(format!("ending the input failed: {}", with_cause(&error))))
    }
}

impl Life {
    pub(super) fn needs_process(&self) -> Verdict {
        if self.handle.has_process() { Ok(()) } else { Err(Fault::NoProcess) }
    }

    pub(super) async fn ended(&self) -> Result<ExitReport, Fault> {
        within(self.limit, "`wait` of a peer that has ended", self.handle.wait()).await
    }

    pub(super) async fn gone(&self) -> Verdict {
        within(self.limit, "`wait_group` of a peer that has ended", self.handle.wait_group()).await
    }

    /// Checks that the peer exited, if the transport can observe that.
    pub(super) async fn ended_if_process(&self) -> Verdict {
        if self.handle.has_process() { self.ended().await.map(drop) } else { Ok(()) }
    }
}

/// Waits for a future, up to the limit.
pub(super) async fn within<T>(
    limit: Duration,
    what: &str,
    work: impl Future<Output = T>,
) -> Result<T, Fault> {
    let began = Instant::now();
    match timeout(limit, work).await {
        // At its limit, `timeout` polls once more.
        Ok(_) if began.elapsed() >= limit => wrong(format!("{what} was ready, but woke nobody")),
        Ok(done) => Ok(done),
        Err(_) => wrong(format!("{what} took longer than {limit:?}")),
    }
}

/// Polls a future once, and drops it.
pub(super) fn once<T>(future: impl Future<Output = T>) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

pub(super) fn same(received: &[u8], expected: &[u8]) -> Verdict {
    if received == expected {
        return Ok(());
    }
    let at = received.iter().zip(expected).take_while(|(received, expected)| received == expected).count();
    wrong(format!(
        "{} bytes came where {} were sent, and they differ from byte {at} on",
        received.len(),
        expected.len()
    ))
}
