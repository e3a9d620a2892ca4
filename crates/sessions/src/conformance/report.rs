//! What came of the checks: what passed, what failed and why, and what the store does not do.

use std::fmt;

use super::Check;

/// What came of each check.
///
/// `Display` gives a line for each, and one with the counts:
///
/// ```text
/// passed   order_within_an_append
/// skipped  deletes_a_session (the store has no `delete`)
/// FAILED   order_across_appends: ...
/// 1 passed, 1 failed, 1 skipped
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    checked: Vec<Checked>,
}

impl Report {
    pub(super) fn new(checked: Vec<Checked>) -> Self {
        Self { checked }
    }

    /// Each check with what came of it, in the order of [`CHECKS`](super::CHECKS).
    pub fn checked(&self) -> &[Checked] {
        &self.checked
    }

    /// Whether nothing failed; what was skipped is no fault, as the store says that it does not do it.
    pub fn is_conformant(&self) -> bool {
        self.failed() == 0
    }

    /// How many checks passed.
    pub fn passed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Passed))
    }

    /// How many checks failed.
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// How many checks were about something that the store does not do.
    pub fn skipped(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Skipped(_)))
    }

    fn count(&self, what: impl Fn(&Outcome) -> bool) -> usize {
        self.checked.iter().filter(|checked| what(&checked.outcome)).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Checked { check, outcome } in &self.checked {
            match outcome {
                Outcome::Passed => writeln!(f, "passed   {}", check.name())?,
                Outcome::Skipped(why) => writeln!(f, "skipped  {} ({why})", check.name())?,
                Outcome::Failed(why) => {
                    writeln!(f, "FAILED   {}: {why}\n         {}", check.name(), check.demands())?;
                }
            }
        }
        write!(f, "{} passed, {} failed, {} skipped", self.passed(), self.failed(), self.skipped())
    }
}

/// One check, and what came of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The check.
    pub check: &'static Check,
    /// What came of it.
    pub outcome: Outcome,
}

impl Checked {
    pub(super) fn new(check: &'static Check, outcome: Outcome) -> Self {
        Self { check, outcome }
    }
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The store does what is demanded.
    Passed,
    /// It does not: what was seen instead.
    Failed(String),
    /// It says that it does not do this: what is missing.
    Skipped(String),
}

/// An optional method of a [`SessionStore`](crate::SessionStore), which a check may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OptionalMethod {
    /// [`list_sessions`](crate::SessionStore::list_sessions).
    ListSessions,
    /// [`list_summaries`](crate::SessionStore::list_summaries).
    ListSummaries,
    /// [`delete`](crate::SessionStore::delete).
    Delete,
    /// [`list_subkeys`](crate::SessionStore::list_subkeys).
    ListSubkeys,
}

/// The method's name.
impl fmt::Display for OptionalMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ListSessions => "list_sessions",
            Self::ListSummaries => "list_summaries",
            Self::Delete => "delete",
            Self::ListSubkeys => "list_subkeys",
        })
    }
}
