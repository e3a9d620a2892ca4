//! Type-erased forms of the traits, for a transport that is chosen at run time.

use std::{pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;

use crate::{
    error::{ExitReport, TransportError},
    transport::{ByteSink, ByteSource, Connected, PeerHandle, Signal, Transport, WriteNow},
};

/// A type-erased [`Transport`].
///
/// Each `read` and `write` allocates a future. Bytes are not copied.
pub struct BoxTransport(Box<dyn DynTransport>);

/// A type-erased [`ByteSource`].
pub struct BoxSource(Box<dyn DynSource>);

/// A type-erased [`ByteSink`].
pub struct BoxSink(Box<dyn DynSink>);

/// A type-erased [`PeerHandle`]. Clones share the inner handle, and the peer ends when the last one is dropped.
#[derive(Clone)]
pub struct BoxPeerHandle(Arc<dyn DynPeerHandle>);

impl BoxTransport {
    /// Boxes a transport that has not been opened yet.
    pub fn new(transport: impl Transport + 'static) -> Self {
        Self(Box::new(transport))
    }
}

impl BoxSource {
    /// Boxes a source.
    pub fn new(source: impl ByteSource + 'static) -> Self {
        Self(Box::new(source))
    }
}

impl BoxSink {
    /// Boxes a sink.
    pub fn new(sink: impl ByteSink + 'static) -> Self {
        Self(Box::new(sink))
    }
}

impl BoxPeerHandle {
    /// Boxes a handle.
    pub fn new(handle: impl PeerHandle + 'static) -> Self {
        Self(Arc::new(handle))
    }
}

impl<So, Si, L> Connected<So, Si, L>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: PeerHandle + 'static,
{
    /// Boxes the three parts.
    pub fn boxed(self) -> Connected<BoxSource, BoxSink, BoxPeerHandle> {
        Connected {
            source: BoxSource::new(self.source),
            sink: BoxSink::new(self.sink),
            handle: BoxPeerHandle::new(self.handle),
        }
    }
}

impl Transport for BoxTransport {
    type Source = BoxSource;
    type Sink = BoxSink;
    type Handle = BoxPeerHandle;

    fn hold_input(&mut self) {
        self.0.hold_input_dyn();
    }

    async fn open(self) -> Result<BoxConnected, TransportError> {
        self.0.open_boxed().await
    }
}

impl ByteSource for BoxSource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        self.0.read_boxed().await
    }
}

impl ByteSink for BoxSink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        self.0.write_boxed(chunk).await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        self.0.finish_boxed().await
    }

    fn write_now(&self) -> Option<WriteNow> {
        self.0.write_now_dyn()
    }

    fn flush_detached(&mut self, rest: Bytes) {
        self.0.flush_detached_dyn(rest);
    }
}

impl PeerHandle for BoxPeerHandle {
    async fn wait(&self) -> ExitReport {
        self.0.wait_boxed().await
    }

    async fn wait_group(&self) {
        self.0.wait_group_boxed().await;
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        self.0.signal_dyn(signal)
    }

    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        self.0.limit_grace_dyn(after_input, after_terminate);
    }

    fn has_process(&self) -> bool {
        self.0.has_process_dyn()
    }

    fn stderr_tail(&self) -> String {
        self.0.stderr_tail_dyn()
    }
}

debug_by_name!(BoxTransport, BoxSource, BoxSink, BoxPeerHandle);

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type BoxConnected = Connected<BoxSource, BoxSink, BoxPeerHandle>;

// These methods have different names than the public traits: with the same names, calls on concrete types would be ambiguous.

trait DynTransport: Send {
    fn hold_input_dyn(&mut self);
    fn open_boxed(self: Box<Self>) -> BoxFuture<'static, Result<BoxConnected, TransportError>>;
}

trait DynSource: Send {
    fn read_boxed(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

trait DynSink: Send {
    fn write_boxed(&mut self, chunk: Bytes) -> BoxFuture<'_, Result<(), TransportError>>;
    fn finish_boxed(&mut self) -> BoxFuture<'_, Result<(), TransportError>>;
    fn write_now_dyn(&self) -> Option<WriteNow>;
    fn flush_detached_dyn(&mut self, rest: Bytes);
}

trait DynPeerHandle: Send + Sync {
    fn wait_boxed(&self) -> BoxFuture<'_, ExitReport>;
    fn wait_group_boxed(&self) -> BoxFuture<'_, ()>;
    fn signal_dyn(&self, signal: Signal) -> Result<(), TransportError>;
    fn limit_grace_dyn(&self, after_input: Duration, after_terminate: Duration);
    fn has_process_dyn(&self) -> bool;
    fn stderr_tail_dyn(&self) -> String;
}

impl<T: Transport + 'static> DynTransport for T {
    fn hold_input_dyn(&mut self) {
        self.hold_input();
    }

    fn open_boxed(self: Box<Self>) -> BoxFuture<'static, Result<BoxConnected, TransportError>> {
        Box::pin(async move { Ok((*self).open().await?.boxed()) })
    }
}

impl<T: ByteSource> DynSource for T {
    fn read_boxed(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        Box::pin(self.read())
    }
}

impl<T: ByteSink> DynSink for T {
    fn write_boxed(&mut self, chunk: Bytes) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(self.write(chunk))
    }

    fn finish_boxed(&mut self) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(self.finish())
    }

    fn write_now_dyn(&self) -> Option<WriteNow> {
        self.write_now()
    }

    fn flush_detached_dyn(&mut self, rest: Bytes) {
        self.flush_detached(rest);
    }
}

impl<T: PeerHandle> DynPeerHandle for T {
    fn wait_boxed(&self) -> BoxFuture<'_, ExitReport> {
        Box::pin(self.wait())
    }

    fn wait_group_boxed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.wait_group())
    }

    fn signal_dyn(&self, signal: Signal) -> Result<(), TransportError> {
        self.signal(signal)
    }

    fn limit_grace_dyn(&self, after_input: Duration, after_terminate: Duration) {
        self.limit_grace(after_input, after_terminate);
    }

    fn has_process_dyn(&self) -> bool {
        self.has_process()
    }

    fn stderr_tail_dyn(&self) -> String {
        self.stderr_tail()
    }
}
