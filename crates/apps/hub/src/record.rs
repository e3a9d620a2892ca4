//! What is kept of a server's troubles, and of what it wrote to its stderr.

mod keeper;

use std::{sync::Arc, time::SystemTime};

pub(crate) use keeper::{Record, beginning, cut, tail};

/// Something that went wrong with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// When, the first time.
    pub at: SystemTime,
    /// What, in at most 1,000 characters.
    pub what: Arc<str>,
    /// How many times in a row.
    pub times: u64,
}

/// A line that a server wrote to its stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StderrLine {
    /// When it was read.
    pub at: SystemTime,
    /// The level that the server wrote before it, where it wrote one.
    pub level: Option<Level>,
    /// The line, in at most 1,000 characters.
    pub text: Arc<str>,
}

/// How grave a line is, in the server's own words.
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
    /// The level that a line names: the first word that is one, near its start and written as levels are: in capitals,
    /// before a colon, or in brackets.
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
/// How far into a line its level is looked for, in characters: behind a time stamp and a name.
const START: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_what_the_server_wrote_as_one() {
        for (line, level) in [
            ("INFO Starting", Some(Level::Info)),
            ("[error] no such file", Some(Level::Error)),
            ("2026-01-01 10:00:00,000 - mcp.server - WARNING - slow", Some(Level::Warning)),
            ("Error: cannot find module", Some(Level::Error)),
            ("INFO: no error here", Some(Level::Info)),
            ("an error that is told in passing", None),
            ("Information: x", None),
            ("é[warn]", Some(Level::Warning)),
            ("\u{1b}[32m INFO\u{1b}[0m x", Some(Level::Info)),
            ("", None),
        ] {
            assert_eq!(Level::of(line), level, "{line}");
        }
    }
}
