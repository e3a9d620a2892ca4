//! What is shown to the user: `Notification` and `MessageDisplay`.

use serde::{Deserialize, Serialize};

use super::{HookReply, ability::adds_context, declare::hook_event};
use crate::Uuid;

hook_event! {
    /// A notice for the user, such as a question of permission that has been open for six seconds.
    ///
    /// The event can't refuse.
    Notification => NotificationOutput, matched by "notification_type", refusal |_| None;

    /// What `Notification` tells.
    NotificationInput {
        /// The notice (`message`).
        #[serde(default)]
        message: String,
        /// Its title (`title`).
        title: Option<String>,
        /// Its kind, such as `permission_prompt` or `elicitation_response` (`notification_type`).
        #[serde(default)]
        notification_type: Box<str>,
    }
}

/// What only `Notification` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotificationOutput {
    /// Text for the model (`additionalContext`).
    pub additional_context: Option<String>,
}

adds_context!(Notification);

hook_event! {
    /// Lines of an answer are about to be shown: other words may be shown instead.
    ///
    /// The model and the stored session keep the answer's own words; the `assistant` frame and the `result` have those
    /// of the hook.
    /// The event can't refuse: a block has no effect.
    MessageDisplay => MessageDisplayOutput, refusal |_| None, within 10_000 ms;

    /// What `MessageDisplay` tells.
    MessageDisplayInput {
        /// The turn (`turn_id`).
        turn_id: Uuid,
        /// The `assistant` message by its own id, the same for all its parts (`message_id`).
        message_id: Uuid,
        /// The number of the part within the message, from 0 (`index`).
        #[serde(default, deserialize_with = "crate::lenient::count")]
        index: u64,
        /// Whether it is the message's last (`final`).
        #[serde(rename = "final", default)]
        is_final: bool,
        /// The lines that are new since the part before, whole ones but for the last part; may be empty (`delta`).
        #[serde(default)]
        delta: String,
    }
}

/// What only `MessageDisplay` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MessageDisplayOutput {
    /// The text to show instead of the lines (`displayContent`).
    pub display_content: Option<String>,
}

impl HookReply<MessageDisplay> {
    /// Shows this text instead.
    pub fn display(text: impl Into<String>) -> Self {
        Self::output(MessageDisplayOutput { display_content: Some(text.into()) })
    }
}
