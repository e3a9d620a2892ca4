//! The child's stderr: always drained, with a bounded tail and an optional callback for its lines.

use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd, OwnedFd},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use super::{
    drain::drain,
    running::{Running, spawn_thread},
};
use crate::{lock::Lock, once_event::OnceEvent};

/// A callback for lines of stderr.
pub(super) type StderrSink = Arc<dyn Fn(&str) + Send + Sync>;

/// The tail of the child's stderr.
pub(super) struct Stderr {
    tail: Lock<VecDeque<u8>>,
    bound: usize,
    /// Set when stderr was drained to its end.
    pub(super) done: OnceEvent<()>,
}

impl Stderr {
    pub(super) fn new(bound: usize) -> Self {
        Self { tail: Lock::new(VecDeque::new()), bound, done: OnceEvent::new() }
    }

    /// Drains the pipe on this thread; see [`drain`].
    pub(super) fn drain(&self, pipe: impl AsFd, stop: impl AsFd, sink: Option<StderrSink>) -> bool {
        let mut lines = sink.map(Lines::new);
        let has_ended = drain(&pipe, stop, |bytes| {
            self.keep(bytes);
            if let Some(some) = &mut lines
                && some.feed(bytes).is_err()
            {
                lines = None;
            }
        });
        if let Some(mut lines) = lines {
            // The last call, so that a panic needs no handling.
            let _ = lines.flush();
        }
        has_ended
    }

    /// Returns the last bytes, starting at a character boundary.
    pub(super) fn tail(&self) -> String {
        let mut tail = self.tail.lock();
        let bytes = tail.make_contiguous();
        // A truncated tail may start in the middle of a character.
        let start = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        String::from_utf8_lossy(&bytes[start..]).into_owned()
    }

    fn keep(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.bound)..];
        let mut tail = self.tail.lock();
        let over = (tail.len() + bytes.len()).saturating_sub(self.bound);
        tail.drain(..over);
        tail.extend(bytes);
    }
}

/// Drains the pipe on a thread of its own, until its end or the shutdown.
pub(super) fn drain_on_thread(
    running: &Arc<Running>,
    pipe: OwnedFd,
    sink: Option<StderrSink>,
) -> io::Result<()> {
    let running = Arc::clone(running);
    let work = move || {
        running.stderr.drain(&pipe, &running.shutdown, sink);
        running.stderr.done.set(());
    };
    spawn_thread("aw-stderr", work)
}

/// Splits stderr into lines for the callback.
struct Lines {
    sink: StderrSink,
    partial: Vec<u8>,
    /// Whether the callback has received a piece of the current line.
    is_split: bool,
}

/// The callback panicked. The panic hook has printed the message.
struct Panicked;

impl Lines {
    fn new(sink: StderrSink) -> Self {
        Self { sink, partial: Vec::new(), is_split: false }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Panicked> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.flush()?;
                self.is_split = false;
            } else if self.partial.len() >= MAX_LINE {
                // Keep an incomplete character at the end for the next piece.
                let end = match std::str::from_utf8(&self.partial) {
                    Err(error) if error.error_len().is_none() => error.valid_up_to(),
                    _ => self.partial.len(),
                };
                let rest = self.partial.split_off(end);
                self.flush()?;
                (self.partial, self.is_split) = (rest, true);
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Panicked> {
        if self.partial.is_empty() {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&self.partial);
        let line = line.strip_suffix('\n').unwrap_or(&line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        // A newline directly after a piece ends that line; it is not an empty line.
        let is_end = self.is_split && line.is_empty();
        let called = if is_end { Ok(()) } else { catch_unwind(AssertUnwindSafe(|| (self.sink)(line))) };
        self.partial.clear();
        called.map_err(|_| Panicked)
    }
}

/// Longer lines are passed to the callback in pieces.
const MAX_LINE: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn tail_is_bounded_and_starts_with_a_character() {
        let stderr = Stderr::new(4);
        stderr.keep("abcä".as_bytes());
        assert_eq!(stderr.tail(), "bcä");
        stderr.keep(b"123");
        assert_eq!(stderr.tail(), "123");
        stderr.keep(b"0123456789");
        assert_eq!(stderr.tail(), "6789");
    }

    #[test]
    fn lines_are_joined_across_reads_and_split_when_long() {
        let (seen, mut lines) = recording();
        for bytes in [&b"one\r\ntw"[..], b"o\n\nthr", b"ee"] {
            assert!(lines.feed(bytes).is_ok());
        }
        assert!(lines.feed(&vec![b'x'; MAX_LINE]).is_ok());
        assert!(lines.partial.is_empty());
        let seen = seen.lock().unwrap();
        assert_eq!(seen[..3], ["one", "two", ""]);
        assert_eq!(seen[3].len(), MAX_LINE + 5);
    }

    #[test]
    fn pieces_of_a_long_line_split_no_character_and_end_without_an_empty_line() {
        let (seen, mut lines) = recording();
        let long = format!("x{}", "ä".repeat(MAX_LINE));
        let whole = "y".repeat(MAX_LINE);
        for line in [&*long, &*whole, "next"] {
            for bytes in line.as_bytes().chunks(MAX_LINE) {
                assert!(lines.feed(bytes).is_ok());
            }
            assert!(lines.feed(b"\r\n").is_ok());
        }
        let seen = seen.lock().unwrap();
        assert_eq!(seen[..3].concat(), long);
        assert_eq!(seen[3..], [&*whole, "next"]);
    }

    /// Returns the lines that the callback has received, and the splitter.
    fn recording() -> (Arc<Mutex<Vec<String>>>, Lines) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let lines = Lines::new(Arc::new(move |line: &str| kept.lock().unwrap().push(line.to_owned())));
        (seen, lines)
    }

    #[test]
    fn panic_of_the_callback_is_reported() {
        let mut lines = Lines::new(Arc::new(|_: &str| panic!("not today")));
        assert!(lines.feed(b"one\n").is_err());
    }
}
