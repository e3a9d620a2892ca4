//! `interrupt`: stop the running turn.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::Uuid;

/// Stop the running turn (`interrupt`); allowed at any time, also when nothing runs.
///
/// The reply comes before the turn's `result`.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// Whether to drop the waiting prompts too.
    pub cancel_queued: Option<bool>,
}

impl ControlCall for Interrupt {
    const SUBTYPE: &'static str = "interrupt";
    type Reply = InterruptReply;
}

/// What became of the waiting prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InterruptReply {
    /// Prompts that still wait and will run, by the ids that the host gave them.
    pub still_queued: Vec<Uuid>,
    /// Prompts that were dropped.
    pub cancelled: Vec<Uuid>,
}
