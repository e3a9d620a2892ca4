//! Messages of the user and the model.

use agentwire_protocol::message::{ApiMessage, AssistantError, Origin, UserMessage};
use agentwire_protocol::{PermissionMode, RawJson, SessionId, Uuid};
use serde::Deserialize;

/// A message to the model (`user`): a prompt, a tool result, or the summary of a compaction.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserEntry {
    /// The role and the content.
    pub message: UserMessage,
    /// Whether the CLI generated the message, which is then hidden.
    #[serde(default)]
    pub is_meta: bool,
    /// Whether it is the summary of a compaction.
    #[serde(default)]
    pub is_compact_summary: bool,
    /// Whether it is only shown in the full transcript.
    #[serde(default)]
    pub is_visible_in_transcript_only: bool,
    /// The tool's own result, with more detail than the text for the model.
    pub tool_use_result: Option<RawJson>,
    /// The entry with the tool use that this is the result of.
    #[serde(rename = "sourceToolAssistantUUID")]
    pub source_tool_assistant_uuid: Option<Uuid>,
    /// The permission mode at that time.
    pub permission_mode: Option<PermissionMode>,
    /// The prompt that it belongs to.
    pub prompt_id: Option<Box<str>>,
    /// The source of the prompt, such as `sdk`.
    pub prompt_source: Option<Box<str>>,
    /// The origin of the message.
    pub origin: Option<Origin>,
}

/// One content block of the model's answer (`assistant`).
///
/// The blocks of one answer are separate entries with the same `message.id`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AssistantEntry {
    /// The answer, with this block alone.
    pub message: ApiMessage,
    /// The id of the API request.
    pub request_id: Option<Box<str>>,
    /// The index of the block in the answer, from 0.
    pub api_block_index: Option<u64>,
    /// The requested model.
    pub requested_model: Option<String>,
    /// Whether it reports a failed API request.
    #[serde(default)]
    pub is_api_error_message: bool,
    /// The kind of failure.
    pub error: Option<AssistantError>,
}

/// Tool results that were replaced because of their length (`content-replacement`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContentReplacement {
    /// The replacements, as the CLI represents them.
    #[serde(default)]
    pub replacements: Vec<RawJson>,
    /// The subagent, if the results are a subagent's.
    pub agent_id: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
}
