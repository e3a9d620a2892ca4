//! What clients, handlers and workers send to each other.

use agentwire::protocol::{ToolUseId, message::UserInput};
use agentwire_worker::{
    Answer, Fence, LossPolicy, Outcome, Phase, Question, Recovery, Refusal, SessionName, TurnInput,
    TurnReport, TurnSpec,
};
use serde::{Deserialize, Serialize};

/// A prompt of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionPrompt {
    /// The turn, which starts with a prompt.
    pub turn: TurnSpec,
    /// The treatment of the turn if its worker is lost.
    #[serde(default)]
    pub policy: LossPolicy,
}

impl SessionPrompt {
    /// Returns a prompt with [`LossPolicy::Tell`].
    pub fn new(turn: TurnSpec) -> Self {
        Self { turn, policy: LossPolicy::Tell }
    }

    /// Sets the treatment of the turn if its worker is lost.
    #[must_use]
    pub fn policy(mut self, policy: LossPolicy) -> Self {
        self.policy = policy;
        self
    }
}

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Status {
    /// The phase.
    pub phase: Phase,
    /// The questions that wait for an answer, parked or not.
    pub questions: Vec<Question>,
    /// The address of the worker of the running turn.
    pub worker: Option<Box<str>>,
    /// The outcome of the last prompt.
    pub last: Option<Outcome>,
}

/// A request to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Call {
    Fence(SessionName, u64),
    Start(Fence, Box<TurnSpec>),
    // The next three name their turn: Restate may repeat a request when the session runs a later one.
    Answer(Fence, ToolUseId, Answer),
    Interrupt(Fence),
    Steer(Fence, Box<UserInput>),
    /// Ends the turn of a fence, or prevents its start. The answer is whether the end of the turn is reported.
    Cancel(Fence),
    /// The answer is whether the turn of a fence has ended. It is `false` if the fence is of another run of the worker.
    HasEnded(Fence),
    Phase(SessionName),
    Recovery(SessionName, TurnInput),
}

/// The answer to [`Call::Start`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Begun {
    Started,
    Busy,
    Lost,
    /// The worker refuses the call with this HTTP status, for example because of its length.
    Refused(u16, String),
}

/// A fence, and the address of its worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) address: Box<str>,
    pub(crate) fence: Fence,
    /// The number of workers in the pool.
    #[serde(default)]
    pub(crate) workers: usize,
}

/// The end of a turn, for its handler.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Ended {
    /// The report of the worker, with the answers that it accepted, perhaps while it was parking their questions.
    Turn(Box<TurnReport>, Vec<(ToolUseId, Answer)>),
    /// The lease of the worker is over.
    Lost,
}

impl Ended {
    /// Returns the cost of the turn in US dollars, as far as it is known.
    pub(crate) fn cost_usd(&self) -> f64 {
        match self {
            Self::Turn(end, _) => end.cost_usd,
            Self::Lost => 0.0,
        }
    }

    /// Removes the parts of a report that can be long. The handler then reads the state of the turn from the store.
    pub(crate) fn shorten(&mut self, why: &str) {
        let Self::Turn(end, answers) = self else { return };
        answers.clear();
        let is_short = matches!(
            end.outcome,
            Outcome::Cancelled | Outcome::Drained | Outcome::Interrupted { state: Recovery::Unstarted, .. }
        );
        if !is_short {
            let state = Recovery::Interrupted { tools: Vec::new() };
            end.outcome = Outcome::Interrupted { why: why.to_owned(), state };
        }
    }
}

/// A parked question, and the awakeable of its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Parked {
    pub(crate) question: Question,
    pub(crate) awakeable: String,
}

/// A sign of life of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Beat {
    pub(crate) pool: Box<str>,
    pub(crate) address: Box<str>,
    pub(crate) lease_ms: u64,
    /// Whether an earlier beat of the run was accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_known: bool,
}

/// The limits of a tenant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)] // A misspelt limit would be none.
pub(crate) struct Limits {
    pub(crate) budget_usd: Option<f64>,
    pub(crate) turns: Option<usize>,
}

/// A turn to reserve, and the awakeable that gets a [`Reserved`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wanted {
    pub(crate) ticket: String,
    pub(crate) budget_usd: Option<f64>,
}

/// The budget of a turn, in US dollars, or the reason why it does not start.
pub(crate) type Reserved = Result<Option<f64>, Refusal>;
