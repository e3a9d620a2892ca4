//! `conversation_reset`: all that was said is forgotten.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// All that was said is forgotten (`conversation_reset`).
///
/// The session goes on under another id, told by the next `system/init`; it is not
/// [`new_conversation_id`](Self::new_conversation_id).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ConversationReset {
    /// The new conversation.
    #[serde(default = "crate::lenient::empty")]
    pub new_conversation_id: Uuid,
    /// What did it; absent from older CLIs.
    pub trigger: Option<ResetTrigger>,
    /// The prompt that was `/clear`, by the id that the host gave it.
    pub user_message_uuid: Option<Uuid>,
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// What made a session forget.
    pub enum ResetTrigger {
        /// The command `/clear`.
        Clear = "clear",
        /// The plan was accepted, and is to be carried out with a clear head.
        PlanModeExit = "plan_mode_exit",
        /// A new session was begun to carry out a plan.
        FreshSession = "fresh_session",
        /// The first steps were taken again.
        Onboarding = "onboarding",
    }
}
