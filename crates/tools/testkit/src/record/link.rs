//! The three parts of a recorded transport: each records its traffic.

use std::time::Duration;

use agentwire_transport::{ByteSink, ByteSource, ExitReport, PeerHandle, Signal, TransportError};
use bytes::Bytes;

use super::Recorder;

/// A source that records lines when they are read.
#[derive(Debug)]
pub struct RecordingSource<S> {
    pub(super) inner: S,
    pub(super) recorder: Recorder,
}

/// A sink that records lines before it passes them on.
#[derive(Debug)]
pub struct RecordingSink<S> {
    pub(super) inner: S,
    pub(super) recorder: Recorder,
}

/// A handle that records signals and the end of the peer.
#[derive(Debug)]
pub struct RecordingPeer<L> {
    pub(super) inner: L,
    pub(super) recorder: Recorder,
}

impl<S: ByteSource> ByteSource for RecordingSource<S> {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let read = self.inner.read().await;
        match &read {
            Ok(Some(chunk)) => self.recorder.tape().inbound(chunk),
            Ok(None) => self.recorder.tape().end_of_output(),
            Err(error) => self.recorder.tape().broken_output(error),
        }
        read
    }
}

impl<S: ByteSink> ByteSink for RecordingSink<S> {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        self.recorder.tape().outbound(&chunk);
        self.inner.write(chunk).await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        self.recorder.tape().end_of_input();
        self.inner.finish().await
    }

    fn flush_detached(&mut self, rest: Bytes) {
        self.recorder.tape().outbound(&rest);
        self.inner.flush_detached(rest);
    }
}

impl<L: PeerHandle> PeerHandle for RecordingPeer<L> {
    async fn wait(&self) -> ExitReport {
        let report = self.inner.wait().await;
        let stderr = self.inner.stderr_tail();
        self.recorder.tape().ended(&report, stderr);
        report
    }

    async fn wait_group(&self) {
        self.inner.wait_group().await;
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        self.recorder.tape().signal(signal);
        self.inner.signal(signal)
    }

    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        self.inner.limit_grace(after_input, after_terminate);
    }

    fn has_process(&self) -> bool {
        self.inner.has_process()
    }

    fn stderr_tail(&self) -> String {
        self.inner.stderr_tail()
    }
}
