//! Bytes to lines: pure, linear in the bytes, and never lost after a line that is too long.

mod partial;

use std::{borrow::Cow, collections::VecDeque};

use bytes::{Buf, Bytes};

use crate::{FrameError, Head, Limits, Line, line};
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
    /// Whether the rest of an over-long line is being dropped.
    dropping: bool,
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
    #[expect(clippy::should_implement_trait, reason = "it goes on after `None`, so it is no iterator")]
    pub fn next(&mut self) -> Option<Result<Line, FrameError>> {
        Some(self.next_cut()?.map(Cut::into_line))
    }

    /// As [`next`](Self::next), with the line where it lies.
    pub(crate) fn next_cut(&mut self) -> Option<Result<Cut, FrameError>> {
        loop {
            while let Some(end) = memchr::memchr(b'\n', &self.block) {
                self.lines += 1;
                if std::mem::take(&mut self.dropping) {
                    self.block.advance(end + 1);
                } else {
                    return Some(self.complete(end));
                }
            }
            if let Some(error) = self.store_rest() {
                return Some(Err(error));
            }
            let block = self.behind.pop_front()?;
            self.start(block);
        }
    }

    /// The last line, where the stream did not end with a newline. Take all other lines before.
    ///
    /// Of a last line that is too long nothing is left: its error came when the limit was passed.
    pub fn finish(&mut self) -> Option<Line> {
        self.dropping = false;
        (self.partial.len() > 0).then(|| {
            self.lines += 1;
            Line::new(self.partial.take(&[]))
        })
    }

    /// The bytes that wait: of an unfinished line, and of lines that were not taken.
    pub fn buffered(&self) -> usize {
        self.partial.len() + self.block.len() + self.behind.iter().map(Bytes::len).sum::<usize>()
    }

    fn start(&mut self, block: Bytes) {
        self.block_len = block.len();
        self.block = block;
    }

    /// The line that ends with the next `length` bytes of the block.
    fn complete(&mut self, length: usize) -> Result<Cut, FrameError> {
        let piece = &self.block[..length];
        let line = if self.partial.len() + length > self.limits.max_line {
            let piece = self.block.slice(..length);
            Err(self.too_long(&piece, self.lines))
        } else if self.partial.len() > 0 {
            Ok(Cut { line: Line::new(self.partial.take(piece)), is_shared: false })
        } else {
            Ok(Cut { line: Line::new(self.block.slice(..length)), is_shared: self.is_to_copy(length) })
        };
        self.block.advance(length + 1);
        line
    }

    /// Whether a piece is to be copied out of its block: where it is short, or less than half of the block.
    ///
    /// What is kept then keeps at most twice its own length alive, of a block that is its own allocation.
    fn is_to_copy(&self, piece: usize) -> bool {
        piece < COPIED || piece * 2 < self.block_len
    }

    /// Keeps what has no newline yet.
    fn store_rest(&mut self) -> Option<FrameError> {
        let rest = std::mem::take(&mut self.block);
        if self.dropping {
            return None;
        }
        if self.partial.len() + rest.len() > self.limits.max_line {
            self.dropping = true;
            return Some(self.too_long(&rest, self.lines + 1));
        }
        self.partial.extend(&rest);
        None
    }

    /// The error for a line that goes on with `piece`, made of as many bytes of it as the limit allows.
    ///
    /// No more and no less, so that the error does not depend on where the stream was cut.
    fn too_long(&mut self, piece: &[u8], line: u64) -> FrameError {
        let limit = self.limits.max_line;
        let piece = &piece[..limit - self.partial.len()];
        let start: Cow<'_, [u8]> =
            if self.partial.len() > 0 { self.partial.take(piece).into() } else { piece.into() };
        FrameError::TooLong { line, limit, excerpt: line::start(&start), head: Head::of(&start) }
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
