//! The outcome of an activity.

use agentwire_control::FailureKind;
use agentwire_protocol::message::ResultSubtype;

/// The outcome of an observed activity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActivityOutcome {
    /// It completed without further information.
    Done,
    /// It ended with a decision: of a hook or a person, or a denied tool use.
    Decided(Verdict),
    /// It ended with an error of its own: an error result, a JSON-RPC error, or a failed process.
    Error {
        /// The kind in the terms of the CLI or the protocol, such as `error_max_turns` or `-32602`; never a message.
        kind: Option<Box<str>>,
    },
    /// The handler failed, and the library answered for it: with a refusal if the event supports one.
    ///
    /// A handler that refuses has the outcome [`Decided`](Self::Decided) instead.
    Failed {
        /// The kind of failure.
        failure: FailureKind,
        /// The handler's error message, only if contents are observed
        /// ([`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)), because it may quote them.
        reason: Option<Box<str>>,
    },
    /// The CLI cancelled the request (after a time limit, an interrupt, a decision made elsewhere or a second
    /// handshake), or [`Session::close`](crate::Session::close) or
    /// [`Session::end_input`](crate::Session::end_input) refused it.
    Cancelled,
    /// It was interrupted.
    Interrupted,
    /// The session or the turn ended first.
    Cut,
    /// No handler accepts such a request; it was answered with an error.
    Unhandled,
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Allowed.
    Allow,
    /// Denied.
    Deny,
    /// A person must decide.
    Ask,
    /// Deferred.
    Defer,
    /// Blocked, with a reason for the model.
    Block,
    /// The turn must not continue (`continue: false`).
    Stop,
    /// The CLI does not wait for the hook (`async`).
    Later,
    /// A person accepted.
    Accept,
    /// A person declined.
    Decline,
    /// A person dismissed the question.
    Cancel,
}

impl ActivityOutcome {
    /// Returns one word: the verdict's, or `done`, `error`, `failed`, `cancelled`, `interrupted`, `cut`, `unhandled`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Decided(verdict) => verdict.as_str(),
            Self::Error { .. } => "error",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Cut => "cut",
            Self::Unhandled => "unhandled",
        }
    }

    /// Returns whether it is a fault: an error, a failed handler, an unhandled request, or an activity that was cut.
    ///
    /// Refused, cancelled and interrupted activities are not faults.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Error { .. } | Self::Failed { .. } | Self::Cut | Self::Unhandled)
    }

    /// Returns the error for an error result of this subtype.
    pub(super) fn of_subtype(subtype: &ResultSubtype) -> Self {
        Self::Error { kind: (*subtype != ResultSubtype::Success).then(|| subtype.as_str().into()) }
    }

    pub(super) fn error(kind: impl Into<Box<str>>) -> Self {
        Self::Error { kind: Some(kind.into()) }
    }
}

impl Verdict {
    /// Returns the name of the verdict; on the wire if it has one there.
    pub fn as_str(self) -> &'static str {
        VERDICTS.iter().find(|(_, verdict)| *verdict == self).map_or("", |(word, _)| word)
    }

    /// Parses a verdict's name on the wire.
    pub(super) fn of(word: &str) -> Option<Self> {
        VERDICTS.iter().find(|(known, _)| *known == word).map(|(_, verdict)| *verdict)
    }
}

/// The names of the verdicts, followed by other words for them.
const VERDICTS: [(&str, Verdict); 12] = [
    ("allow", Verdict::Allow),
    ("deny", Verdict::Deny),
    ("ask", Verdict::Ask),
    ("defer", Verdict::Defer),
    ("block", Verdict::Block),
    ("stop", Verdict::Stop),
    ("later", Verdict::Later),
    ("accept", Verdict::Accept),
    ("decline", Verdict::Decline),
    ("cancel", Verdict::Cancel),
    ("approve", Verdict::Allow),
    ("cancelled", Verdict::Cancel),
];
