//! What waits to be written, counted in bytes.

use std::collections::VecDeque;

use agentwire_protocol::RequestId;
use bytes::Bytes;
#[cfg(any(test, feature = "driver"))]
use bytes::BytesMut;

/// What waits to be written, in order.
#[derive(Debug, Default)]
pub(super) struct Transmit {
    lines: VecDeque<Waiting>,
    /// Whether the next line that is taken must be the handshake; others wait for it.
    handshake_first: bool,
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
    /// A request of ours, which goes when it is cancelled.
    Request(RequestId),
    /// The `initialize` request, in front of what waits for it; it goes as any request of ours.
    Handshake(RequestId),
    /// It answers the CLI: how many of those there are is not ours to decide.
    Answer,
    Other,
}

impl Transmit {
    pub(super) fn push(&mut self, line: Bytes, kind: Kind) {
        self.bytes += line.len();
        if kind == Kind::Answer {
            self.answer_bytes += line.len() + OVERHEAD;
        }
        self.lines.push_back(Waiting { line, kind });
    }

    /// Holds every line back until the handshake was taken.
    #[cfg(any(test, feature = "driver"))]
    pub(super) fn put_handshake_first(&mut self) {
        self.handshake_first = true;
    }

    /// Adds the `initialize` request: in front of lines that wait for it, else behind the others.
    pub(super) fn push_handshake(&mut self, line: Bytes, id: RequestId) {
        if !self.handshake_first {
            return self.push(line, Kind::Request(id));
        }
        self.bytes += line.len();
        self.lines.push_front(Waiting { line, kind: Kind::Handshake(id) });
    }

    /// Whether a line can be taken.
    pub(super) fn is_ready(&self) -> bool {
        let front = self.lines.front();
        front.is_some_and(|front| !self.handshake_first || matches!(front.kind, Kind::Handshake(_)))
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        if !self.is_ready() {
            return None;
        }
        let Waiting { line, kind } = self.lines.pop_front()?;
        self.handshake_first = false;
        self.bytes -= line.len();
        if kind == Kind::Answer {
            self.answer_bytes -= line.len() + OVERHEAD;
        }
        self.last_was_prompt = kind == Kind::Prompt;
        Some(line)
    }

    /// As [`pop`](Self::pop), and answers in a row at once, where they are short.
    ///
    /// Answers alone: a request may be cancelled until it is taken, and a prompt that is taken is told apart.
    #[cfg(any(test, feature = "driver"))]
    pub(super) fn pop_run(&mut self) -> Option<Bytes> {
        let (mut lines, mut bytes) = (0, 0);
        for Waiting { line, kind } in &self.lines {
            if *kind != Kind::Answer || bytes + line.len() > LONGEST_RUN {
                break;
            }
            (lines, bytes) = (lines + 1, bytes + line.len());
        }
        if lines < 2 {
            return self.pop();
        }
        let mut run = BytesMut::with_capacity(bytes);
        for _ in 0..lines {
            run.extend_from_slice(&self.pop()?);
        }
        Some(run.freeze())
    }

    /// Drops a request that was not taken yet; `false` where it was.
    pub(super) fn remove_request(&mut self, id: &RequestId) -> bool {
        let is_it = |kind: &Kind| matches!(kind, Kind::Request(of) | Kind::Handshake(of) if of == id);
        let place = self.lines.iter().position(|waiting| is_it(&waiting.kind));
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

/// What an answer takes beside its line, in bytes: its place, and what its allocation has to spare.
const OVERHEAD: usize = 256;
/// The most bytes of answers that are joined: copying them costs less than another write, and a pipe takes them at once.
#[cfg(any(test, feature = "driver"))]
const LONGEST_RUN: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Kind, LONGEST_RUN, Transmit};

    fn run(lines: &[(&'static str, Kind)]) -> Vec<Bytes> {
        let mut transmit = Transmit::default();
        for (line, kind) in lines {
            let kind = match kind {
                Kind::Request(id) => Kind::Request(id.clone()),
                Kind::Handshake(id) => Kind::Handshake(id.clone()),
                Kind::Prompt => Kind::Prompt,
                Kind::Answer => Kind::Answer,
                Kind::Other => Kind::Other,
            };
            transmit.push(Bytes::from_static(line.as_bytes()), kind);
        }
        let runs = std::iter::from_fn(|| transmit.pop_run()).collect();
        assert_eq!((transmit.bytes(), transmit.answer_bytes()), (0, 0));
        runs
    }

    #[test]
    fn answers_in_a_row_are_one_piece_and_nothing_else_is() {
        let request = || Kind::Request("r".into());
        let lines = [
            ("a\n", Kind::Answer),
            ("b\n", Kind::Answer),
            ("p\n", Kind::Prompt),
            ("q\n", Kind::Prompt),
            ("c\n", Kind::Answer),
            ("r\n", request()),
            ("s\n", request()),
            ("o\n", Kind::Other),
            ("d\n", Kind::Answer),
            ("e\n", Kind::Answer),
            ("f\n", Kind::Answer),
        ];
        let runs = ["a\nb\n", "p\n", "q\n", "c\n", "r\n", "s\n", "o\n", "d\ne\nf\n"];
        assert_eq!(run(&lines), runs);
    }

    #[test]
    fn a_piece_has_a_bound() {
        let long: &'static str = "x".repeat(LONGEST_RUN - 1).leak();
        let runs =
            run(&[("a", Kind::Answer), (long, Kind::Answer), ("b", Kind::Answer), ("c", Kind::Answer)]);
        assert_eq!(runs.iter().map(Bytes::len).collect::<Vec<_>>(), [LONGEST_RUN, 2]);
        assert_eq!(run(&[(long, Kind::Answer), (long, Kind::Answer)]).len(), 2);
    }

    #[test]
    fn nothing_is_taken_before_the_handshake() {
        let mut transmit = Transmit::default();
        transmit.put_handshake_first();
        let line = Bytes::from_static;
        transmit.push(line(b"a"), Kind::Answer);
        transmit.push(line(b"b"), Kind::Answer);
        transmit.push(line(b"q"), Kind::Request("q".into()));
        assert_eq!((transmit.pop_run(), transmit.is_ready()), (None, false));
        transmit.push_handshake(line(b"h"), "h".into());
        // One that was cancelled releases nothing.
        assert!(transmit.is_ready() && transmit.remove_request(&"h".into()));
        assert_eq!(transmit.pop_run(), None);
        transmit.push_handshake(line(b"i"), "i".into());
        // A second one, as of `reinitialize`, has its place behind the others.
        assert_eq!(transmit.pop_run(), Some(line(b"i")));
        transmit.push_handshake(line(b"j"), "j".into());
        let rest: Vec<_> = std::iter::from_fn(|| transmit.pop_run()).collect();
        assert_eq!(rest, [line(b"ab"), line(b"q"), line(b"j")]);
        assert_eq!((transmit.bytes(), transmit.answer_bytes()), (0, 0));
    }
}
