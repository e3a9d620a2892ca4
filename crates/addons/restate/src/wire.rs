//! What clients, handlers and workers send to each other.

use agentwire::protocol::{ToolUseId, message::UserInput};
use agentwire_net::excerpt;
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

    /// Removes the parts of a report that can be long. The handler reads the state of an interrupted turn from the store.
    pub(crate) fn shorten(&mut self, reason: &str) {
        let Self::Turn(end, answers) = self else { return };
        answers.clear();
        let interrupted = Recovery::Interrupted { tools: Vec::new() };
        match &mut end.outcome {
            Outcome::Cancelled | Outcome::Drained => {}
            Outcome::Interrupted { why, state } => {
                *why = excerpt(why).into_owned();
                if *state != Recovery::Unstarted {
                    *state = interrupted;
                }
            }
            outcome => *outcome = Outcome::Interrupted { why: reason.to_owned(), state: interrupted },
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn short_report_keeps_the_kind_of_an_end_and_its_cost() {
        let tools = json!([{"id": "toolu_1", "tool": "Bash", "input": {}}]);
        let long = "x".repeat(100_000);
        let interrupted = |why: &str, state: Value| json!({"Interrupted": {"why": why, "state": state}});
        let none = json!({"Interrupted": {"tools": []}});
        for (outcome, short) in [
            (json!("Cancelled"), json!("Cancelled")),
            (json!("Drained"), json!("Drained")),
            (json!({"Parked": []}), interrupted("refused", none.clone())),
            (
                interrupted("ended", json!({"Interrupted": {"tools": tools}})),
                interrupted("ended", none.clone()),
            ),
            (interrupted("ended", json!("Unstarted")), interrupted("ended", json!("Unstarted"))),
            (interrupted(&long, json!("Unstarted")), interrupted(&excerpt(&long), json!("Unstarted"))),
        ] {
            let fence =
                json!({"session": {"tenant": "t", "session": "s"}, "epoch": 1, "boot": "b", "number": 1});
            let report =
                json!({"fence": fence, "outcome": outcome, "cost_usd": 0.5, "revision": "r", "ticket": "p"});
            let mut ended: Ended = serde_json::from_value(json!({"Turn": [report, []]})).unwrap();
            let Ended::Turn(_, answers) = &mut ended else { panic!() };
            answers.push((ToolUseId::from("toolu_1"), Answer::allow()));
            ended.shorten("refused");
            let mut expected = report;
            expected["outcome"] = short;
            assert_eq!(serde_json::to_value(&ended).unwrap(), json!({"Turn": [expected, []]}));
        }
    }
}
