//! Bytes to lines: pure, linear in the bytes, and never lost after a line that is too long.

use std::collections::VecDeque;

use bytes::{Buf, Bytes};

use crate::{FrameError, Limits, Line, frame::KindScanner, line};

/// Splits a byte stream into lines.
///
/// Push what was read, take lines until there is none, and [`finish`](Self::finish) at the end of input.
/// The stream may be cut anywhere: the lines and the errors are the same, and no byte is looked at twice.
/// Between lines it holds no memory: a pushed block is freed with the last of its lines.
/// While a line is unfinished it holds that line's bytes, with room for as much again below a mebibyte, and behind that
/// for a mebibyte or an eighth, whichever is more; and where those have to move the old ones for as long.
/// It refuses nothing by itself: whoever pushes without taking lines piles up blocks.
#[derive(Debug, Default)]
pub struct LineDecoder {
    limits: Limits,
    /// The block that is being split.
    block: Bytes,
    /// The block's length when it was pushed.
    block_len: usize,
    /// Blocks behind it, where they were pushed before all lines were taken.
    behind: VecDeque<Bytes>,
    /// The start of a line that did not end in an earlier block.
    partial: Vec<u8>,
    /// The line that is being dropped, since it is longer than the limit.
    dropped: Option<Dropped>,
    /// Lines ended so far.
    lines: u64,
}

impl LineDecoder {
    /// A decoder with these limits.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Takes the next piece of the stream. Lines of earlier pieces that were not taken yet come first.
    pub fn push(&mut self, block: Bytes) {
        if block.is_empty() {
            return;
        }
        if self.block.is_empty() && self.behind.is_empty() {
            self.start(block);
        } else {
            self.behind.push_back(block);
        }
    }

    /// The next whole line, or the error that stands for one; `None` when more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`], once for each such line; the lines after it come as usual.
    /// It is returned as soon as the line's kind is known, which may be at the line's end, or in [`finish`](Self::finish).
    #[expect(clippy::should_implement_trait, reason = "it goes on after `None`, so it is no iterator")]
    pub fn next(&mut self) -> Option<Result<Line, FrameError>> {
        loop {
            while let Some(end) = memchr::memchr(b'\n', &self.block) {
                if let Some(line) = self.complete(end) {
                    return Some(line);
                }
            }
            if let Some(error) = self.store_rest() {
                return Some(Err(error));
            }
            let block = self.behind.pop_front()?;
            self.start(block);
        }
    }

    /// Returns the last line, where the stream did not end with a newline. Take all other lines before.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`] where the last line is too long and its error was not returned before.
    pub fn finish(&mut self) -> Option<Result<Line, FrameError>> {
        if let Some(dropped) = self.dropped.take() {
            self.lines += 1;
            return dropped.into_error().map(Err);
        }
        if self.partial.is_empty() {
            return None;
        }
        self.lines += 1;
        Some(Ok(self.take_partial()))
    }

    /// Whether the bytes of a line that is longer than the limit are being dropped.
    pub fn is_dropping(&self) -> bool {
        self.dropped.is_some()
    }

    /// The bytes that wait: of an unfinished line, and of lines that were not taken.
    pub fn buffered(&self) -> usize {
        self.partial.len() + self.block.len() + self.behind.iter().map(Bytes::len).sum::<usize>()
    }

    fn start(&mut self, block: Bytes) {
        self.block_len = block.len();
        self.block = block;
    }

    /// Ends the line with the next `length` bytes of the block; `None` where its error was returned before.
    fn complete(&mut self, length: usize) -> Option<Result<Line, FrameError>> {
        self.lines += 1;
        let piece = self.block.split_to(length);
        self.block.advance(1);
        if self.dropped.is_some() || self.partial.len() + piece.len() > self.limits.max_line {
            let error = self.drop_piece(&piece, self.lines);
            let dropped = self.dropped.take();
            return error.or_else(|| dropped?.into_error()).map(Err);
        }
        Some(Ok(if !self.partial.is_empty() {
            self.store(&piece);
            self.take_partial()
        } else if length < MIN_SHARED || length * 2 < self.block_len {
            // A slice would keep the whole block alive for as long as the caller keeps the line.
            Line::new(Bytes::copy_from_slice(&piece))
        } else {
            Line::new(piece)
        }))
    }

    /// Appends to the unfinished line.
    fn store(&mut self, bytes: &[u8]) {
        let length = self.partial.len();
        if self.partial.capacity() - length < bytes.len() {
            // Doubles up to 1 MiB more, then grows by an eighth: a buffer that doubles without end holds up to three times
            // a long line while it moves.
            self.partial.reserve_exact(bytes.len().max(length / 8).max(length.min(1 << 20)));
        }
        self.partial.extend_from_slice(bytes);
    }

    /// Returns the unfinished line in a buffer of its own length.
    fn take_partial(&mut self) -> Line {
        self.partial.shrink_to_fit();
        Line::new(std::mem::take(&mut self.partial))
    }

    /// Keeps what has no newline yet, or drops it where the line is too long.
    fn store_rest(&mut self) -> Option<FrameError> {
        let rest = std::mem::take(&mut self.block);
        if self.dropped.is_some() || self.partial.len() + rest.len() > self.limits.max_line {
            return self.drop_piece(&rest, self.lines + 1);
        }
        self.store(&rest);
        None
    }

    /// Drops the next piece of an over-long line; returns the line's error once its head is known.
    fn drop_piece(&mut self, piece: &[u8], line: u64) -> Option<FrameError> {
        let dropped = match &mut self.dropped {
            Some(dropped) => dropped,
            None => {
                let limit = self.limits.max_line;
                let kept = std::mem::take(&mut self.partial);
                // No more than the limit, so that the excerpt does not depend on where the stream was cut.
                let start: Vec<u8> =
                    kept.iter().chain(piece).take(limit.min(line::EXCERPT)).copied().collect();
                let mut scanner = KindScanner::default();
                scanner.feed(&kept);
                self.dropped.insert(Dropped { line, limit, excerpt: Some(line::start(&start)), scanner })
            }
        };
        dropped.scanner.feed(piece);
        dropped.error_if_decided()
    }
}

/// A line that is longer than the limit, while its bytes are dropped.
#[derive(Debug)]
struct Dropped {
    line: u64,
    limit: usize,
    /// The start of the line; `None` once the error was returned.
    excerpt: Option<String>,
    scanner: KindScanner,
}

impl Dropped {
    /// Returns the error once the kind is known. Some lines write `type` behind megabytes of text.
    fn error_if_decided(&mut self) -> Option<FrameError> {
        if self.scanner.is_decided() { self.take_error() } else { None }
    }

    fn into_error(mut self) -> Option<FrameError> {
        self.take_error()
    }

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
