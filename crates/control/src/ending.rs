//! How a session ended.

use std::fmt;

use agentwire_protocol::message::{AssistantError, TurnResult};
use agentwire_transport::ExitReport;

/// How a session ended.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionExit {
    /// How the peer's process ended; `None` if there is no process, or if it has not ended.
    pub exit: Option<ExitReport>,
    /// The cause, if it is not the exit of the process: an error of the transport, a process that did not exit after
    /// its output ended, or the drop of the session. If the process exited during the handshake: its first line of
    /// output that is not JSON, or else "in the handshake".
    pub transport: Option<String>,
    /// The last result, if it was an error and no message followed. The exit code is then only its consequence.
    pub error_result: Option<Box<TurnResult>>,
    /// The error kind of the assistant message before that result.
    pub error_kind: Option<AssistantError>,
    /// Whether a turn was running or known to follow; that turn never gets a result.
    pub in_turn: bool,
    /// Whether an interrupt was sent for that turn or, if there was no such turn, one that may have aborted the last
    /// turn.
    pub interrupted: bool,
}

impl SessionExit {
    /// Creates the end of a session whose process exited.
    pub fn exited(exit: ExitReport) -> Self {
        Self { exit: Some(exit), ..Self::default() }
    }

    /// Creates the end of a session for a cause other than the exit of its process.
    pub fn failed(what: impl Into<String>) -> Self {
        Self { transport: Some(what.into()), ..Self::default() }
    }

    /// Returns whether the session ended well: not in a turn, without an error result or a failed transport, and with exit
    /// code 0 or an unknown exit status.
    pub fn is_clean(&self) -> bool {
        !self.in_turn
            && self.transport.is_none()
            && self.error_result.is_none()
            && !self.exit.as_ref().is_some_and(ExitReport::is_failure)
    }
}

/// The cause comes first: the text of an error result, then the exit code that follows from it.
impl fmt::Display for SessionExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.error_result.as_ref().and_then(|result| result.error_text());
        f.write_str(match &text {
            Some(text) => text,
            None if self.in_turn => "the session ended in the middle of a turn, which has no result",
            None => "the session ended",
        })?;
        if let Some(transport) = &self.transport {
            write!(f, " ({transport})")?;
        }
        let Some(mut exit) = self.exit.clone() else { return Ok(()) };
        // The CLI prints the error of a failed resume on stderr too.
        if let Some(text) = &text {
            let others = exit.stderr_tail.lines().filter(|line| !line.ends_with(text));
            exit.stderr_tail = others.collect::<Vec<_>>().join("\n").trim().to_owned();
        }
        write!(f, " ({exit})")
    }
}
