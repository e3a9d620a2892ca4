//! Queueing of a remote worker's frames.

/// What a remote worker's frame waited for in the queue before it was posted.
#[wire]
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
