//! The findings of a check.

use std::fmt;

/// The findings of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The faults, in the order of the file, each once; empty if there are none.
    pub findings: Vec<Finding>,
    /// Lines of the CLI's that were checked.
    pub inbound: usize,
    /// Lines of ours that were checked.
    pub outbound: usize,
}

/// A fault in a transcript.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The line of the transcript's file; `None` for the whole file.
    pub line: Option<usize>,
    /// The fault.
    pub what: String,
}

impl Report {
    /// Returns whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Adds a finding at a line.
    pub(crate) fn find(&mut self, line: usize, what: impl Into<String>) {
        self.findings.push(Finding { line: Some(line), what: what.into() });
    }

    /// Adds a finding about the whole transcript.
    pub(crate) fn find_overall(&mut self, what: impl Into<String>) {
        self.findings.push(Finding { line: None, what: what.into() });
    }

    /// Puts the findings into the order of the file, each once.
    pub(crate) fn sort(&mut self) {
        self.findings.sort();
        self.findings.dedup();
    }
}

/// Writes one line for each finding.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.findings.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
