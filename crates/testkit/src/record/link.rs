//! The three parts of a transport, each with somebody who writes down what it does.

use std::time::Duration;

use agentwire_transport::{ByteSink, ByteSource, ExitReport, Lifeline, Terminate, TransportError};
use bytes::Bytes;

use super::Recorder;

/// A source whose lines are written down as they are read.
#[derive(Debug)]
pub struct RecordingSource<S> {
    inner: S,
    recorder: Recorder,
}

/// A sink whose lines are written down before they are handed over.
#[derive(Debug)]
pub struct RecordingSink<S> {
    inner: S,
    recorder: Recorder,
}

/// A lifeline whose signals and end are written down.
#[derive(Debug)]
pub struct RecordingLifeline<L> {
    inner: L,
    recorder: Recorder,
}

impl<S> RecordingSource<S> {
    pub(super) fn new(inner: S, recorder: Recorder) -> Self {
        Self { inner, recorder }
    }
}

impl<S> RecordingSink<S> {
    pub(super) fn new(inner: S, recorder: Recorder) -> Self {
        Self { inner, recorder }
    }
}

impl<L> RecordingLifeline<L> {
    pub(super) fn new(inner: L, recorder: Recorder) -> Self {
        Self { inner, recorder }
    }
}

impl<S: ByteSource> ByteSource for RecordingSource<S> {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let read = self.inner.read().await;
        match &read {
            Ok(Some(chunk)) => self.recorder.tape().inbound(chunk),
            Ok(None) | Err(_) => self.recorder.tape().end_of_output(),
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

    fn leave(&mut self, rest: Bytes) {
        self.recorder.tape().outbound(&rest);
        self.inner.leave(rest);
    }
}

impl<L: Lifeline> Lifeline for RecordingLifeline<L> {
    async fn ended(&self) -> ExitReport {
        let report = self.inner.ended().await;
        self.recorder.tape().ended(&report);
        report
    }

    async fn gone(&self) {
        self.inner.gone().await;
    }

    fn terminate(&self, how: Terminate) -> Result<(), TransportError> {
        self.recorder.tape().signal(how);
        self.inner.terminate(how)
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
