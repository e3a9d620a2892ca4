//! Bounded memories of one server: its troubles, and its stderr.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use crate::record::{Level, StderrLine, Trouble};

/// What is kept of one server, whatever becomes of its connections.
#[derive(Debug, Default)]
pub(crate) struct Record {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    troubles: VecDeque<Trouble>,
    stderr: VecDeque<StderrLine>,
    /// How many lines on its stdout were no messages.
    noise: u64,
}

impl Record {
    /// Keeps what went wrong; the same thing again counts.
    pub(crate) fn note(&self, what: &str) {
        let mut kept = self.lock();
        let what = cut(what);
        match kept.troubles.back_mut() {
            Some(last) if *last.what == *what => last.times += 1,
            _ => push(
                &mut kept.troubles,
                Trouble { at: SystemTime::now(), what: what.into(), times: 1 },
                TROUBLES,
            ),
        }
    }

    /// Keeps that a line on its stdout was no message.
    ///
    /// The first few are told; a server that goes on is not to push everything else out.
    pub(crate) fn noise(&self, excerpt: &str) {
        let count = {
            let mut kept = self.lock();
            kept.noise += 1;
            kept.noise
        };
        if count <= NOISE || count.is_power_of_two() {
            self.note(&format!("line {count} on its stdout that is no message, and was skipped: {excerpt}"));
        }
    }

    /// Keeps a line of its stderr.
    pub(crate) fn stderr(&self, line: &str) {
        let line = StderrLine { at: SystemTime::now(), level: Level::of(line), text: cut(line).into() };
        push(&mut self.lock().stderr, line, STDERR);
    }

    pub(crate) fn troubles(&self) -> Vec<Trouble> {
        self.lock().troubles.iter().cloned().collect()
    }

    pub(crate) fn stderr_lines(&self) -> Vec<StderrLine> {
        self.lock().stderr.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a stderr as part of a message, which is short.
pub(crate) fn tail(stderr: &str) -> String {
    let stderr = stderr.trim();
    match stderr.char_indices().nth_back(TAIL) {
        Some((at, _)) => format!("…{}", &stderr[at..]),
        None => stderr.to_owned(),
    }
}

/// A message with which a [`tail`] is to stand: a server may have said anything.
pub(crate) fn beginning(text: &str) -> String {
    cut_to(text, LENGTH - TAIL - 20)
}

/// A text that is kept.
pub(crate) fn cut(text: &str) -> String {
    cut_to(text, LENGTH)
}

fn push<T>(all: &mut VecDeque<T>, one: T, bound: usize) {
    if all.len() == bound {
        all.pop_front();
    }
    all.push_back(one);
}

fn cut_to(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Troubles that are kept of a server.
const TROUBLES: usize = 100;
/// Lines of stderr that are kept of a server.
const STDERR: usize = 500;
/// The longest text that is kept, in characters, but for a mark that it was cut.
const LENGTH: usize = 999;
/// How many lines of noise are told one by one.
const NOISE: u64 = 3;
/// How much of a stderr a message has, in characters: what stands before it must have room too.
const TAIL: usize = 700;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_bounded_in_entries_and_in_length() {
        let record = Record::default();
        for number in 0..150 {
            record.note(&format!("{number} {}", "ä".repeat(2000)));
            record.note(&format!("{number} {}", "ä".repeat(2000)));
        }
        let troubles = record.troubles();
        assert_eq!(troubles.len(), TROUBLES);
        assert!(troubles[0].what.starts_with("50 "));
        assert!(troubles.iter().all(|trouble| trouble.what.chars().count() == 1000 && trouble.times == 2));
        for number in 0..STDERR + 1 {
            record.stderr(&number.to_string());
        }
        assert_eq!(record.stderr_lines().len(), STDERR);
        assert_eq!(&*record.stderr_lines()[0].text, "1");
    }

    #[test]
    fn noise_does_not_push_troubles_out() {
        let record = Record::default();
        record.note("what matters");
        for _ in 0..100_000 {
            record.noise("noise");
        }
        let troubles = record.troubles();
        assert_eq!(&*troubles[0].what, "what matters");
        assert!(troubles.len() < 25, "{}", troubles.len());
    }

    #[test]
    fn the_end_of_a_stderr_is_kept() {
        assert_eq!(tail(" one\ntwo\n"), "one\ntwo");
        let cut = tail(&format!("{}end\n", "é".repeat(5000)));
        assert!(cut.starts_with("…é") && cut.ends_with("end"), "{cut}");
        assert_eq!(cut.chars().count(), TAIL + 2);
    }
}
