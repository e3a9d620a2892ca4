//! Why a change can't be made, wherever the session is kept.

use agentwire_protocol::{DecodeError, Uuid};

/// A change that makes no sense for the session; nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A title needs something else than space.
    #[error("the title is empty")]
    EmptyTitle,
    /// A tag needs something visible; no tag at all (`None`) takes the old one away.
    #[error("nothing in the tag is visible")]
    EmptyTag,
    /// Nothing was said in the session, or nothing up to the message where the fork was to end.
    #[error("there are no messages to fork")]
    NoMessages,
    /// The message where the fork was to end is not in the session's own conversation.
    #[error("there is no message {0} in the session")]
    UnknownMessage(Uuid),
    /// An entry of the session can't be written again.
    #[error("an entry can't be written")]
    Entry(#[from] DecodeError),
}
