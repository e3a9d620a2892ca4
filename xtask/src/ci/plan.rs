//! What a step is: a name, a size, and the commands that it runs.

use std::process::Command;

use crate::failure::Failure;
use crate::program;

/// One step of CI.
pub(super) struct Step {
    /// What the summary and the command line call it.
    pub(super) name: &'static str,
    /// What it does, in a few words.
    pub(super) about: &'static str,
    pub(super) size: Size,
    /// Asked when its turn comes, since a step may prepare what a later one needs.
    pub(super) plan: fn() -> Result<Plan, Failure>,
}

/// When a step is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// Always.
    Usual,
    /// With `--full` only.
    Long,
}

/// What a step would do on this machine.
pub(super) enum Plan {
    /// These, one after the other, until one fails.
    Run(Vec<Command>),
    /// It cannot be run here.
    NotHere {
        reason: String,
        /// Whether that is a failure in CI.
        needed_in_ci: bool,
    },
}

impl Plan {
    /// Each line is the arguments of one call of cargo.
    pub(super) fn cargo<const N: usize>(lines: [&str; N]) -> Result<Self, Failure> {
        lines.into_iter().map(cargo).collect::<Result<_, _>>().map(Self::Run)
    }

    /// It cannot be run here, and nobody minds.
    pub(super) fn optional(reason: impl Into<String>) -> Result<Self, Failure> {
        Ok(Self::NotHere { reason: reason.into(), needed_in_ci: false })
    }

    /// It cannot be run here, which only a user's own machine may say.
    pub(super) fn needed_in_ci(reason: impl Into<String>) -> Result<Self, Failure> {
        Ok(Self::NotHere { reason: reason.into(), needed_in_ci: true })
    }
}

/// One call of cargo; its arguments hold no spaces.
pub(super) fn cargo(line: &str) -> Result<Command, Failure> {
    let mut command = program::cargo()?;
    command.args(line.split_whitespace());
    Ok(command)
}
