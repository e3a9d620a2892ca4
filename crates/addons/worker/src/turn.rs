//! The parts of a turn: its fence, its input and its questions.

use std::{collections::BTreeMap, fmt};

use agentwire::protocol::{RawJson, SessionId, ToolUseId, Uuid};
use serde::{Deserialize, Serialize, Serializer};

/// The name of a session: its tenant, and its id, a UUID that is also the CLI's session id.
///
/// The tenant is the project of the session's key in the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionName {
    /// The tenant: a single path component. If it names a folder of [`Local`](crate::Local), of a workspace or of secrets,
    /// it must consist of ASCII letters, digits, `-`, `_` and `.`, without a `.` at its start.
    pub tenant: Box<str>,
    /// The session's id.
    pub session: SessionId,
}

impl SessionName {
    /// Returns the name of a session of a tenant.
    pub fn new(tenant: impl Into<Box<str>>, session: impl Into<SessionId>) -> Self {
        Self { tenant: tenant.into(), session: session.into() }
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.tenant, self.session)
    }
}

/// The permission to start one turn, once, on one run of one worker.
///
/// [`Worker::fence`](crate::Worker::fence) creates it. An engine stores it before it starts the turn, so that a repeated
/// start is recognized, and a start on a worker that has been restarted is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fence {
    /// The session.
    pub session: SessionName,
    /// The number of the turn in its session, which the engine counts. A later turn has a higher number.
    pub epoch: u64,
    /// The run of the worker.
    pub boot: Box<str>,
    /// The number of the fence in this run.
    pub(crate) number: u64,
}

/// A turn to run.
///
/// It is what [`Session`](agentwire::Session) calls a run: it ends when the CLI and its background agents are idle, and
/// not at a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnSpec {
    /// The input of the turn.
    pub input: TurnInput,
    /// The most that the turn may cost, in US dollars (`maxBudgetUsd`). A turn with NaN, 0 or less does not start.
    #[serde(serialize_with = "write_budget")]
    pub budget_usd: Option<f64>,
    /// Environment variables of the CLI, by name, each with the name of its secret.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// The revision of the workspace to start from; `None` for the newest.
    pub revision: Option<String>,
    /// An opaque token of the engine, returned unchanged in [`TurnReport::ticket`](crate::TurnReport::ticket).
    #[serde(default)]
    pub ticket: Option<Box<str>>,
}

impl TurnSpec {
    /// Returns a turn that starts with a prompt of this id.
    ///
    /// The id is the idempotency key: after a crash it shows whether the CLI has received the prompt.
    pub fn prompt(id: impl Into<Uuid>, text: impl Into<String>) -> Self {
        Self::new(TurnInput::Prompt { id: id.into(), text: text.into() })
    }

    /// Returns a turn that continues a parked one.
    pub fn answers(answers: impl IntoIterator<Item = (Question, Answer)>) -> Self {
        Self::new(TurnInput::Answers(answers.into_iter().collect()))
    }

    /// Returns a turn with this input.
    pub fn new(input: TurnInput) -> Self {
        Self { input, budget_usd: None, secrets: BTreeMap::new(), revision: None, ticket: None }
    }
}

/// JSON writes NaN and negative infinity as `null`, which would mean no limit.
fn write_budget<S: Serializer>(usd: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    usd.map(|usd| usd.max(0.0)).serialize(serializer)
}

/// The input of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TurnInput {
    /// A prompt.
    Prompt {
        /// The id of the prompt.
        id: Uuid,
        /// The text of the prompt.
        text: String,
    },
    /// The answers to all questions of a parked turn.
    Answers(Vec<(Question, Answer)>),
}

/// A question to a person: whether a tool may be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The id of the tool use, which is the id of the question.
    pub id: ToolUseId,
    /// The tool.
    pub tool: Box<str>,
    /// The input of the tool.
    pub input: RawJson,
    /// How the tool use continues if the question is parked.
    pub way: Way,
}

impl Question {
    /// Returns a question about this tool use.
    pub fn new(id: ToolUseId, tool: impl Into<Box<str>>, input: RawJson, way: Way) -> Self {
        Self { id, tool: tool.into(), input, way }
    }

    /// Returns whether the question is about this tool with this input. The order of keys does not matter.
    pub(crate) fn is_about(&self, tool: &str, input: &RawJson) -> bool {
        let decoded = |json: &RawJson| json.decode::<serde_json::Value>();
        let is_equal =
            || matches!((decoded(&self.input), decoded(input)), (Ok(own), Ok(other)) if own == other);
        *self.tool == *tool && (self.input == *input || is_equal())
    }
}

/// How a tool use continues after its question was parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Way {
    /// The CLI defers the tool use (`defer`) and asks again when the session is resumed.
    Defer,
    /// The turn is interrupted. An allowance becomes a grant for one use of the tool with the same input, and a prompt
    /// informs the model of the decision.
    Grant,
}

/// An answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Answer {
    /// The tool runs, with this input instead of its own if there is one.
    Allow {
        /// The changed input.
        input: Option<RawJson>,
    },
    /// The tool does not run.
    Deny {
        /// The reason, for the model.
        reason: String,
    },
}

impl Answer {
    /// Returns the answer that allows the tool use as it is.
    pub fn allow() -> Self {
        Self::Allow { input: None }
    }

    /// Returns the answer that denies the tool use, with a reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

#[cfg(test)]
mod tests {
    use agentwire::RawJson;

    use super::{Question, TurnSpec, Way};

    #[test]
    fn budget_that_is_no_number_is_not_stored_as_no_limit() {
        for budget_usd in [f64::NAN, f64::NEG_INFINITY, -1.0] {
            let turn = TurnSpec { budget_usd: Some(budget_usd), ..TurnSpec::prompt("prompt", "Go.") };
            let stored = serde_json::to_string(&turn).unwrap();
            assert_eq!(serde_json::from_str::<TurnSpec>(&stored).unwrap().budget_usd, Some(0.0));
        }
        let stored = serde_json::to_value(TurnSpec::prompt("prompt", "Go.")).unwrap();
        assert!(stored["budget_usd"].is_null());
    }

    #[test]
    fn input_of_a_question_does_not_depend_on_the_order_of_keys() {
        let json = |input: &str| RawJson::parse(input).unwrap();
        let question =
            Question::new("toolu_1".into(), "Bash", json(r#"{"a":1,"b":{"c":2,"d":3}}"#), Way::Grant);
        assert!(question.is_about("Bash", &json(r#"{"b":{"d":3,"c":2},"a":1}"#)));
        assert!(!question.is_about("Bash", &json(r#"{"a":1,"b":{"c":2,"d":4}}"#)));
        assert!(!question.is_about("Write", &question.input));
    }

    #[test]
    fn input_that_is_too_deep_is_compared_as_text() {
        let deep =
            |value: &str| RawJson::parse(format!("{}{value}{}", "[".repeat(200), "]".repeat(200))).unwrap();
        let question = Question::new("toolu_1".into(), "Bash", deep("1"), Way::Grant);
        assert!(question.is_about("Bash", &deep("1")));
        assert!(!question.is_about("Bash", &deep("2")));
    }
}
