//! Bytes to lines: pure, linear in the bytes, and never lost after a line that is too long.

mod partial;

use std::collections::VecDeque;

use bytes::{Buf, Bytes};

use crate::{FrameError, Limits, Line, frame::KindScanner, line};
use partial::Partial;

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
    partial: Partial,
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
        Some(self.next_cut()?.map(Cut::into_line))
    }

    /// As [`next`](Self::next), with the line where it lies.
    pub(crate) fn next_cut(&mut self) -> Option<Result<Cut, FrameError>> {
        loop {
            while let Some(end) = memchr::memchr(b'\n', &self.block) {
                if let Some(cut) = self.complete(end) {
                    return Some(cut);
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
        (self.partial.len() > 0).then(|| {
            self.lines += 1;
            Ok(Line::new(self.partial.take(&[])))
        })
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
    fn complete(&mut self, length: usize) -> Option<Result<Cut, FrameError>> {
        self.lines += 1;
        let is_shared = self.is_to_copy(length);
        let piece = self.block.split_to(length);
        self.block.advance(1);
        if self.dropped.is_some() || self.partial.len() + piece.len() > self.limits.max_line {
            let error = self.drop_piece(&piece, self.lines);
            let dropped = self.dropped.take();
            return error.or_else(|| dropped?.into_error()).map(Err);
        }
        Some(Ok(if self.partial.len() > 0 {
            Cut { line: Line::new(self.partial.take(&piece)), is_shared: false }
        } else {
            Cut { line: Line::new(piece), is_shared }
        }))
    }

    /// Whether a piece is to be copied out of its block: where it is short, or less than half of the block.
    ///
    /// What is kept then keeps at most twice its own length alive, of a block that is its own allocation.
    fn is_to_copy(&self, piece: usize) -> bool {
        piece < COPIED || piece * 2 < self.block_len
    }

    /// Keeps what has no newline yet, or drops it where the line is too long.
    fn store_rest(&mut self) -> Option<FrameError> {
        let rest = std::mem::take(&mut self.block);
        if self.dropped.is_some() || self.partial.len() + rest.len() > self.limits.max_line {
            return self.drop_piece(&rest, self.lines + 1);
        }
        self.partial.extend(&rest);
        None
    }

    /// Drops the next piece of an over-long line; returns the line's error once its head is known.
    fn drop_piece(&mut self, piece: &[u8], line: u64) -> Option<FrameError> {
        let dropped = match &mut self.dropped {
            Some(dropped) => dropped,
            None => {
                let limit = self.limits.max_line;
                let kept = self.partial.take(&[]);
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

/// A line where it lies.
pub(crate) struct Cut {
    pub(crate) line: Line,
    /// Whether it is a small part of its block, which whoever keeps the line would keep whole.
    pub(crate) is_shared: bool,
}

impl Cut {
    /// The line, with little memory beside its own.
    fn into_line(self) -> Line {
        if self.is_shared { self.line.copied() } else { self.line }
    }
}

/// A line below this length, in bytes, is copied out of its block whatever the block's length: a block may be a small
/// slice of a large buffer, and copying a short line costs less than the question.
const COPIED: usize = 4096;
