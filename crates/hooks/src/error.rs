//! Why a callback has no answer of its own.

use agentwire_control::FailureKind;

/// Why a callback has no answer of its own; its text goes to the CLI, which may show it to the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// The handler said so.
    #[error("failed: {0}")]
    Failed(String),
    /// The handler panicked.
    #[error("panicked: {0}")]
    Panicked(String),
    /// The event's input is not what this version expects.
    #[error("was not run, since its input can't be read: {0}")]
    Input(agentwire_protocol::DecodeError),
    /// The reply can't be written as JSON.
    #[error("gave a reply that can't be written as JSON: {0}")]
    Reply(String),
    /// The reply is JSON, and none of the event's.
    #[error("gave a reply that the event does not have: {0}")]
    Misread(String),
    /// The reply is JSON, and no object.
    #[error("gave a reply that is no object")]
    NoObject,
    /// It took too long.
    #[error("did not answer in time")]
    Late,
}

impl HookError {
    /// What went wrong, without its text.
    pub(crate) fn kind(&self) -> FailureKind {
        match self {
            Self::Failed(_) => FailureKind::Error,
            Self::Panicked(_) => FailureKind::Panic,
            Self::Input(_) => FailureKind::Input,
            Self::Reply(_) | Self::Misread(_) | Self::NoObject => FailureKind::Reply,
            Self::Late => FailureKind::Late,
        }
    }
}
