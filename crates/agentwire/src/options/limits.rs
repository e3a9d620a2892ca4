//! The limits of a session.

use serde::{Deserialize, Serialize};

use super::{
    Options,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    setters::setters,
};
use crate::Error;

/// The token budget that the model is given for its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it is a number with a name")]
pub struct TaskBudget {
    /// The total number of tokens; at least one.
    pub total: u64,
}

impl From<u64> for TaskBudget {
    fn from(total: u64) -> Self {
        Self { total }
    }
}

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    plain max_turns: u32;
    plain max_budget_usd: f64;
    some task_budget: TaskBudget;
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let Options { max_turns, max_budget_usd, task_budget, .. } = self.0;
        // The CLI treats 0 as "no limit", so 0 is rejected.
        if *max_turns == Some(0) {
            return refuse("maxTurns", "a turn has at least one round; leave it out for no limit");
        }
        if max_budget_usd.is_some_and(|budget| !(budget > 0.0 && budget.is_finite())) {
            return refuse("maxBudgetUsd", "the CLI takes a number greater than 0");
        }
        if task_budget.is_some_and(|budget| budget.total == 0) {
            return refuse("taskBudget", "the CLI takes a whole number greater than 0");
        }
        to.flag("max-turns", *max_turns);
        to.flag("max-budget-usd", *max_budget_usd);
        to.flag("task-budget", task_budget.map(|budget| budget.total));
        Ok(())
    }
}
