//! Tests of the codec: lines, frames, messages, and all of them over a transport.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

mod cpu;
mod decoder;
mod encode;
mod framing;
mod incoming;
mod kind;
mod linear;
mod memory;
mod wire;

use agentwire_codec::{FrameError, Limits, Line, LineDecoder};
use bytes::Bytes;

/// Decodes `pieces` to the end.
fn decode<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Result<Line, FrameError>> {
    let mut decoder = LineDecoder::new(Limits::max_line(limit));
    let mut lines = Vec::new();
    for piece in pieces {
        decoder.push(Bytes::copy_from_slice(piece));
        while let Some(line) = decoder.next() {
            lines.push(line);
        }
    }
    lines.extend(decoder.finish());
    assert_eq!(decoder.buffered(), 0);
    lines
}
