//! The dyn forms of the traits, for those who choose a transport at run time: kept apart from the contract itself.

use std::{fmt, pin::Pin, time::Duration};

use bytes::Bytes;

use crate::{
    error::{ExitReport, TransportError},
    transport::{ByteSink, ByteSource, Connected, PeerHandle, Signal, Transport},
};

/// Any [`Transport`], behind one type.
///
/// Costs an allocation for each `read` and `write`; the bytes themselves are never copied.
pub struct BoxTransport(Box<dyn DynTransport>);

/// Any [`ByteSource`], behind one type.
pub struct BoxSource(Box<dyn DynSource>);

/// Any [`ByteSink`], behind one type.
pub struct BoxSink(Box<dyn DynSink>);

/// Any [`PeerHandle`], behind one type. Dropping it drops the handle inside, and so ends the peer.
pub struct BoxPeerHandle(Box<dyn DynPeerHandle>);

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
        Self(Box::new(handle))
    }
}

impl<So, Si, L> Connected<So, Si, L>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: PeerHandle + 'static,
{
    /// The same link with its three parts boxed.
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

impl fmt::Debug for BoxTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxTransport").finish_non_exhaustive()
    }
}

impl fmt::Debug for BoxSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxSource").finish_non_exhaustive()
    }
}

impl fmt::Debug for BoxSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxSink").finish_non_exhaustive()
    }
}

impl fmt::Debug for BoxPeerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxPeerHandle").finish_non_exhaustive()
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type BoxConnected = Connected<BoxSource, BoxSink, BoxPeerHandle>;

// The methods have names of their own: with the public names, every call on a concrete type would be ambiguous here.

trait DynTransport: Send {
    fn open_boxed(self: Box<Self>) -> BoxFuture<'static, Result<BoxConnected, TransportError>>;
}

trait DynSource: Send {
    fn read_boxed(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

trait DynSink: Send {
    fn write_boxed(&mut self, chunk: Bytes) -> BoxFuture<'_, Result<(), TransportError>>;
    fn finish_boxed(&mut self) -> BoxFuture<'_, Result<(), TransportError>>;
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
