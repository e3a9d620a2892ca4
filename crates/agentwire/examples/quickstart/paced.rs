//! A transport around another that slows its output down, so that a replay can be followed by eye.

use std::time::Duration;

use agentwire::transport::{ByteSource, Link, Transport, TransportError};

/// A transport whose output comes one piece at a time, with a pause before each.
pub(crate) struct Paced<T>(pub(crate) T, pub(crate) Duration);

pub(crate) struct PacedSource<S>(S, Duration);

impl<T: Transport> Transport for Paced<T> {
    type Source = PacedSource<T::Source>;
    type Sink = T::Sink;
    type Lifeline = T::Lifeline;

    async fn open(self) -> Result<Link<Self::Source, Self::Sink, Self::Lifeline>, TransportError> {
        let Link { source, sink, lifeline } = self.0.open().await?;
        Ok(Link { source: PacedSource(source, self.1), sink, lifeline })
    }
}

impl<S: ByteSource> ByteSource for PacedSource<S> {
    async fn read(&mut self) -> Result<Option<bytes::Bytes>, TransportError> {
        tokio::time::sleep(self.1).await;
        self.0.read().await
    }
}
