//! The outcome of a replay.

use std::fmt;

/// The outcome of a replay.
///
/// Its `Debug` is its `Display`, so that a failed assertion can be read; `{:#?}` shows the fields.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayReport {
    /// The mismatch that ended the replay early.
    pub mismatch: Option<Mismatch>,
    /// Lines of ours that were recorded and have not come, including the end of input and signals.
    pub missing: Vec<Missing>,
    /// The start of each line of ours that came and was not recorded.
    pub extra: Vec<String>,
    /// Lines of the CLI's that have not been played, since something was missing before them.
    pub unplayed: usize,
    /// Answers of ours to requests that were cancelled meanwhile; the CLI ignores them.
    pub late: usize,
    /// The last line of a transcript without the end of the CLI, once it was played. Such a transcript may be cut.
    pub last_line: Option<usize>,
}

/// A mismatch, which ends a replay early.
///
/// Its `Debug` is its `Display`, so that a failed `unwrap` can be read; `{:#?}` shows the fields.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The line of the transcript that was due; `None` after the last one.
    pub line: Option<usize>,
    /// The recorded value if one value differs, or the start of the line that was due.
    pub expected: Option<String>,
    /// Our value if one value differs, or the start of the line that came; `None` if nothing came.
    pub actual: Option<String>,
    /// The reason.
    pub why: String,
}

/// A line of ours, the end of input or a signal that has not come.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The line of the transcript.
    pub line: usize,
    /// Its start.
    pub text: String,
}

impl ReplayReport {
    /// Returns whether everything was played, and all lines of ours arrived and matched.
    pub fn is_complete(&self) -> bool {
        self.mismatch.is_none() && self.missing.is_empty() && self.extra.is_empty() && self.unplayed == 0
    }
}

impl fmt::Display for ReplayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mismatch {
            _ if self.is_complete() => f.write_str("the replay is complete")?,
            Some(mismatch) => write!(f, "{mismatch}")?,
            None => f.write_str("the replay is not complete")?,
        }
        for Missing { line, text } in &self.missing {
            write!(f, "\n  missing, line {line}: {text}")?;
        }
        for text in &self.extra {
            write!(f, "\n  not recorded: {text}")?;
        }
        if self.unplayed > 0 {
            write!(f, "\n  {} lines of the CLI's not played", self.unplayed)?;
        }
        if let Some(line) = self.last_line {
            write!(f, "\n  the transcript ends at line {line}, without the end of the CLI")?;
        }
        Ok(())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.why)?;
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {expected}")?;
        }
        match &self.actual {
            Some(actual) => write!(f, "\n  actual: {actual}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Mismatch {}

impl fmt::Debug for ReplayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        f.debug_struct("ReplayReport")
            .field("mismatch", &self.mismatch)
            .field("missing", &self.missing)
            .field("extra", &self.extra)
            .field("unplayed", &self.unplayed)
            .field("late", &self.late)
            .field("last_line", &self.last_line)
            .finish()
    }
}

impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        f.debug_struct("Mismatch")
            .field("line", &self.line)
            .field("expected", &self.expected)
            .field("actual", &self.actual)
            .field("why", &self.why)
            .finish()
    }
}

impl Mismatch {
    /// Returns the place of the failure.
    pub(super) fn place(&self) -> String {
        match self.line {
            Some(line) => format!("at line {line} of the transcript"),
            None => "behind the end of the transcript".to_owned(),
        }
    }
}
