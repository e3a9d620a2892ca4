//! Bytes to lines: pure, linear in the bytes, and never lost after a line that is too long.

use bytes::{Buf, Bytes};

use crate::{FrameError, Head, Limits, Line, line::excerpt};

/// Splits a byte stream into lines.
///
/// Push what was read, take lines until there is none, and [`finish`](Self::finish) at the end of input.
/// No byte is looked at twice, however the stream is cut.
/// Between lines it holds no memory: the pushed block is freed with the last of its lines.
#[derive(Debug, Default)]
pub struct LineDecoder {
    limits: Limits,
    /// Pushed and not yet split.
    block: Bytes,
    /// The block's length when it was pushed.
    block_len: usize,
    /// The start of a line that did not end in an earlier block.
    partial: Vec<u8>,
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

    /// Takes the next piece of the stream.
    ///
    /// Lines of the last one that were not taken yet are kept, at the cost of a copy.
    pub fn push(&mut self, block: Bytes) {
        self.block =
            if self.block.is_empty() { block } else { [&self.block[..], &block[..]].concat().into() };
        self.block_len = self.block.len();
    }

    /// The next whole line, or the error that stands for one; `None` when more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`], once for each such line; the lines after it come as usual.
    #[expect(clippy::should_implement_trait, reason = "it goes on after `None`, so it is no iterator")]
    pub fn next(&mut self) -> Option<Result<Line, FrameError>> {
        while let Some(end) = memchr::memchr(b'\n', &self.block) {
            let piece = self.block.split_to(end);
            self.block.advance(1);
            self.lines += 1;
            if !std::mem::take(&mut self.dropping) {
                return Some(self.complete(piece));
            }
        }
        self.store_rest().map(Err)
    }

    /// The last line, where the stream did not end with a newline. Take all other lines before.
    pub fn finish(&mut self) -> Option<Line> {
        self.dropping = false;
        let partial = std::mem::take(&mut self.partial);
        (!partial.is_empty()).then(|| Line::new(partial))
    }

    /// The bytes that wait for their newline.
    pub fn buffered(&self) -> usize {
        self.partial.len() + self.block.len()
    }

    /// The line that ends with `piece`.
    fn complete(&mut self, piece: Bytes) -> Result<Line, FrameError> {
        if self.partial.len() + piece.len() > self.limits.max_line {
            return Err(self.too_long(&piece, self.lines));
        }
        if self.partial.is_empty() {
            return Ok(self.own(piece));
        }
        let mut line = std::mem::take(&mut self.partial);
        line.extend_from_slice(&piece);
        line.shrink_to_fit();
        Ok(Line::new(line))
    }

    /// Copies a line out of its block unless it is most of it, so that a kept line does not keep a whole block alive.
    fn own(&self, piece: Bytes) -> Line {
        if piece.len() * 2 >= self.block_len {
            Line::new(piece)
        } else {
            Line::new(Bytes::copy_from_slice(&piece))
        }
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
        self.partial.extend_from_slice(&rest);
        None
    }

    fn too_long(&mut self, piece: &[u8], line: u64) -> FrameError {
        let partial = std::mem::take(&mut self.partial);
        let start = if partial.is_empty() { piece } else { &partial };
        let head = Head::of(&start[..start.len().min(HEAD)]);
        FrameError::TooLong { line, limit: self.limits.max_line, excerpt: excerpt(start), head }
    }
}

/// How much of an over-long line is looked at to tell what it would have been, in bytes.
const HEAD: usize = 1024;
