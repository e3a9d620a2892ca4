//! Additions to the handshake of the facade: lines before it, and fields in it.

use agentwire::transport::{ByteSink, Connected, Transport, TransportError};
use bytes::Bytes;

/// A transport or its sink that sends lines before the first `initialize`, and adds fields to it.
#[derive(Debug)]
pub(super) struct Added<T> {
    inner: T,
    lines: Vec<String>,
    fields: Option<String>,
}

impl<T> Added<T> {
    /// Sends these lines first, and adds the fields of this object.
    pub(super) fn new(inner: T, lines: Vec<String>, object: Option<&str>) -> Self {
        let fields = object.and_then(|object| object.trim().strip_prefix('{')?.strip_suffix('}'));
        let fields = fields.map(str::trim).filter(|fields| !fields.is_empty());
        Self { inner, lines, fields: fields.map(|fields| fields.replace('\n', " ")) }
    }
}

impl<T: Transport> Transport for Added<T> {
    type Source = T::Source;
    type Sink = Added<T::Sink>;
    type Handle = T::Handle;

    fn hold_input(&mut self) {
        self.inner.hold_input();
    }

    async fn open(self) -> Result<Connected<Self::Source, Self::Sink, Self::Handle>, TransportError> {
        let Connected { source, sink, handle } = self.inner.open().await?;
        Ok(Connected { source, sink: Added { inner: sink, lines: self.lines, fields: self.fields }, handle })
    }
}

impl<S: ByteSink> ByteSink for Added<S> {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        for line in std::mem::take(&mut self.lines) {
            self.inner.write(format!("{line}\n").into()).await?;
        }
        let chunk = match self.fields.take() {
            Some(fields) => with_fields(&chunk, &fields).unwrap_or(chunk),
            None => chunk,
        };
        self.inner.write(chunk).await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        self.inner.finish().await
    }

    fn flush_detached(&mut self, rest: Bytes) {
        self.inner.flush_detached(rest);
    }
}

/// Adds fields to the handshake, which is the first line, with its request as the last field.
fn with_fields(chunk: &[u8], fields: &str) -> Option<Bytes> {
    let text = std::str::from_utf8(chunk).ok()?;
    let head = text.trim_end().strip_suffix("}}")?;
    Some(format!("{head},{fields}}}}}\n").into())
}

#[cfg(test)]
mod tests {
    use super::with_fields;

    #[test]
    fn new_fields_are_appended() {
        let line = br#"{"request_id":"a","request":{"subtype":"initialize"}}"#;
        let added = with_fields(line, r#""title":"A title""#).unwrap();
        assert_eq!(
            added,
            "{\"request_id\":\"a\",\"request\":{\"subtype\":\"initialize\",\"title\":\"A title\"}}\n"
        );
    }
}
