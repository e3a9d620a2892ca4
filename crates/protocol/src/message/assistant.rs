//! `assistant`: an answer of the model.

mod api_error;
mod context_usage;
mod error;
mod meta;
mod usage_report;

pub use api_error::*;
pub use context_usage::*;
pub use error::*;
pub use meta::*;
pub use usage_report::*;

use crate::{
    ApiMessageId, Block, Nullable, SessionId, ToolUseId, Uuid,
    message::{
        Container, ContextManagement, Diagnostics, InputTransformation, StopDetails, StopReason,
        ThinkingDisplay,
    },
    usage::Usage,
};

/// One complete content block of the model's answer (`assistant`).
///
/// The CLI sends one frame per block, all with the same `message.id`, before the block's
/// `content_block_stop`.
#[wire]
pub struct Assistant {
    /// The answer, with only this block.
    pub message: ApiMessage,
    /// The tool use that started the subagent; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The kind of API failure, if the text describes one.
    pub error: Option<AssistantError>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
    /// The id of the API request.
    pub request_id: Option<Box<str>>,
    /// The creation time, as ISO 8601 text; for display, not for sorting.
    pub timestamp: Option<Box<str>>,
    /// The prompt that the turn answers, by the id that the host chose; on the first frame of a turn, and in some turns
    /// on the first one after the turn included another prompt.
    pub user_message_uuid: Option<Uuid>,
    /// All prompts included in the turn so far; present with [`user_message_uuid`](Self::user_message_uuid).
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// Why the turn continues an interrupted one, such as `interrupted_turn`.
    pub resume_reason: Option<Box<str>>,
    /// Whether it continues within a thinking block that was cut at the token limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumed_from_incomplete_thinking: bool,
    /// The earlier messages that it replaces, after a refusal or a malformed tool use.
    pub supersedes: Option<Vec<Uuid>>,
    /// Whether an interrupt cut it off, possibly in the middle of a word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
    /// The task id of the subagent.
    pub agent_id: Option<Box<str>>,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The task description of the subagent.
    pub task_description: Option<String>,
    /// The content of the context window; on the answer to `/context`.
    pub context_usage: Option<Box<ContextUsage>>,
    /// The usage report; on the answer to `/usage`.
    pub usage_report: Option<Box<UsageReport>>,
    /// Display data of the tool uses in the message.
    /// Not declared, seen on the wire.
    pub tool_use_meta: Option<Vec<ToolUseMeta>>,
    /// The duration of thinking, in milliseconds.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub thinking_duration_ms: Option<u64>,
    /// The display of thinking.
    /// Not declared, seen on the wire.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The text of a slash command's answer, as it is in the transcript.
    /// Not declared, seen on the wire.
    pub local_command_source: Option<String>,
    /// The slash command that it answers.
    /// Not declared, seen on the wire.
    pub local_command_run: Option<LocalCommandRun>,
    /// Whether the text describes an API error.
    /// Not declared, seen on the wire.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_api_error_message: bool,
    /// The HTTP status of that error.
    /// Not declared, seen on the wire.
    pub api_error_status: Nullable<u16>,
    /// The error type of the API, such as `rate_limit_error`.
    /// Not declared, seen on the wire.
    pub api_error_type: Option<Box<str>>,
    /// The cause of that error according to the CLI, such as `media_removed`; new causes are added over time.
    /// Not declared, seen on the wire.
    pub api_error: Option<Box<str>>,
    /// The parameters of that cause, if it has any.
    /// Not declared, seen on the wire.
    pub api_error_params: Option<Box<ApiErrorParams>>,
    /// The outcome of the slash command.
    /// Not declared, seen on the wire.
    pub local_command_outcome: Option<LocalCommandOutcome>,
    /// The API's id of the declined answer that the text refers to.
    /// Not declared, seen on the wire.
    pub refused_message_id: Option<ApiMessageId>,
}

/// A message of the Messages API (`message` of an `assistant` frame).
#[wire(tolerant)]
pub struct ApiMessage {
    /// The API's id, shared by all blocks of one answer.
    #[serde(default = "crate::lenient::empty")]
    pub id: ApiMessageId,
    /// The model.
    pub model: Box<str>,
    /// Always `assistant`.
    pub role: Option<Box<str>>,
    /// Always `message` (`type`).
    #[serde(rename = "type")]
    pub kind: Option<Box<str>>,
    /// The blocks; a streamed answer has one per frame.
    pub content: Vec<Block>,
    /// Why the model stopped; `None` while the answer streams.
    #[serialize_always]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that the model wrote.
    pub stop_sequence: Nullable<Box<str>>,
    /// Details on the stop reason.
    pub stop_details: Nullable<StopDetails>,
    /// Token counts so far.
    pub usage: Option<Usage>,
    /// Context edits by the API.
    pub context_management: Nullable<ContextManagement>,
    /// The container of code execution.
    pub container: Nullable<Container>,
    /// Diagnostics of the request.
    pub diagnostics: Nullable<Diagnostics>,
    /// Changes of the request by the API.
    pub input_transformations: Nullable<Vec<InputTransformation>>,
}
