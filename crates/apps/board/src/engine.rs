//! The engine behind the page.

use std::pin::Pin;

use agentwire_protocol::RawJson;
use serde::Serialize;

/// The future of a call of an [`Engine`]; the error is shown on the page.
pub type EngineFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// The part of an engine that the page needs.
///
/// Sessions have the names that they have in the event log.
pub trait Engine: Send + Sync {
    /// Returns all sessions.
    fn sessions(&self) -> EngineFuture<'_, Vec<SessionState>>;

    /// Queues a prompt with this id, in a new session if there is no name, and returns the session's name.
    ///
    /// If a call fails, the page repeats it with the same id: queue the prompt once, in one session.
    fn prompt<'a>(&'a self, session: Option<&'a str>, id: &'a str, text: &'a str)
    -> EngineFuture<'a, String>;

    /// Allows or denies a tool use, and returns whether its question was open.
    fn answer<'a>(&'a self, session: &'a str, question: &'a str, allow: bool) -> EngineFuture<'a, bool>;
}

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionState {
    /// The name.
    pub name: String,
    /// The phase, in a word such as `Running`.
    pub phase: String,
    /// How many prompts have not ended.
    pub prompts: usize,
    /// The questions that wait for an answer.
    pub questions: Vec<OpenQuestion>,
}

impl SessionState {
    /// Returns the state of a session without questions.
    pub fn new(name: impl Into<String>, phase: impl Into<String>, prompts: usize) -> Self {
        Self { name: name.into(), phase: phase.into(), prompts, questions: Vec::new() }
    }

    /// Adds a question.
    #[must_use]
    pub fn question(mut self, id: impl Into<String>, tool: impl Into<String>, input: RawJson) -> Self {
        self.questions.push(OpenQuestion { id: id.into(), tool: tool.into(), input });
        self
    }
}

/// A question that waits for an answer: whether a tool may be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The id of the tool use.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The input of the tool.
    pub input: RawJson,
}
