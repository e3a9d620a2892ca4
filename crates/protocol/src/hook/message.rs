//! Display events: `Notification` and `MessageDisplay`.

use super::{ContextOutput, HookReply, declare::hook_event};
use crate::Uuid;

hook_event! {
    /// A notification for the user, such as a permission request that has been open for six seconds.
    ///
    /// This event can't be blocked, and CLI 2.1.330 ignores the context that a callback adds.
    Notification => ContextOutput, matched by "notification_type", refusal |_| None, adds context;

    /// The input of `Notification`.
    NotificationInput {
        /// The message (`message`).
        #[serde(default)]
        message: String,
        /// The title (`title`).
        title: Option<String>,
        /// The kind, such as `permission_prompt` or `elicitation_response` (`notification_type`).
        #[serde(default)]
        notification_type: Box<str>,
    }
}

hook_event! {
    /// Before lines of an answer are displayed; a reply can replace them.
    ///
    /// The model and the stored session keep the original text; the `assistant` frame and the `result` contain the
    /// replacement.
    /// This event can't be blocked: a block has no effect.
    MessageDisplay => MessageDisplayOutput, refusal |_| None, within 10_000 ms;

    /// The input of `MessageDisplay`.
    MessageDisplayInput {
        /// The turn (`turn_id`).
        turn_id: Uuid,
        /// The id of the `assistant` message, shared by all its parts (`message_id`).
        message_id: Uuid,
        /// The number of the part within the message, from 0 (`index`).
        #[serde(default, deserialize_with = "crate::lenient::count")]
        index: u64,
        /// Whether this is the last part of the message (`final`).
        #[serde(rename = "final", default)]
        is_final: bool,
        /// The new lines since the previous part; only the last part may end in an incomplete line; may be empty
        /// (`delta`).
        #[serde(default)]
        delta: String,
    }
}

/// The event-specific output of `MessageDisplay`.
#[wire(Default, camelCase)]
pub struct MessageDisplayOutput {
    /// The text to display instead of the lines (`displayContent`).
    pub display_content: Option<String>,
}

impl HookReply<MessageDisplay> {
    /// Returns a reply that displays this text instead.
    pub fn display(text: impl Into<String>) -> Self {
        Self::output(MessageDisplayOutput { display_content: Some(text.into()) })
    }
}
