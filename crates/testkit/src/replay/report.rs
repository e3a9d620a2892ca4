//! How a replay went.

use std::fmt;

/// How a replay went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayReport {
    /// What ended the replay before its time.
    pub mismatch: Option<Mismatch>,
    /// Lines of ours that were recorded and have not come, the end of input among them.
    pub missing: Vec<Missing>,
    /// The start of each line of ours that came and was not recorded.
    pub extra: Vec<String>,
    /// Lines of the CLI's that have not been played, since something was missing before them.
    pub unplayed: usize,
    /// Answers of ours to requests that were taken back meanwhile; the CLI ignores them.
    pub late: usize,
}

/// What ended a replay before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The line of the transcript that was due; `None` behind the last one.
    pub line: Option<usize>,
    /// The start of what was due.
    pub expected: Option<String>,
    /// The start of what came; `None` where nothing did.
    pub came: Option<String>,
    /// What is wrong with it.
    pub why: String,
}

/// A line of ours that has not come.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The line of the transcript.
    pub line: usize,
    /// Its start.
    pub text: String,
}

impl ReplayReport {
    /// Whether everything was played, and everything of ours came and fitted.
    pub fn is_complete(&self) -> bool {
        self.mismatch.is_none() && self.missing.is_empty() && self.extra.is_empty() && self.unplayed == 0
    }
}

impl fmt::Display for ReplayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_complete() {
            return f.write_str("the replay is complete");
        }
        match &self.mismatch {
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
        Ok(())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "at line {line} of the transcript: {}", self.why)?,
            None => write!(f, "behind the end of the transcript: {}", self.why)?,
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {expected}")?;
        }
        match &self.came {
            Some(came) => write!(f, "\n  came: {came}"),
            None => Ok(()),
        }
    }
}
