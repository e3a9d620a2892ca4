//! The error of a callback, and the answer that the CLI gets in its place.

use agentwire_protocol::RawJson;

/// A handler's failure, and the answer to send to the CLI in its place.
///
/// The driver sends `answer`; an observer of callbacks reads `kind` and `reason`.
/// Converts from a string, as [`FailureKind::Error`] with an error response of that text.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct CallbackError {
    /// What went wrong.
    pub kind: FailureKind,
    /// The handler's error, its panic message, or the decoding or encoding error.
    ///
    /// It may quote the handler's input.
    pub reason: String,
    /// What the CLI gets: a `response`, such as a refusal, or the text of an error.
    pub answer: Result<RawJson, String>,
}

impl CallbackError {
    /// Creates an error that is answered with its reason.
    pub fn new(kind: FailureKind, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { kind, answer: Err(reason.clone()), reason }
    }

    /// Sets the answer that the CLI gets.
    #[must_use]
    pub fn with_answer(self, answer: Result<RawJson, String>) -> Self {
        Self { answer, ..self }
    }
}

/// Converts an error's text, as [`FailureKind::Error`].
impl<S: Into<String>> From<S> for CallbackError {
    fn from(reason: S) -> Self {
        Self::new(FailureKind::Error, reason)
    }
}

/// What went wrong in a callback's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// It returned an error.
    Error,
    /// It panicked.
    Panic,
    /// It did not run, because its input can't be read.
    Input,
    /// Its return value can't be written as JSON.
    Reply,
    /// It exceeded its time limit.
    Late,
}

impl FailureKind {
    /// Returns one word for it: `error`, `panic`, `input`, `reply`, `late`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Panic => "panic",
            Self::Input => "input",
            Self::Reply => "reply",
            Self::Late => "late",
        }
    }
}
