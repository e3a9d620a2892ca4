//! Splits bytes into lines in linear time, with a limit on the length of a line.

use std::{collections::VecDeque, ops::Range};

use bytes::Bytes;

use crate::{FrameError, Limits, Line, frame::KindScanner, line};

/// Splits a byte stream into lines.
///
/// [`push`](Self::push) each block that was read, call [`next`](Self::next) until it returns `None`, and call
/// [`finish`](Self::finish) at the end of input.
/// The blocks may split the stream anywhere: the lines and errors are the same, and each byte is searched once.
///
/// The decoder frees a block with the last of its lines. It buffers an unfinished line up to the limit, in a buffer that
/// is at most twice as long below 1 MiB, and above that longer by at most 1 MiB or an eighth, whichever is more.
/// Blocks are buffered without a limit if the caller pushes and does not take lines.
#[derive(Default)]
pub struct LineDecoder {
    limits: Limits,
    /// The pushed blocks with bytes left to take.
    blocks: VecDeque<Bytes>,
    /// The number of bytes taken from the first block.
    taken: usize,
    /// The start of the current line, from earlier blocks.
    partial: Vec<u8>,
    /// The current line, if it is longer than the limit.
    dropped: Option<Dropped>,
    /// The number of completed lines.
    lines: u64,
}

impl LineDecoder {
    /// Creates a decoder with these limits.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Adds the next block of the stream.
    pub fn push(&mut self, block: Bytes) {
        self.blocks.push_back(block);
    }

    /// Returns the next complete line or its error, or `None` if more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`], once for each such line. The following lines are not affected.
    /// The error is returned as soon as the line's kind is known, at the latest at the line's end or by
    /// [`finish`](Self::finish).
    #[expect(clippy::should_implement_trait, reason = "not an iterator: lines may follow after `None`")]
    pub fn next(&mut self) -> Option<Result<Line, FrameError>> {
        while let Some(block) = self.blocks.front().cloned() {
            let start = self.taken;
            let line = if let Some(length) = memchr::memchr(b'\n', &block[start..]) {
                self.taken += length + 1;
                self.complete(&block, start..start + length)
            } else {
                self.blocks.pop_front();
                self.taken = 0;
                self.store_rest(&block[start..]).map(Err)
            };
            if line.is_some() {
                return line;
            }
        }
        None
    }

    /// Returns the last line, if the stream did not end with a newline. Call it when [`next`](Self::next) has returned `None`.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`] if the last line is too long and its error was not returned before.
    pub fn finish(&mut self) -> Option<Result<Line, FrameError>> {
        if let Some(mut dropped) = self.dropped.take() {
            self.lines += 1;
            return dropped.take_error().map(Err);
        }
        if self.partial.is_empty() {
            return None;
        }
        self.lines += 1;
        Some(Ok(self.take_partial()))
    }

    /// Returns the number of buffered bytes, of the unfinished line and of lines that were not taken.
    pub fn buffered(&self) -> usize {
        self.partial.len() + self.blocks.iter().map(Bytes::len).sum::<usize>() - self.taken
    }

    /// Completes the line that ends with this range of the block. Returns `None` if its error was returned before.
    fn complete(&mut self, block: &Bytes, range: Range<usize>) -> Option<Result<Line, FrameError>> {
        self.lines += 1;
        let piece = &block[range.clone()];
        if self.dropped.is_some() || self.partial.len() + piece.len() > self.limits.max_line {
            let error = self.drop_piece(piece, self.lines);
            let dropped = self.dropped.take();
            return error.or_else(|| dropped?.take_error()).map(Err);
        }
        Some(Ok(if !self.partial.is_empty() {
            self.store(piece);
            self.take_partial()
        } else if piece.len() < MIN_SHARED || piece.len() * 2 < block.len() {
            // A slice would keep the whole block alive for as long as the caller keeps the line.
            Line::new(Bytes::copy_from_slice(piece))
        } else {
            Line::new(block.slice(range))
        }))
    }

    /// Appends to the unfinished line.
    fn store(&mut self, bytes: &[u8]) {
        let length = self.partial.len();
        if self.partial.capacity() - length < bytes.len() {
            // Doubles below 1 MiB, then grows by 1 MiB or an eighth: doubling a long line would need three times its memory
            // while it is copied.
            self.partial.reserve_exact(bytes.len().max(length / 8).max(length.min(1 << 20)));
        }
        self.partial.extend_from_slice(bytes);
    }

    /// Returns the unfinished line in a buffer of its own length.
    fn take_partial(&mut self) -> Line {
        self.partial.shrink_to_fit();
        Line::new(std::mem::take(&mut self.partial))
    }

    /// Stores the rest of a block, which has no newline, or drops it if the line is too long.
    fn store_rest(&mut self, rest: &[u8]) -> Option<FrameError> {
        if self.dropped.is_some() || self.partial.len() + rest.len() > self.limits.max_line {
            return self.drop_piece(rest, self.lines + 1);
        }
        self.store(rest);
        None
    }

    /// Drops the next piece of an over-long line. Returns the line's error once its kind is known.
    fn drop_piece(&mut self, piece: &[u8], line: u64) -> Option<FrameError> {
        let dropped = match &mut self.dropped {
            Some(dropped) => dropped,
            None => {
                let limit = self.limits.max_line;
                let kept = std::mem::take(&mut self.partial);
                // At most the limit, so that the excerpt does not depend on how the stream is split into blocks.
                let start: Vec<u8> =
                    kept.iter().chain(piece).take(limit.min(line::EXCERPT)).copied().collect();
                let mut scanner = KindScanner::default();
                scanner.feed(&kept);
                self.dropped.insert(Dropped { line, limit, excerpt: Some(line::start(&start)), scanner })
            }
        };
        dropped.scanner.feed(piece);
        // The kind may be known late: in some lines `type` comes after megabytes of text.
        if dropped.scanner.is_decided() { dropped.take_error() } else { None }
    }
}

// The lines contain secrets, and may be long.
agentwire_transport::debug_by_name!(LineDecoder { limits, lines });

/// A line that is longer than the limit.
struct Dropped {
    line: u64,
    limit: usize,
    /// The start of the line. `None` once the error was returned.
    excerpt: Option<String>,
    scanner: KindScanner,
}

impl Dropped {
    fn take_error(&mut self) -> Option<FrameError> {
        let excerpt = self.excerpt.take()?;
        Some(FrameError::TooLong { line: self.line, limit: self.limit, excerpt, kind: self.scanner.kind() })
    }
}

/// Shorter lines are always copied, since a block may be a small slice of a large buffer.
const MIN_SHARED: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_line_reserves_at_most_1_mib_or_an_eighth_and_rarely_moves() {
        for length in [1, 700, 4096, 30_000, 64 << 10] {
            let mut decoder = LineDecoder::default();
            let block = Bytes::from(vec![b'x'; length]);
            let (mut moves, mut held) = (0, 0);
            for count in 1..=(16 << 20) / length.max(512) {
                decoder.push(block.clone());
                assert_eq!(decoder.next(), None);
                let (read, capacity) = (count * length, decoder.partial.capacity());
                assert!(capacity <= read + read.min(1 << 20).max(read / 8), "{capacity} bytes for {read}");
                moves += usize::from(capacity != held);
                held = capacity;
            }
            assert!(moves < 40, "{moves} moves, in blocks of {length} bytes");
        }
    }
}
