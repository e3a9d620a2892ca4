//! The limits of a session.

use serde::{Deserialize, Serialize};

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
