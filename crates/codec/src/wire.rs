//! Reads frames from a transport, and writes lines to it.

use std::collections::VecDeque;

use agentwire_transport::{ByteSink, ByteSource, TransportError, WriteNow};
use bytes::Bytes;
use serde::Serialize;

use crate::{Frame, FrameError, Limits, Line, LineDecoder, WireError, encode};

/// Reads frames from a transport's source.
#[derive(Debug)]
pub struct WireReader<S> {
    source: S,
    decoder: LineDecoder,
    ended: bool,
    /// The transport's error, to return after the last line.
    failed: Option<TransportError>,
}

impl<S: ByteSource> WireReader<S> {
    /// Creates a reader of `source`.
    pub fn new(source: S, limits: Limits) -> Self {
        Self { source, decoder: LineDecoder::new(limits), ended: false, failed: None }
    }

    /// Waits for the next block of output and returns the frames that it completed, or `None` at the end.
    ///
    /// The batch is empty if the block completed no frame.
    /// Blank lines are skipped.
    /// A last line without a newline is returned as a truncated frame, before an error of the transport too.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe if the source's `read` is: the future holds no data.
    ///
    /// # Errors
    ///
    /// [`WireError::Transport`] if the transport fails. Later calls return `None`.
    /// An over-long line is an entry of the batch.
    pub async fn read(&mut self) -> Result<Option<Batch>, WireError> {
        if !self.ended {
            match self.source.read().await {
                Ok(Some(block)) => return Ok(Some(self.split(block))),
                Ok(None) => {}
                Err(error) => self.failed = Some(error),
            }
            if let Some(last) = self.end() {
                return Ok(Some(last));
            }
        }
        self.failed.take().map_or(Ok(None), |error| Err(error.into()))
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

/// The frames that one read completed, with errors in place of lines that were too long.
pub type Batch = VecDeque<Result<Frame, FrameError>>;

/// Writes lines to a transport's sink.
#[derive(Debug)]
pub struct WireWriter<S> {
    sink: S,
}

impl<S: ByteSink> WireWriter<S> {
    /// Creates a writer to `sink`.
    pub fn new(sink: S) -> Self {
        Self { sink }
    }

    /// Writes one value as a line, and waits until the transport has accepted it.
    ///
    /// # Cancel safety
    ///
    /// That of the transport: see [`ByteSink::write`].
    ///
    /// # Errors
    ///
    /// If the value can't be written as JSON, or the transport fails.
    pub async fn write<T: Serialize + Sync + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.write_lines(encode(value)?).await
    }

    /// Writes encoded lines, each with its newline.
    ///
    /// # Cancel safety
    ///
    /// That of the transport: see [`ByteSink::write`].
    ///
    /// # Errors
    ///
    /// If the transport fails.
    pub async fn write_lines(&mut self, lines: Bytes) -> Result<(), WireError> {
        Ok(self.sink.write(lines).await?)
    }

    /// Ends the peer's input.
    ///
    /// # Cancel safety
    ///
    /// That of the transport: see [`ByteSink::write`].
    ///
    /// # Errors
    ///
    /// If the transport fails.
    pub async fn finish(&mut self) -> Result<(), WireError> {
        Ok(self.sink.finish().await?)
    }

    /// Returns the transport's function that writes without waiting, if it has one: see [`ByteSink::write_now`].
    pub fn write_now(&self) -> Option<WriteNow> {
        self.sink.write_now()
    }

    /// Passes lines that were never written to the transport, right before the writer is dropped: see
    /// [`ByteSink::flush_detached`].
    pub fn flush_detached(&mut self, lines: Bytes) {
        self.sink.flush_detached(lines);
    }
}
