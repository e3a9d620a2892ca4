//! `interrupt`: stops the running turn.

use serde::{Deserialize, Serialize};

use super::control_call;
use crate::Uuid;

/// Stops the running turn (`interrupt`); allowed at any time, even if no turn runs.
///
/// The reply comes before the turn's `result`.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// Whether to drop queued prompts too.
    pub cancel_queued: Option<bool>,
}

control_call!(Interrupt = "interrupt" => InterruptReply);

/// The state of the queued prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InterruptReply {
    /// Queued prompts that will still run, by the ids that the host chose.
    pub still_queued: Vec<Uuid>,
    /// Prompts that were dropped.
    pub cancelled: Vec<Uuid>,
}
