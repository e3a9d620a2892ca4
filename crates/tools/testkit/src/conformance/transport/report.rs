//! The outcome of each check.

use std::fmt;

/// The outcomes of the checks of a transport, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransportReport {
    /// The name and the outcome of each check.
    pub outcomes: Vec<(&'static str, Outcome)>,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The requirement holds.
    Passed,
    /// The requirement does not hold; the text has the reason.
    Failed(String),
    /// The transport's peer can't play the part.
    NotPlayed,
    /// The check needs a process, and the transport has none.
    NoProcess,
    /// An optional check that was not enabled.
    NotAsked,
}

impl TransportReport {
    /// Returns whether every check that could be run holds. A suite in which none could be run is not clean.
    pub fn is_clean(&self) -> bool {
        self.failed().is_empty() && self.outcomes.iter().any(|(_, outcome)| *outcome == Outcome::Passed)
    }

    /// Returns the failed checks.
    pub fn failed(&self) -> Vec<&'static str> {
        self.named(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// Returns the names of the checks that were not run.
    pub fn skipped(&self) -> Vec<&'static str> {
        self.named(|outcome| !matches!(outcome, Outcome::Failed(_) | Outcome::Passed))
    }

    fn named(&self, is_meant: impl Fn(&Outcome) -> bool) -> Vec<&'static str> {
        self.outcomes.iter().filter(|(_, outcome)| is_meant(outcome)).map(|(name, _)| *name).collect()
    }
}

/// Writes one line for each check.
impl fmt::Display for TransportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, outcome)) in self.outcomes.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{name}: {outcome}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(why) => write!(f, "FAILED: {why}"),
            Self::NotPlayed => f.write_str("not run: its peer can't play the part"),
            Self::NoProcess => f.write_str("not run: there is no process behind it"),
            Self::NotAsked => f.write_str("not run: not asked for"),
        }
    }
}
