//! Entries about the session as a whole: what it is called, and how it is set.

use agentwire_protocol::{PermissionMode, SessionId, Uuid};
use serde::Deserialize;

/// Declares an entry of one field beside the session.
macro_rules! named {
    ($($(#[$meta:meta])* $name:ident { $(#[$field_meta:meta])* $field:ident: $type:ty })+) => {
        $(
            $(#[$meta])*
            ///
            /// The last one of a file counts.
            #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
            #[serde(rename_all = "camelCase")]
            #[non_exhaustive]
            pub struct $name {
                $(#[$field_meta])*
                pub $field: $type,
                /// The session.
                pub session_id: Option<SessionId>,
            }
        )+
    };
}

named! {
    /// The title that the user gave the session (`custom-title`).
    CustomTitle {
        /// The title; empty where it was cancelled.
        custom_title: String
    }
    /// The title that the model gave the session (`ai-title`).
    AiTitle {
        /// The title.
        ai_title: String
    }
    /// The user's tag for the session (`tag`).
    TagEntry {
        /// The tag; empty where it was taken off.
        tag: String
    }
    /// The mode that the session is in (`mode`).
    Mode {
        /// The mode, such as `normal`.
        mode: Box<str>
    }
    /// How permissions are asked for (`permission-mode`).
    PermissionModeEntry {
        /// The mode.
        permission_mode: PermissionMode
    }
    /// The session's name as an agent of a team (`agent-name`).
    AgentName {
        /// The name.
        agent_name: String
    }
    /// The session's colour as an agent of a team (`agent-color`).
    AgentColor {
        /// The colour.
        agent_color: Box<str>
    }
    /// The agent that the session runs as (`agent-setting`).
    AgentSetting {
        /// The agent's name.
        agent_setting: String
    }
}

/// The last prompt, and the message that the conversation ends with (`last-prompt`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LastPrompt {
    /// The prompt, perhaps cut.
    pub last_prompt: Option<String>,
    /// The message that the conversation ends with; `None` also where it was cancelled to its start.
    pub leaf_uuid: Option<Uuid>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// What a part of a conversation was about (`summary`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Summary {
    /// The summary.
    pub summary: String,
    /// The message that the part ends with.
    pub leaf_uuid: Option<Uuid>,
}
