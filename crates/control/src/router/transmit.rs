//! What waits to be written, counted in bytes.

use std::collections::VecDeque;

use agentwire_protocol::RequestId;
use bytes::Bytes;

/// What waits to be written, in order.
#[derive(Debug, Default)]
pub(super) struct Transmit {
    lines: VecDeque<Waiting>,
    bytes: usize,
    answer_bytes: usize,
    /// Whether the line that was taken last is a prompt: one that can't be written is lost with the input.
    last_was_prompt: bool,
}

#[derive(Debug)]
struct Waiting {
    line: Bytes,
    kind: Kind,
}

/// What a line is, as far as it matters while it waits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Prompt,
    /// A request of ours, which goes when it is taken back.
    Request(RequestId),
    /// It answers the CLI: how many of those there are is not ours to decide.
    Answer,
    Other,
}

impl Transmit {
    pub(super) fn push(&mut self, line: Bytes, kind: Kind) {
        self.bytes += line.len();
        if kind == Kind::Answer {
            self.answer_bytes += line.len();
        }
        self.lines.push_back(Waiting { line, kind });
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let Waiting { line, kind } = self.lines.pop_front()?;
        self.bytes -= line.len();
        if kind == Kind::Answer {
            self.answer_bytes -= line.len();
        }
        self.last_was_prompt = kind == Kind::Prompt;
        Some(line)
    }

    /// Drops a request that was not taken yet; `false` where it was.
    pub(super) fn remove_request(&mut self, id: &RequestId) -> bool {
        let place =
            self.lines.iter().position(|waiting| matches!(&waiting.kind, Kind::Request(of) if of == id));
        let removed = place.and_then(|place| self.lines.remove(place));
        self.bytes -= removed.as_ref().map_or(0, |waiting| waiting.line.len());
        removed.is_some()
    }

    /// Whether a prompt waits, or was the last that was taken.
    pub(super) fn holds_prompt(&self) -> bool {
        self.last_was_prompt || self.lines.iter().any(|waiting| waiting.kind == Kind::Prompt)
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
