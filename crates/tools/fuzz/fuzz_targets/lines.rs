//! The line decoder yields the lines of a plain split, regardless of how the stream is divided, and respects its limit.
//!
//! The first byte determines the limit, the second how the rest is divided.

#![no_main]

use agentwire_codec::{Frame, FrameError, FrameKind, Incoming, Limits, Line, LineDecoder};
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [limit, seed, stream @ ..] = data else { return };
    // Half of the limits are shorter than the corpus's lines.
    let limit = if limit % 2 == 0 { usize::from(*limit) * 4 } else { 1 << 20 };
    let found = decode(stream, *seed, limit);
    let mut expected: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
    // A final newline starts no line; a stream without one ends with a line.
    expected.pop_if(|last| last.is_empty());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.into_iter().zip(expected) {
        match found {
            Ok(line) => {
                assert_eq!(line.as_bytes(), expected);
                assert!(line.len() <= limit);
                incoming(line);
            }
            Err(FrameError::TooLong { limit: reported, kind, .. }) => {
                assert!(expected.len() > limit && reported == limit);
                assert_eq!(kind, FrameKind::of(expected));
            }
            Err(error) => panic!("{error}"),
        }
    }
});

/// Returns all results for the stream, divided into pieces whose lengths depend on `seed`.
fn decode(stream: &[u8], seed: u8, limit: usize) -> Vec<Result<Line, FrameError>> {
    let mut decoder = LineDecoder::new(Limits::max_line(limit));
    let mut lines = Vec::new();
    let mut rest = stream;
    let mut state = u32::from(seed);
    while !rest.is_empty() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let length = (state >> 24) as usize % (1 + usize::from(seed)) + 1;
        let (piece, behind) = rest.split_at(length.min(rest.len()));
        rest = behind;
        decoder.push(Bytes::copy_from_slice(piece));
        // Does not take the lines after every piece.
        if state & 1 == 0 {
            while let Some(line) = decoder.next() {
                lines.push(line);
            }
        }
    }
    while let Some(line) = decoder.next() {
        lines.push(line);
    }
    lines.extend(decoder.finish());
    assert_eq!(decoder.buffered(), 0);
    lines
}

/// Requires that a frame keeps its line.
fn incoming(line: Line) {
    let incoming = Incoming::decode(Frame::new(line.clone()));
    assert_eq!(incoming.line(), Some(&line));
    if let Incoming::Undecodable(error, _) = incoming {
        assert!(error.offset() <= line.len());
    }
}
