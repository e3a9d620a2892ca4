//! What waits to be written, counted in bytes.

use std::collections::VecDeque;

use bytes::Bytes;

/// What waits to be written, in order.
#[derive(Debug, Default)]
pub(super) struct Transmit {
    lines: VecDeque<Waiting>,
    bytes: usize,
    answer_bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    line: Bytes,
    /// Whether it answers the CLI: how many of those there are is not ours to decide.
    is_answer: bool,
}

impl Transmit {
    pub(super) fn push(&mut self, line: Bytes) {
        self.bytes += line.len();
        self.lines.push_back(Waiting { line, is_answer: false });
    }

    pub(super) fn push_answer(&mut self, line: Bytes) {
        self.bytes += line.len();
        self.answer_bytes += line.len();
        self.lines.push_back(Waiting { line, is_answer: true });
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let Waiting { line, is_answer } = self.lines.pop_front()?;
        self.bytes -= line.len();
        if is_answer {
            self.answer_bytes -= line.len();
        }
        Some(line)
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn answer_bytes(&self) -> usize {
        self.answer_bytes
    }
}
