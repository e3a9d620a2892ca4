//! The lines to write, and the bytes that they take.

use std::collections::VecDeque;

use agentwire_protocol::RequestId;
use bytes::Bytes;

/// The queue of lines to write.
#[derive(Debug, Default)]
pub(super) struct Transmit {
    lines: VecDeque<OutboundLine>,
    /// Whether the handshake must come first. Other lines wait for it.
    handshake_first: bool,
    bytes: usize,
    answer_bytes: usize,
    /// Whether the peer waits for the last line that was taken, which is lost if the input breaks now.
    last_is_awaited: bool,
}

#[derive(Debug)]
struct OutboundLine {
    line: Bytes,
    kind: Kind,
}

/// The kind of a queued line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Prompt,
    /// A call. Cancelling it removes the line.
    Request(RequestId),
    /// The `initialize` call for which other lines wait. Cancelling it removes the line.
    Handshake(RequestId),
    /// An answer. The CLI decides how many there are, so their bytes count as inbound.
    Answer,
    Other,
}

impl Kind {
    /// Returns whether a turn may never end if this line is lost.
    fn is_awaited(&self) -> bool {
        matches!(self, Self::Prompt | Self::Answer)
    }
}

impl Transmit {
    pub(super) fn push(&mut self, line: Bytes, kind: Kind) {
        self.bytes += line.len();
        if kind == Kind::Answer {
            self.answer_bytes += line.len() + ANSWER_OVERHEAD;
        }
        self.lines.push_back(OutboundLine { line, kind });
    }

    /// Holds back all lines until the handshake was taken.
    pub(super) fn hold_for_handshake(&mut self) {
        self.handshake_first = true;
    }

    /// Adds the `initialize` call: before the lines that wait for it, else after all others.
    pub(super) fn push_handshake(&mut self, line: Bytes, id: RequestId) {
        if !self.handshake_first {
            return self.push(line, Kind::Request(id));
        }
        self.bytes += line.len();
        self.lines.push_front(OutboundLine { line, kind: Kind::Handshake(id) });
    }

    /// Returns whether a line can be taken.
    pub(super) fn is_ready(&self) -> bool {
        let front = self.lines.front();
        front.is_some_and(|front| !self.handshake_first || matches!(front.kind, Kind::Handshake(_)))
    }

    /// Takes the next line.
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        if !self.is_ready() {
            return None;
        }
        let OutboundLine { line, kind } = self.lines.pop_front()?;
        self.handshake_first = false;
        self.bytes -= line.len();
        if kind == Kind::Answer {
            self.answer_bytes -= line.len() + ANSWER_OVERHEAD;
        }
        self.last_is_awaited = kind.is_awaited();
        Some(line)
    }

    /// Removes a call that was not taken yet, and returns whether there was one.
    pub(super) fn remove_request(&mut self, id: &RequestId) -> bool {
        let is_it = |kind: &Kind| matches!(kind, Kind::Request(of) | Kind::Handshake(of) if of == id);
        let index = self.lines.iter().position(|queued| is_it(&queued.kind));
        let removed = index.and_then(|index| self.lines.remove(index));
        self.bytes -= removed.as_ref().map_or(0, |queued| queued.line.len());
        removed.is_some()
    }

    /// Returns whether a line that the peer waits for is queued, or was the last line that was taken.
    pub(super) fn holds_awaited_line(&self) -> bool {
        self.last_is_awaited || self.lines.iter().any(|queued| queued.kind.is_awaited())
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

/// The memory of a queued answer besides its line, in bytes: the queue entry and spare capacity of the allocation.
const ANSWER_OVERHEAD: usize = 256;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Kind, Transmit};

    #[test]
    fn no_line_is_taken_before_the_handshake() {
        let mut transmit = Transmit::default();
        transmit.hold_for_handshake();
        let line = Bytes::from_static;
        transmit.push(line(b"a"), Kind::Answer);
        transmit.push(line(b"b"), Kind::Answer);
        transmit.push(line(b"q"), Kind::Request("q".into()));
        assert_eq!((transmit.pop(), transmit.is_ready()), (None, false));
        transmit.push_handshake(line(b"h"), "h".into());
        // A cancelled handshake releases no line.
        assert!(transmit.is_ready() && transmit.remove_request(&"h".into()));
        assert_eq!(transmit.pop(), None);
        transmit.push_handshake(line(b"i"), "i".into());
        // A second one, as sent by `reinitialize`, queues after the others.
        assert_eq!(transmit.pop(), Some(line(b"i")));
        transmit.push_handshake(line(b"j"), "j".into());
        let rest: Vec<_> = std::iter::from_fn(|| transmit.pop()).collect();
        assert_eq!(rest, [line(b"a"), line(b"b"), line(b"q"), line(b"j")]);
        assert_eq!((transmit.bytes(), transmit.answer_bytes()), (0, 0));
    }
}
