//! The outcomes of the checks.

use std::fmt;

use super::Check;

/// The outcome of each check.
///
/// `Display` writes a line for each check, and a line with the counts:
///
/// ```text
/// passed   order_within_an_append
/// skipped  deletes_a_session (the store has no `delete`)
/// FAILED   order_across_appends: ...
/// 1 passed, 1 failed, 1 skipped
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    pub(super) checked: Vec<Checked>,
}

impl Report {
    /// Returns each check with its outcome, in the order of [`CHECKS`](super::CHECKS).
    pub fn checked(&self) -> &[Checked] {
        &self.checked
    }

    /// Returns whether no check failed; skipped checks concern optional methods and do not count.
    pub fn is_conformant(&self) -> bool {
        self.failed() == 0
    }

    /// Returns how many checks passed.
    pub fn passed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Passed))
    }

    /// Returns how many checks failed.
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// Returns how many checks were skipped because the store lacks an optional method.
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

/// A check and its outcome.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The check.
    pub check: &'static Check,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The store meets the requirement.
    Passed,
    /// The store does not meet the requirement; the text describes its behavior.
    Failed(String),
    /// The store does not implement a method; the text names the method.
    Skipped(String),
}
