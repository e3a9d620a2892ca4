//! `interrupt`: stops the running turn.

use crate::Uuid;

/// Stops the running turn (`interrupt`); allowed at any time, even if no turn runs.
///
/// The reply comes before the turn's `result`.
#[wire(Default)]
pub struct Interrupt {
    /// Whether to drop queued prompts too.
    pub cancel_queued: Option<bool>,
}

/// The state of the queued prompts.
#[wire(Default, tolerant)]
pub struct InterruptReply {
    /// Queued prompts that will still run, by the ids that the host chose.
    pub still_queued: Vec<Uuid>,
    /// Prompts that were dropped.
    pub cancelled: Vec<Uuid>,
}
