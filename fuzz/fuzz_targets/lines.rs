//! The line decoder gives the lines of a plain split, wherever the stream is cut, and respects its limit.
//!
//! The first byte is the limit's lowest bits, the second tells how the rest is cut.

#![no_main]

use agentwire_codec::{Frame, FrameError, FrameKind, Incoming, Limits, Line, LineDecoder};
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [limit, seed, stream @ ..] = data else { return };
    // Half of the limits are below what the lines of the corpus have, half above.
    let limit = if limit % 2 == 0 { usize::from(*limit) * 4 } else { 1 << 20 };
    let found = decode(stream, *seed, limit);
    let mut expected: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
    // A stream that ends with a newline has no line behind it, and one without a newline ends with a line.
    expected.pop_if(|last| last.is_empty());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.into_iter().zip(expected) {
        match found {
            Ok(line) => {
                assert_eq!(line.as_bytes(), expected);
                assert!(line.len() <= limit);
                incoming(line);
            }
            Err(FrameError::TooLong { limit: told, head, .. }) => {
                assert!(expected.len() > limit && told == limit);
                assert_eq!(head, FrameKind::of(&expected[..limit]));
            }
            Err(error) => panic!("{error}"),
        }
    }
});

/// All that comes of the stream, cut into pieces whose lengths follow from `seed`.
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
        // Not every piece is asked for its lines at once.
        if state & 1 == 0 {
            while let Some(line) = decoder.next() {
                lines.push(line);
            }
        }
    }
    while let Some(line) = decoder.next() {
        lines.push(line);
    }
    lines.extend(decoder.finish().map(Ok));
    assert_eq!(decoder.buffered(), 0);
    lines
}

/// Whatever comes of a line, the line is still there.
fn incoming(line: Line) {
    let incoming = Incoming::decode(Frame::new(line.clone()));
    assert_eq!(incoming.line(), Some(&line));
    if let Incoming::Undecodable(error, _) = incoming {
        assert!(error.offset() <= line.len());
    }
}
