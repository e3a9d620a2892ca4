//! `interrupt`: stops the running turn.

use super::control_call;
use crate::Uuid;

/// Stops the running turn (`interrupt`); allowed at any time, even if no turn runs.
///
/// The reply comes before the turn's `result`.
#[wire(Default)]
pub struct Interrupt {
    /// Whether to drop queued prompts too.
    pub cancel_queued: Option<bool>,
}

control_call!(Interrupt = "interrupt" => InterruptReply);

/// The state of the queued prompts.
#[wire(Default, default)]
pub struct InterruptReply {
    /// Queued prompts that will still run, by the ids that the host chose.
    pub still_queued: Vec<Uuid>,
    /// Prompts that were dropped.
    pub cancelled: Vec<Uuid>,
}
