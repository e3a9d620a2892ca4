//! `assistant`: what the model said.

mod api_error;
mod context_usage;
mod error;
mod meta;
mod usage_report;

pub use api_error::{
    ApiErrorParams, ApiErrorProvider, CredentialRemedy, CutReason, RefusedMedia, RefusedMediaReason,
};
pub use context_usage::{
    ContextAgent, ContextCategory, ContextCategoryKind, ContextMcpTool, ContextMemoryFile, ContextOverLimit,
    ContextSkill, ContextUsage, OverLimitKind,
};
pub use error::AssistantError;
pub use meta::{LocalCommandOutcome, LocalCommandRun, ToolUseMeta};
pub use usage_report::{UsageLimit, UsageLimitScope, UsageLimits, UsageReport, UsageScopeName};

use serde::{Deserialize, Serialize};

use crate::{
    ApiMessageId, Block, Nullable, SessionId, ToolUseId, Uuid,
    message::{Container, ContextManagement, Diagnostics, InputTransformation, StopDetails, StopReason},
    usage::Usage,
};

/// One content block of the model's answer (`assistant`), complete.
///
/// The CLI sends one frame for each block, all with the same `message.id`, before the block's
/// `content_block_stop`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Assistant {
    /// The answer, holding this block alone.
    pub message: ApiMessage,
    /// The tool use whose subagent said it; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The kind of failure that this text stands for, where the model's API failed.
    pub error: Option<AssistantError>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
    /// The id of the API request that gave it.
    pub request_id: Option<Box<str>>,
    /// When it was made, as ISO 8601 text; for a reader, not to sort by.
    pub timestamp: Option<Box<str>>,
    /// The prompt that the turn answers, by the id that the host gave it; on the first frame of the answer
    /// alone.
    pub user_message_uuid: Option<Uuid>,
    /// All prompts that the turn has taken in by then; with [`user_message_uuid`](Self::user_message_uuid).
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// Why the turn goes on with one that was cut off, such as `interrupted_turn`.
    pub resume_reason: Option<Box<str>>,
    /// Whether it goes on within a thinking block that was cut at the token limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumed_from_incomplete_thinking: bool,
    /// The earlier messages that it takes the place of, after a refusal or an unreadable tool use.
    pub supersedes: Option<Vec<Uuid>>,
    /// Whether an interrupt cut it off, perhaps in the middle of a word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
    /// The subagent that said it, by its task.
    pub agent_id: Option<Box<str>>,
    /// The kind of subagent.
    pub subagent_type: Option<Box<str>>,
    /// What the subagent does.
    pub task_description: Option<String>,
    /// What fills the context window; on the answer to `/context`.
    pub context_usage: Option<Box<ContextUsage>>,
    /// What was used; on the answer to `/usage`.
    pub usage_report: Option<Box<UsageReport>>,
    /// How to show the tool uses of the message.
    /// Not declared, seen on the wire.
    pub tool_use_meta: Option<Vec<ToolUseMeta>>,
    /// How long the model thought, in milliseconds.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub thinking_duration_ms: Option<u64>,
    /// How to show the thinking, such as `updates`.
    /// Not declared, seen on the wire.
    pub thinking_display: Option<Box<str>>,
    /// The text of a slash command's answer, as it is in the transcript.
    /// Not declared, seen on the wire.
    pub local_command_source: Option<String>,
    /// The slash command that it answers.
    /// Not declared, seen on the wire.
    pub local_command_run: Option<LocalCommandRun>,
    /// Whether the text stands for an API error.
    /// Not declared, seen on the wire.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_api_error_message: bool,
    /// The HTTP status of the failure that the text stands for.
    /// Not declared, seen on the wire.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub api_error_status: Nullable<u16>,
    /// The kind of that failure, in the API's words, such as `rate_limit_error`.
    /// Not declared, seen on the wire.
    pub api_error_type: Option<Box<str>>,
    /// The cause of that failure in the CLI's words, such as `media_removed`; new ones are added over time.
    /// Not declared, seen on the wire.
    pub api_error: Option<Box<str>>,
    /// What belongs to that cause; only for those that have any.
    /// Not declared, seen on the wire.
    pub api_error_params: Option<Box<ApiErrorParams>>,
    /// How the slash command ended.
    /// Not declared, seen on the wire.
    pub local_command_outcome: Option<LocalCommandOutcome>,
    /// The API's id of the answer that was declined, where the text stands for that.
    /// Not declared, seen on the wire.
    pub refused_message_id: Option<ApiMessageId>,
}

/// A message of the model's API (`message` of an `assistant` frame).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ApiMessage {
    /// The API's id, the same for every block of one answer.
    #[serde(default = "crate::lenient::empty")]
    pub id: ApiMessageId,
    /// The model that answered.
    #[serde(default)]
    pub model: Box<str>,
    /// Always `assistant`.
    pub role: Option<Box<str>>,
    /// Always `message` (`type`).
    #[serde(rename = "type")]
    pub kind: Option<Box<str>>,
    /// The blocks; one for each frame of an answer that streams.
    #[serde(default)]
    pub content: Vec<Block>,
    /// Why the model stopped; `None` while the answer streams.
    #[serialize_always]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that it wrote.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub stop_sequence: Nullable<Box<str>>,
    /// More on why it stopped.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub stop_details: Nullable<StopDetails>,
    /// Tokens, as far as they are counted by then.
    pub usage: Option<Usage>,
    /// What the API cleared out of a long context.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub context_management: Nullable<ContextManagement>,
    /// Where the API ran code.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub container: Nullable<Container>,
    /// What the API found out about the request.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub diagnostics: Nullable<Diagnostics>,
    /// What the API changed in the request.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub input_transformations: Nullable<Vec<InputTransformation>>,
}
