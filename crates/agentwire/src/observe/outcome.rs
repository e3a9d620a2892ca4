//! How something ended.

use agentwire_control::FailureKind;
use agentwire_protocol::message::ResultSubtype;

/// How something that was observed has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It came to its end, and nothing is to be said of it.
    Done,
    /// It ended with a decision: of a hook or a person, or of a tool use that was refused.
    Decided(Verdict),
    /// It ended with an error of its own: a result that is one, a JSON-RPC error, a process that failed.
    Error {
        /// What kind, in the words of the CLI or the protocol, such as `error_max_turns` or `-32602`; never a text.
        kind: Option<Box<str>>,
    },
    /// The handler has failed, and was answered for: where the event can refuse, with a refusal.
    ///
    /// It differs from a handler that refuses: that one is [`Decided`](Self::Decided).
    Failed {
        /// What went wrong.
        failure: FailureKind,
        /// The handler's own text; only where contents are observed
        /// ([`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)), since it may quote them.
        reason: Option<Box<str>>,
    },
    /// The CLI took the request back: by a time limit, an interrupt, or since something else has decided.
    Cancelled,
    /// It was interrupted.
    Interrupted,
    /// The session ended first, or the turn, so that nothing will come of it.
    Cut,
    /// Nobody handles such a request: it was answered with an error that says so.
    Unhandled,
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It may go ahead.
    Allow,
    /// It may not.
    Deny,
    /// A person is to be asked.
    Ask,
    /// It is put off.
    Defer,
    /// It is refused, with a reason for the model.
    Block,
    /// The turn is not to go on (`continue: false`).
    Stop,
    /// The CLI is not to wait (`async`).
    Later,
    /// A person has accepted.
    Accept,
    /// A person has declined.
    Decline,
    /// A person went away.
    Cancel,
}

impl Outcome {
    /// One word for it: the verdict's, or `done`, `error`, `failed`, `cancelled`, `interrupted`, `cut`, `unhandled`.
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

    /// Whether it is a fault: an error, a handler that failed, a request that nobody handles, or what was cut.
    ///
    /// A refusal is none, and neither is what was cancelled or interrupted.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Error { .. } | Self::Failed { .. } | Self::Cut | Self::Unhandled)
    }

    /// The error that a result of this subtype stands for.
    pub(super) fn of_subtype(subtype: &ResultSubtype) -> Self {
        Self::Error { kind: (*subtype != ResultSubtype::Success).then(|| subtype.as_str().into()) }
    }

    pub(super) fn error(kind: impl Into<Box<str>>) -> Self {
        Self::Error { kind: Some(kind.into()) }
    }
}

impl Verdict {
    /// One word for it, that of the wire where there is one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Defer => "defer",
            Self::Block => "block",
            Self::Stop => "stop",
            Self::Later => "later",
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }

    /// The verdict of this word of the wire's.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "allow" | "approve" => Self::Allow,
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "defer" => Self::Defer,
            "block" => Self::Block,
            "accept" => Self::Accept,
            "decline" => Self::Decline,
            "cancel" | "cancelled" => Self::Cancel,
            _ => return None,
        })
    }
}
