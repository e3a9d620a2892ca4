//! What a frame of a remote worker had to wait for.

use crate::open_enum::open_enum;

open_enum! {
    /// What a frame of a remote worker had waited for before it was posted.
    pub enum QueuedBehind {
        /// A frame that is stored.
        DurablePost = "durable_post",
        /// A frame that is not stored.
        EphemeralPost = "ephemeral_post",
        /// The pause after a failure.
        RetryBackoff = "retry_backoff",
        /// It was held back.
        Hold = "hold",
        /// Nothing.
        Nothing = "none",
    }
}
