//! What can go wrong in a session, by what to do about it.

use std::{fmt, sync::Arc};

use agentwire_codec::Line;
use agentwire_control::{ControlError, Ending};
use agentwire_transport::TransportError;

/// What can go wrong in a session.
///
/// A line that can't be decoded is no error of the session's: it is an [`Incoming`](crate::Incoming), and the session goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No CLI was found. Install it, put it on `PATH`, or name it in the options or in `AGENTWIRE_CLI`.
    #[error("the Claude Code CLI was not found")]
    CliNotFound(#[source] TransportError),
    /// The CLI could not be started or reached.
    #[error("the CLI could not be started")]
    Start(#[source] TransportError),
    /// An option can't be used as it is set.
    #[error("the option `{option}` can't be used: {why}")]
    Options {
        /// The option, by its name in [`Options`](crate::Options).
        option: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The session ended badly: a crash, a turn without a result, or a result that is an error, followed by an exit.
    #[error("{0}")]
    Ended(Arc<Ending>),
    /// A turn ended with a `result` that can't be read. The session goes on.
    #[error("the turn's result can't be read: {why}")]
    UnreadableResult {
        /// What is wrong with it.
        why: String,
        /// The line, where it was not too long to be kept.
        line: Option<Line>,
    },
    /// A control request has no reply.
    #[error("a control request failed")]
    Control(#[source] ControlError),
}

impl Error {
    /// The error with its causes, for people and logs: `Display` alone leaves the causes to
    /// [`source`](std::error::Error::source).
    pub fn report(&self) -> impl fmt::Display {
        Report(self)
    }

    /// How the session ended, where that is the error.
    pub fn ending(&self) -> Option<&Ending> {
        match self {
            Self::Ended(ending) => Some(ending),
            _ => None,
        }
    }
}

struct Report<'a>(&'a Error);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = std::error::Error::source(self.0);
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

/// A session that ended is told as that, whatever was being asked.
impl From<ControlError> for Error {
    fn from(error: ControlError) -> Self {
        match error {
            ControlError::Closed { ending, .. } => Self::Ended(ending),
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
