//! What was said: to the model, and by it.

use agentwire_protocol::message::{ApiMessage, AssistantError, Origin, UserMessage};
use agentwire_protocol::{PermissionMode, RawJson, SessionId, Uuid};
use serde::Deserialize;

/// Something said to the model (`user`): a prompt, a tool's result, a summary in place of what was compacted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserEntry {
    /// The role and the content.
    pub message: UserMessage,
    /// Whether the CLI said it in the user's place, and does not show it.
    #[serde(default)]
    pub is_meta: bool,
    /// Whether it is the summary of what was compacted.
    #[serde(default)]
    pub is_compact_summary: bool,
    /// Whether it is shown only where everything is.
    #[serde(default)]
    pub is_visible_in_transcript_only: bool,
    /// The tool's own result, richer than the text that the model sees.
    pub tool_use_result: Option<RawJson>,
    /// The entry with the tool use that this is a result of.
    #[serde(rename = "sourceToolAssistantUUID")]
    pub source_tool_assistant_uuid: Option<Uuid>,
    /// How permissions were asked for when it was said.
    pub permission_mode: Option<PermissionMode>,
    /// The prompt that it belongs to.
    pub prompt_id: Option<Box<str>>,
    /// Who gave the prompt, such as `sdk`.
    pub prompt_source: Option<Box<str>>,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// One content block of an answer of the model (`assistant`).
///
/// The blocks of one answer are entries of their own with the same `message.id`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AssistantEntry {
    /// The answer, holding this block alone.
    pub message: ApiMessage,
    /// The id of the API request that gave it.
    pub request_id: Option<Box<str>>,
    /// The place of the block in the answer, counted from 0.
    pub api_block_index: Option<u64>,
    /// The model that was asked for.
    pub requested_model: Option<String>,
    /// Whether it stands for a failure of the model's API.
    #[serde(default)]
    pub is_api_error_message: bool,
    /// The kind of failure.
    pub error: Option<AssistantError>,
}

/// Tool results that were put elsewhere because of their length (`content-replacement`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContentReplacement {
    /// What stands in the place of what, as the CLI keeps it.
    #[serde(default)]
    pub replacements: Vec<RawJson>,
    /// The subagent that they belong to.
    pub agent_id: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
}
