//! Bounded records of one server: its errors and its stderr.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use crate::record::{StderrLine, Trouble};

/// The errors and the stderr of one server, across its connections.
#[derive(Debug, Default)]
pub struct Record {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    troubles: VecDeque<Trouble>,
    stderr: VecDeque<StderrLine>,
    /// The number of lines on its stdout that were not messages.
    noise: u64,
}

impl Record {
    /// Adds an error. A repetition of the last error is counted.
    pub fn note(&self, what: &str) {
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

    /// Adds a line of stdout that was not a message.
    ///
    /// Only the first lines and then ever fewer are added, so that they do not push out other errors.
    pub(crate) fn noise(&self, excerpt: &str) {
        let count = {
            let mut kept = self.lock();
            kept.noise += 1;
            kept.noise
        };
        if count <= NOISE || count.is_power_of_two() {
            self.note(&format!(
                "line {count} on its stdout that is not a message, and was skipped: {excerpt}"
            ));
        }
    }

    /// Adds a line of stderr.
    pub(crate) fn stderr(&self, line: &str) {
        let line = StderrLine { at: SystemTime::now(), text: cut(line).into() };
        push(&mut self.lock().stderr, line, STDERR);
    }

    /// Returns the last 100 errors, oldest first.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.lock().troubles.iter().cloned().collect()
    }

    /// Returns the last 500 lines of stderr, oldest first.
    pub fn stderr_lines(&self) -> Vec<StderrLine> {
        self.lock().stderr.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a message with the end of a stderr, at most as long as a [`Trouble`].
pub fn with_stderr(what: &str, stderr: &str) -> String {
    let what = cut_to(what, LENGTH - TAIL - 20);
    let stderr = tail(stderr);
    if stderr.is_empty() { what } else { format!("{what}; stderr: {stderr}") }
}

/// Returns the end of a stderr for a message.
fn tail(stderr: &str) -> String {
    let stderr = stderr.trim();
    match stderr.char_indices().nth_back(TAIL) {
        Some((at, _)) => format!("…{}", &stderr[at..]),
        None => stderr.to_owned(),
    }
}

/// Cuts a text to the maximum length.
pub fn cut(text: &str) -> String {
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

/// The maximum number of errors.
const TROUBLES: usize = 100;
/// The maximum number of lines of stderr.
const STDERR: usize = 500;
/// The maximum length of a text in characters, without the mark of a cut.
const LENGTH: usize = 999;
/// The number of lines of noise that are all added.
const NOISE: u64 = 3;
/// The length of the stderr in a message, in characters.
const TAIL: usize = 700;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_bounded_in_entries_and_in_length() {
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
    fn noise_does_not_push_out_errors() {
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
    fn tail_is_the_end_of_the_stderr() {
        assert_eq!(tail(" one\ntwo\n"), "one\ntwo");
        let cut = tail(&format!("{}end\n", "é".repeat(5000)));
        assert!(cut.starts_with("…é") && cut.ends_with("end"), "{cut}");
        assert_eq!(cut.chars().count(), TAIL + 2);
    }
}
