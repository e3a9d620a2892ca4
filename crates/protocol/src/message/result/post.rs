//! Queueing of a remote worker's frames.

use crate::open_enum::open_enum;

open_enum! {
    /// What a frame of a remote worker was queued behind before it was posted.
    pub enum QueuedBehind {
        /// The post of a stored frame.
        DurablePost = "durable_post",
        /// The post of a frame that is not stored.
        EphemeralPost = "ephemeral_post",
        /// The pause after a failed attempt.
        RetryBackoff = "retry_backoff",
        /// A hold.
        Hold = "hold",
        /// Nothing.
        Nothing = "none",
    }
}
