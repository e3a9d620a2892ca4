//! The errors of a session, by remedy.

#[cfg(feature = "sessions")]
mod store;

use std::{error::Error as StdError, fmt, iter, sync::Arc};

use agentwire_codec::Line;
use agentwire_control::{ControlError, SessionExit, panics::error_chain};
use agentwire_hooks::HooksError;
use agentwire_protocol::{
    RawJson,
    message::{AssistantError, ResultSubtype, TurnResult},
};
use agentwire_transport::TransportError;
#[cfg(feature = "sessions")]
pub use store::{ResumeError, StoreFault};

/// The error of a session.
///
/// A line that can't be decoded is not an error: it is an [`Incoming`](crate::Incoming), and the session continues.
///
/// `{:?}`, which Rust prints when `main` returns an error, shows the message, each cause on a line of its own, and a
/// remedy if there is one. `{:#?}` shows the fields.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No CLI was found. Install it, put it on `PATH`, or name it in the options or in `AGENTWIRE_CLI`.
    #[error("the Claude Code CLI was not found")]
    CliNotFound(#[source] TransportError),
    /// The CLI could not be started or reached.
    #[error("the CLI could not be started")]
    Start(#[source] TransportError),
    /// An option can't be used as set.
    #[error("the option `{option}` can't be used: {why}")]
    Options {
        /// The option, by its name in [`Options`](crate::Options).
        option: &'static str,
        /// The problem with it.
        why: String,
    },
    /// A hook would not guard what it should: its matcher matches nothing, the CLI does not support a feature that the
    /// hook requires by name, or it did not register the hooks.
    #[error("the hooks can't be used")]
    Hooks(#[from] HooksError),
    /// The session ended with an error: a crash, a turn without a result, or an error result followed by an exit.
    ///
    /// If the error result reports a missing login, the error is [`NotLoggedIn`](Self::NotLoggedIn).
    #[error("{0}")]
    Ended(Arc<SessionExit>),
    /// The session store does not have all entries. Returned when the session is closed.
    #[error("the session store failed: {why}")]
    SessionStore {
        /// The failure, as in [`MirrorError`](agentwire_protocol::message::MirrorError); with several, the number of
        /// missing entries and one failure.
        why: String,
    },
    /// A turn ended with a `result` that can't be decoded. The session continues.
    #[error("the turn's result can't be read: {why}")]
    UnreadableResult {
        /// The decoding error.
        why: String,
        /// The line, unless it was too long to keep.
        line: Option<Line>,
    },
    /// There is no valid login for the model: set `ANTHROPIC_API_KEY`, or log in with the CLI itself.
    #[error("the CLI has no valid login: {text}")]
    NotLoggedIn {
        /// The CLI's message.
        text: String,
        /// The end of the session, if it has ended.
        ending: Option<Arc<SessionExit>>,
    },
    /// The turn failed or was interrupted. The session continues.
    ///
    /// Reading structured output also fails with this error if the model did not get to answer: see
    /// [`TurnAnswer::structured`](crate::TurnAnswer::structured).
    #[error("the turn failed: {}", failure_text(.0))]
    TurnFailed(Box<TurnResult>),
    /// There is no result: the prompt was cancelled, has the id of an earlier one, or was completed without a turn; the
    /// CLI became idle without a result; or the session ended without an error before a result.
    #[error("the turn has no result: {why}")]
    NoResult {
        /// Which of these it was.
        why: &'static str,
    },
    /// The model returned no structured output, which the CLI reports as a success. Ask again, or more clearly.
    #[error("the model returned no structured output")]
    NoStructuredOutput {
        /// The text of the answer.
        text: String,
    },
    /// The structured output does not match the schema of `outputFormat` or the requested type.
    #[error("the structured output does not fit: {why}")]
    StructuredOutput {
        /// The mismatch.
        why: String,
        /// The output.
        output: RawJson,
    },
    /// A control request failed, a prompt could not be sent, or a turn stopped at the limit of unread messages.
    #[error("a control request or prompt failed")]
    Control(#[source] ControlError),
    /// A session could not be loaded from its store, to resume it or to check the id of a new one.
    #[cfg(feature = "sessions")]
    #[error("the session could not be loaded from its store")]
    Resume(#[from] ResumeError),
}

impl Error {
    /// Returns the error with its causes, for people and logs: `Display` alone leaves the causes to
    /// [`source`](std::error::Error::source).
    pub fn report(&self) -> impl fmt::Display {
        error_chain(self)
    }

    /// Returns the end of the session, if that is the error.
    pub fn ending(&self) -> Option<&SessionExit> {
        match self {
            Self::Ended(ending) => Some(ending),
            Self::NotLoggedIn { ending, .. } => ending.as_deref(),
            _ => None,
        }
    }

    /// Returns whether the turn failed only because of its structured output, so that asking again may help.
    pub(crate) fn is_of_output(&self) -> bool {
        match self {
            Self::NoStructuredOutput { .. } | Self::StructuredOutput { .. } => true,
            Self::TurnFailed(result) => result.subtype == ResultSubtype::ErrorMaxStructuredOutputRetries,
            _ => false,
        }
    }

    /// Converts the end of a session, by its cause.
    pub(crate) fn ended(ending: Arc<SessionExit>) -> Self {
        let text = ending.error_result.as_ref().and_then(|result| result.error_text());
        match text.filter(|text| is_missing_login(ending.error_kind.as_ref(), text)) {
            Some(text) => Self::NotLoggedIn { text, ending: Some(ending) },
            None => Self::Ended(ending),
        }
    }

    /// Converts a failed turn, by its cause.
    pub(crate) fn turn_failed(result: Box<TurnResult>, kind: Option<&AssistantError>) -> Self {
        match result.error_text().filter(|text| is_missing_login(kind, text)) {
            Some(text) => Self::NotLoggedIn { text, ending: None },
            None => Self::TurnFailed(result),
        }
    }
}

/// Returns whether an error result reports a missing login. The kind of an expired login is `invalid_request`.
fn is_missing_login(kind: Option<&AssistantError>, text: &str) -> bool {
    match kind {
        Some(AssistantError::AuthenticationFailed) => true,
        Some(AssistantError::InvalidRequest) => text.to_lowercase().contains("run /login"),
        _ => false,
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.fields(f);
        }
        write!(f, "{self}")?;
        for cause in iter::successors(self.source(), |cause| (*cause).source()) {
            write!(f, "\n  caused by: {cause}")?;
        }
        self.remedy().map_or(Ok(()), |remedy| write!(f, "\n  help: {remedy}"))
    }
}

impl Error {
    /// Returns a remedy for the errors that new users meet first.
    fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::CliNotFound(_) => Some(
                "install Claude Code (`npm install -g @anthropic-ai/claude-code`), or name the program in \
                 `AGENTWIRE_CLI` or in the option `pathToClaudeCodeExecutable`",
            ),
            Self::Start(TransportError::NoSuchProgram { .. } | TransportError::NotExecutable { .. }) => {
                Some("correct the option `pathToClaudeCodeExecutable` or the variable `AGENTWIRE_CLI`")
            }
            Self::NotLoggedIn { .. } => {
                Some("set `ANTHROPIC_API_KEY`, or run `claude` once in a terminal and log in")
            }
            Self::NoStructuredOutput { .. } => {
                Some("set the option `outputFormat`, or ask again with `Turn::structured_retrying`")
            }
            _ => None,
        }
    }

    fn fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CliNotFound(source) => f.debug_tuple("CliNotFound").field(source).finish(),
            Self::Start(source) => f.debug_tuple("Start").field(source).finish(),
            Self::Options { option, why } => {
                f.debug_struct("Options").field("option", option).field("why", why).finish()
            }
            Self::Hooks(source) => f.debug_tuple("Hooks").field(source).finish(),
            Self::Ended(ending) => f.debug_tuple("Ended").field(ending).finish(),
            Self::SessionStore { why } => f.debug_struct("SessionStore").field("why", why).finish(),
            Self::UnreadableResult { why, line } => {
                f.debug_struct("UnreadableResult").field("why", why).field("line", line).finish()
            }
            Self::NotLoggedIn { text, ending } => {
                f.debug_struct("NotLoggedIn").field("text", text).field("ending", ending).finish()
            }
            Self::TurnFailed(result) => f.debug_tuple("TurnFailed").field(result).finish(),
            Self::NoResult { why } => f.debug_struct("NoResult").field("why", why).finish(),
            Self::NoStructuredOutput { text } => {
                f.debug_struct("NoStructuredOutput").field("text", text).finish()
            }
            Self::StructuredOutput { why, output } => {
                f.debug_struct("StructuredOutput").field("why", why).field("output", output).finish()
            }
            Self::Control(source) => f.debug_tuple("Control").field(source).finish(),
            #[cfg(feature = "sessions")]
            Self::Resume(source) => f.debug_tuple("Resume").field(source).finish(),
        }
    }
}

fn failure_text(result: &TurnResult) -> String {
    let text = result.error_text().or_else(|| result.result.clone().filter(|text| !text.is_empty()));
    let reason = || result.terminal_reason.as_ref().map(ToString::to_string);
    text.or_else(reason).unwrap_or_default()
}

/// A request that fails because the session ended becomes the session's own error.
impl From<ControlError> for Error {
    fn from(error: ControlError) -> Self {
        match error {
            ControlError::Closed { ending, .. } => Self::ended(ending),
            error => Self::Control(error),
        }
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::NotFound { .. } => Self::CliNotFound(error),
            error => Self::Start(error),
        }
    }
}
