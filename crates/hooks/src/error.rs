//! Failures of a handler.

use agentwire_control::FailureKind;

/// A failure of a handler. Its text goes to the CLI, which may show it to the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandlerError {
    /// The handler returned an error.
    #[error("failed: {0}")]
    Failed(String),
    /// The handler panicked.
    #[error("panicked: {0}")]
    Panicked(String),
    /// The event's input does not have the expected shape.
    #[error("was not run, since its input can't be read: {0}")]
    Input(agentwire_protocol::DecodeError),
    /// The reply can't be written as JSON.
    #[error("returned a reply that can't be written as JSON: {0}")]
    Reply(String),
    /// The reply is JSON, but not a reply to the event.
    #[error("returned a reply that is not valid for the event: {0}")]
    Misread(String),
    /// The reply is JSON, but not an object.
    #[error("returned a reply that is not an object")]
    NoObject,
    /// The handler exceeded its limit.
    #[error("did not answer in time")]
    Late,
}

impl HandlerError {
    /// Returns the kind of failure.
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
