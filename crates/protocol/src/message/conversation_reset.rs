//! `conversation_reset`: the conversation was reset.

use crate::Uuid;

/// The conversation was reset (`conversation_reset`).
///
/// The session continues with another id, which the next `system/init` contains; it is not
/// [`new_conversation_id`](Self::new_conversation_id).
#[wire(message)]
pub struct ConversationReset {
    /// The id of the new conversation.
    #[serde(default = "crate::lenient::empty")]
    pub new_conversation_id: Uuid,
    /// The trigger; absent from older CLIs.
    pub trigger: Option<ResetTrigger>,
    /// The `/clear` prompt, by the id that the host chose.
    pub user_message_uuid: Option<Uuid>,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The trigger of a reset.
#[wire]
pub enum ResetTrigger {
    /// The command `/clear`.
    Clear = "clear",
    /// A plan was accepted, and a new context executes it.
    PlanModeExit = "plan_mode_exit",
    /// A new session was started to execute a plan.
    FreshSession = "fresh_session",
    /// The onboarding was repeated.
    Onboarding = "onboarding",
}
