//! The end of a turn.

use serde::{Deserialize, Serialize};

use crate::{
    ledger::Refusal,
    recovery::Recovery,
    turn::{Fence, Question},
};

/// The report of a turn that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnReport {
    /// The fence that the turn was started with.
    pub fence: Fence,
    /// The outcome.
    pub outcome: Outcome,
    /// The cost of the turn in US dollars, as the CLI estimates it.
    pub cost_usd: f64,
    /// The revision of the workspace after the turn.
    pub revision: Option<String>,
    /// The text of the engine from [`TurnSpec::ticket`](crate::TurnSpec::ticket).
    #[serde(default)]
    pub ticket: Option<Box<str>>,
}

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// The CLI has sent a result. Its background agents have ended, unless the process was lost or sent nothing for 15
    /// minutes; their work is then lost.
    Done {
        /// The last text of the model, or the errors.
        text: String,
        /// Whether the turn failed.
        is_error: bool,
    },
    /// No process lives; [`TurnSpec::answers`](crate::TurnSpec::answers) continues the turn, on any worker.
    Parked(Vec<Question>),
    /// The turn was stopped by [`Worker::stop`](crate::Worker::stop).
    Cancelled,
    /// The turn was cut by [`Worker::drain`](crate::Worker::drain).
    Drained,
    /// The worker or the CLI ended in the turn, or the CLI could not be started.
    Interrupted {
        /// The cause.
        why: String,
        /// How far the turn went.
        state: Recovery,
    },
    /// The tenant's limits do not allow the turn. An engine reports it; a worker does not.
    Refused(Refusal),
}
