//! How a session ended, as far as the wire tells.

use std::fmt;

use agentwire_protocol::message::{AssistantError, TurnResult};
use agentwire_transport::ExitReport;

/// How a session ended.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionEnd {
    /// How the peer's process ended, where there is one and it ended.
    pub exit: Option<ExitReport>,
    /// What the transport said, where it failed.
    pub transport: Option<String>,
    /// The last result, where it was an error and nothing followed it: the exit code is only its echo.
    pub error_result: Option<Box<TurnResult>>,
    /// The kind of failure that the message before that result stands for, where it said one.
    pub error_kind: Option<AssistantError>,
    /// Whether a turn was open: it will never have a result.
    pub in_turn: bool,
    /// Whether that turn was asked to be interrupted.
    pub interrupted: bool,
}

impl SessionEnd {
    /// The process ended like this.
    pub fn exited(exit: ExitReport) -> Self {
        Self { exit: Some(exit), ..Self::default() }
    }

    /// The transport failed like this.
    pub fn failed(what: impl Into<String>) -> Self {
        Self { transport: Some(what.into()), ..Self::default() }
    }

    /// Whether nothing went wrong: no turn was cut, no result was an error, and the process, if any, exited with 0 or in
    /// a way that is not known.
    pub fn is_clean(&self) -> bool {
        !self.in_turn
            && self.transport.is_none()
            && self.error_result.is_none()
            && !self.exit.as_ref().is_some_and(ExitReport::is_failure)
    }
}

/// The cause first: an error result's own text before the exit code that echoes it.
impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.error_result.as_ref().and_then(|result| result.error_text()) {
            write!(f, "{text}")?;
        } else if self.in_turn {
            f.write_str("the session ended in the middle of a turn, which has no result")?;
        } else {
            f.write_str("the session ended")?;
        }
        if let Some(transport) = &self.transport {
            write!(f, " ({transport})")?;
        }
        match &self.exit {
            Some(exit) => write!(f, " ({exit})"),
            None => Ok(()),
        }
    }
}
