//! Frames over a transport: one half reads, the other writes.

use std::collections::VecDeque;

use agentwire_transport::{ByteSink, ByteSource, TransportError};
use bytes::Bytes;
use serde::Serialize;

use crate::{Frame, FrameError, Limits, Line, LineDecoder, WireError, encode};

/// Reads frames from a transport's source.
#[derive(Debug)]
pub struct WireReader<S> {
    source: S,
    decoder: LineDecoder,
    ended: bool,
    /// The transport's error, while the line before it is handed over.
    failed: Option<TransportError>,
}

impl<S: ByteSource> WireReader<S> {
    /// Reads from `source`, with lines of bounded length.
    pub fn new(source: S, limits: Limits) -> Self {
        Self { source, decoder: LineDecoder::new(limits), ended: false, failed: None }
    }

    /// Waits for the next piece of output and gives all frames that it completed; `None` at the end.
    ///
    /// The list is empty where the piece completed none: read again.
    /// Blank lines are passed over.
    /// A last line without a newline is a frame too, also before an error.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe as far as the source's own `read` is: nothing read is held by the future.
    ///
    /// # Errors
    ///
    /// When the transport fails; after it comes `None`.
    /// An over-long line is an entry in the list, not an error of the reader.
    pub async fn read(&mut self) -> Result<Option<Batch>, WireError> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        if self.ended {
            return Ok(None);
        }
        match self.source.read().await {
            Ok(Some(block)) => Ok(Some(self.split(block))),
            Ok(None) => Ok(self.end()),
            Err(error) => match self.end() {
                Some(last) => {
                    self.failed = Some(error);
                    Ok(Some(last))
                }
                None => Err(error.into()),
            },
        }
    }

    fn split(&mut self, block: Bytes) -> Batch {
        self.decoder.push(block);
        std::iter::from_fn(|| self.decoder.next())
            .filter(|line| !line.as_ref().is_ok_and(Line::is_blank))
            .map(|line| line.map(Frame::new))
            .collect()
    }

    fn end(&mut self) -> Option<Batch> {
        self.ended = true;
        match self.decoder.finish()? {
            Ok(last) if last.is_blank() => None,
            last => Some(Batch::from([last.map(Frame::truncated)])),
        }
    }
}

/// What one read completed: frames, and errors that stand for lines that were too long.
pub type Batch = VecDeque<Result<Frame, FrameError>>;

/// Writes lines to a transport's sink.
#[derive(Debug)]
pub struct WireWriter<S> {
    sink: S,
}

impl<S: ByteSink> WireWriter<S> {
    /// Writes to `sink`.
    pub fn new(sink: S) -> Self {
        Self { sink }
    }

    /// Writes one value as a line, and waits until the transport has taken it.
    ///
    /// # Errors
    ///
    /// When the value is no JSON, or the transport fails.
    pub async fn write<T: Serialize + Sync + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.write_lines(encode(value)?).await
    }

    /// Writes whole lines that are encoded already, each with its newline.
    ///
    /// # Errors
    ///
    /// When the transport fails.
    pub async fn write_lines(&mut self, lines: Bytes) -> Result<(), WireError> {
        Ok(self.sink.write(lines).await?)
    }

    /// Ends the peer's input.
    ///
    /// # Errors
    ///
    /// When the transport fails.
    pub async fn finish(&mut self) -> Result<(), WireError> {
        Ok(self.sink.finish().await?)
    }

    /// Leaves whole lines to the transport that were never written, before this is dropped: see [`ByteSink::flush_detached`].
    pub fn flush_detached(&mut self, lines: Bytes) {
        self.sink.flush_detached(lines);
    }
}
