//! The last errors of a server, and the last lines of its stderr.

mod keeper;

use std::{sync::Arc, time::SystemTime};

pub use keeper::{Record, cut, with_stderr};

/// An error of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// The time of the first occurrence.
    pub at: SystemTime,
    /// The description, in at most 1,000 characters.
    pub what: Arc<str>,
    /// The number of occurrences in a row.
    pub times: u64,
}

/// A line that a server wrote to its stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StderrLine {
    /// The time at which it was read.
    pub at: SystemTime,
    /// The level at the start of the line, if there is one.
    pub level: Option<Level>,
    /// The line, in at most 1,000 characters.
    pub text: Arc<str>,
}

/// The log level of a line, as written by the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// `TRACE`.
    Trace,
    /// `DEBUG`.
    Debug,
    /// `INFO`, `NOTICE`.
    Info,
    /// `WARN`, `WARNING`.
    Warning,
    /// `ERROR`, `CRITICAL`, `FATAL`.
    Error,
}

impl Level {
    /// Returns the level of a line: the first word near its start that is a level in capitals, before a colon, or in
    /// brackets.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let end = line.char_indices().nth(START).map_or(line.len(), |(at, _)| at);
        let start = &line[..end];
        let mut from = 0;
        while let Some(begin) = start[from..].find(|c: char| c.is_ascii_alphabetic()) {
            let at = from + begin;
            let length = start[at..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(end - at);
            let word = &start[at..at + length];
            from = at + length;
            let Some(level) = Self::named(word) else { continue };
            let before = start[..at].chars().next_back();
            let after = start[from..].chars().next();
            let is_marked = after == Some(':') || matches!((before, after), (Some('['), Some(']')));
            if is_marked || word.bytes().all(|byte| byte.is_ascii_uppercase()) {
                return Some(level);
            }
        }
        None
    }

    fn named(word: &str) -> Option<Self> {
        let (_, level) = LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))?;
        Some(*level)
    }
}

const LEVELS: &[(&str, Level)] = &[
    ("trace", Level::Trace),
    ("debug", Level::Debug),
    ("info", Level::Info),
    ("notice", Level::Info),
    ("warn", Level::Warning),
    ("warning", Level::Warning),
    ("error", Level::Error),
    ("critical", Level::Error),
    ("fatal", Level::Error),
];
/// The number of characters in which the level is searched. A time stamp and a name may precede it.
const START: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_is_recognised_by_its_form() {
        for (line, level) in [
            ("INFO Starting", Some(Level::Info)),
            ("[error] no such file", Some(Level::Error)),
            ("2026-01-01 10:00:00,000 - mcp.server - WARNING - slow", Some(Level::Warning)),
            ("Error: cannot find module", Some(Level::Error)),
            ("INFO: no error here", Some(Level::Info)),
            ("an error that is mentioned in passing", None),
            ("Information: x", None),
            ("é[warn]", Some(Level::Warning)),
            ("\u{1b}[32m INFO\u{1b}[0m x", Some(Level::Info)),
            ("", None),
        ] {
            assert_eq!(Level::of(line), level, "{line}");
        }
    }
}
