//! `system/thinking_tokens`: the model thinks, and so much.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// How much the model has thought (`system/thinking_tokens`): an estimate to show, not a bill.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ThinkingTokens {
    /// Tokens of the current thinking block so far.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub estimated_tokens: u64,
    /// How many of them are new.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub estimated_tokens_delta: u64,
    /// The prompt that the turn answers, by the id that the host gave it.
    pub user_message_uuid: Option<Uuid>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
