//! Entries about the session as a whole: names and settings.

use agentwire_protocol::{PermissionMode, SessionId, Uuid};
use serde::Deserialize;

/// Declares entries with one field besides the session id.
macro_rules! named {
    ($($(#[$meta:meta])* $name:ident { $(#[$field_meta:meta])* $field:ident: $type:ty })+) => {
        $(
            $(#[$meta])*
            ///
            /// The last one in a file counts.
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
        /// The title; empty if it was removed.
        custom_title: String
    }
    /// The title that the model gave the session (`ai-title`).
    AiTitle {
        /// The title.
        ai_title: String
    }
    /// The user's tag for the session (`tag`).
    TagEntry {
        /// The tag; empty if it was removed.
        tag: String
    }
    /// The mode of the session (`mode`).
    Mode {
        /// The mode, such as `normal`.
        mode: Box<str>
    }
    /// The permission mode (`permission-mode`).
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

/// The last prompt, and the last message of the conversation (`last-prompt`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LastPrompt {
    /// The prompt, possibly truncated.
    pub last_prompt: Option<String>,
    /// The last message of the conversation; `None` also after a cancelled first prompt.
    pub leaf_uuid: Option<Uuid>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// A summary of part of a conversation (`summary`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Summary {
    /// The summary.
    pub summary: String,
    /// The last message of that part.
    pub leaf_uuid: Option<Uuid>,
}
