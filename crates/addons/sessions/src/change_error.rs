//! Errors of changes.

use agentwire_protocol::{DecodeError, Uuid};

/// A change that is invalid for the session; nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The title is only white space.
    #[error("the title is empty")]
    EmptyTitle,
    /// The tag has no visible character; use `None` to remove the session's tag.
    #[error("nothing in the tag is visible")]
    EmptyTag,
    /// The session has no messages, or none up to the message where the fork should end.
    #[error("there are no messages to fork")]
    NoMessages,
    /// The message where the fork should end is not in the session's main conversation.
    #[error("there is no message {0} in the session")]
    UnknownMessage(Uuid),
    /// An entry of the session can't be encoded.
    #[error("an entry can't be written")]
    Entry(#[from] DecodeError),
}
