//! The child's stderr: always drained, its tail kept within a bound, its lines handed to a callback if there is one.

use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd, OwnedFd},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use super::{
    drain::{Over, drain},
    running::Running,
};
use crate::settled::Settled;

/// Is called with each line.
pub(super) type StderrSink = Arc<dyn Fn(&str) + Send + Sync>;

pub(super) struct Stderr {
    tail: Mutex<VecDeque<u8>>,
    bound: usize,
    /// No more will come.
    pub(super) done: Settled<()>,
}

impl Stderr {
    pub(super) fn new(bound: usize) -> Self {
        Self { tail: Mutex::new(VecDeque::new()), bound, done: Settled::new() }
    }

    /// Drains the pipe on this thread to its end, or until it is over and what the child left in it is read.
    ///
    /// Whether it has ended.
    pub(super) fn drain(&self, pipe: impl AsFd, over: &impl Over, sink: Option<StderrSink>) -> bool {
        let mut lines = sink.map(Lines::new);
        let has_ended = drain(&pipe, over, |bytes| {
            self.keep(bytes);
            if let Some(some) = &mut lines
                && some.feed(bytes).is_err()
            {
                lines = None;
            }
        });
        if let Some(mut lines) = lines {
            // The last call: there is nothing to stop after a panic.
            let _ = lines.flush();
        }
        has_ended
    }

    /// The last bytes, from the start of a character on.
    pub(super) fn tail(&self) -> String {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = tail.make_contiguous();
        // Only a cut tail can begin within a character.
        let start = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        String::from_utf8_lossy(&bytes[start..]).into_owned()
    }

    fn keep(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.bound)..];
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let over = (tail.len() + bytes.len()).saturating_sub(self.bound);
        tail.drain(..over);
        tail.extend(bytes);
    }
}

/// Drains the pipe on a thread of its own, until nobody needs it any more.
pub(super) fn drain_aside(running: &Arc<Running>, pipe: OwnedFd, sink: Option<StderrSink>) -> io::Result<()> {
    let running = Arc::clone(running);
    let work = move || {
        running.stderr.drain(&pipe, &running.alarm, sink);
        running.stderr.done.settle(());
    };
    thread::Builder::new().name("aw-stderr".into()).stack_size(STACK).spawn(work).map(|_| ())
}

struct Lines {
    sink: StderrSink,
    partial: Vec<u8>,
}

/// The callback panicked; the standard hook has printed what it said.
struct Panicked;

impl Lines {
    fn new(sink: StderrSink) -> Self {
        Self { sink, partial: Vec::new() }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Panicked> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.partial.len() >= LINE_MAX {
                self.flush()?;
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
        let called = catch_unwind(AssertUnwindSafe(|| (self.sink)(line)));
        self.partial.clear();
        called.map_err(|_| Panicked)
    }
}

/// The caller's code runs on this thread, and perhaps its panic. Only what is touched counts as memory.
const STACK: usize = 1024 * 1024;
/// Longer lines come in pieces.
const LINE_MAX: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_bounded_and_starts_with_a_character() {
        let stderr = Stderr::new(4);
        stderr.keep("abcä".as_bytes());
        assert_eq!(stderr.tail(), "bcä");
        stderr.keep(b"123");
        assert_eq!(stderr.tail(), "123");
        stderr.keep(b"0123456789");
        assert_eq!(stderr.tail(), "6789");
    }

    #[test]
    fn lines_are_put_together_and_cut_when_long() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let seen = Arc::clone(&seen);
            move |line: &str| seen.lock().unwrap().push(line.to_owned())
        };
        let mut lines = Lines::new(Arc::new(sink));
        for bytes in [&b"one\r\ntw"[..], b"o\n\nthr", b"ee"] {
            assert!(lines.feed(bytes).is_ok());
        }
        assert!(lines.feed(&vec![b'x'; LINE_MAX]).is_ok());
        assert!(lines.partial.is_empty());
        let seen = seen.lock().unwrap();
        assert_eq!(seen[..3], ["one", "two", ""]);
        assert_eq!(seen[3].len(), LINE_MAX + 5);
    }

    #[test]
    fn a_panicking_callback_is_reported() {
        let mut lines = Lines::new(Arc::new(|_: &str| panic!("not today")));
        assert!(lines.feed(b"one\n").is_err());
    }
}
