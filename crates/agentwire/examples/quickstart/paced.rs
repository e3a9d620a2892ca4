//! A transport that slows down the output of another, so that a replay can be followed by eye.

use std::time::Duration;

use agentwire::transport::{ByteSource, Connected, Transport, TransportError};

/// A transport with a pause before each piece of output.
pub(crate) struct Paced<T>(pub(crate) T, pub(crate) Duration);

pub(crate) struct PacedSource<S>(S, Duration);

impl<T: Transport> Transport for Paced<T> {
    type Source = PacedSource<T::Source>;
    type Sink = T::Sink;
    type Handle = T::Handle;

    fn hold_input(&mut self) {
        self.0.hold_input();
    }

    async fn open(self) -> Result<Connected<Self::Source, Self::Sink, Self::Handle>, TransportError> {
        let Connected { source, sink, handle } = self.0.open().await?;
        Ok(Connected { source: PacedSource(source, self.1), sink, handle })
    }
}

impl<S: ByteSource> ByteSource for PacedSource<S> {
    async fn read(&mut self) -> Result<Option<bytes::Bytes>, TransportError> {
        tokio::time::sleep(self.1).await;
        self.0.read().await
    }
}
