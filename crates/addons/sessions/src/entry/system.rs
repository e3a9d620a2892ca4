//! System entries, which the CLI writes into the conversation.

use agentwire_protocol::message::{CompactTrigger, LocalCommandOutcome, LocalCommandRun, RefusalCategory};
use agentwire_protocol::{RawJson, ToolUseId, Uuid};
use serde::Deserialize;

use super::union::union;

union! {
    /// A note by the CLI in the conversation (`system`), by its `subtype`.
    pub enum SystemEntry by "subtype" {
        /// The conversation was compacted.
        CompactBoundary(CompactBoundary) = "compact_boundary",
        /// A note for the user.
        Informational(Informational) = "informational",
        /// A command that the CLI ran itself, such as `/cost`, or its output.
        LocalCommand(LocalCommand) = "local_command",
        /// A request to the model failed and is retried.
        ApiError(ApiError) = "api_error",
        /// A model other than the requested one answered.
        ModelFallback(ModelFallback) = "model_fallback",
        /// The model refused, and another one answered.
        ModelRefusalFallback(ModelRefusal) = "model_refusal_fallback",
        /// The model refused, and no other model was asked.
        ModelRefusalNoFallback(ModelRefusal) = "model_refusal_no_fallback",
        /// The results of the hooks at the end of a turn.
        StopHookSummary(StopHookSummary) = "stop_hook_summary",
    }
}

/// The conversation was compacted (`compact_boundary`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompactBoundary {
    /// The reason and the savings.
    pub compact_metadata: Option<CompactMetadata>,
}

/// The reason and the savings of a compaction (`compactMetadata`).
///
/// The stream uses other names for the same fields (`compact_metadata`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompactMetadata {
    /// The trigger.
    pub trigger: CompactTrigger,
    /// Tokens of the conversation before.
    pub pre_tokens: Option<u64>,
    /// Tokens of the conversation after.
    pub post_tokens: Option<u64>,
    /// The duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The range of entries that was kept; if [`preserved_messages`](Self::preserved_messages) is present too, that
    /// counts.
    pub preserved_segment: Option<PreservedSegment>,
    /// The entries that were kept.
    pub preserved_messages: Option<PreservedMessages>,
}

/// A range of entries that a compaction kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PreservedSegment {
    /// The first entry.
    pub head_uuid: Uuid,
    /// The entry that the range now follows.
    pub anchor_uuid: Uuid,
    /// The last entry.
    pub tail_uuid: Uuid,
}

/// The entries that a compaction kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PreservedMessages {
    /// The entry that they now follow.
    pub anchor_uuid: Uuid,
    /// The entries, in their order.
    pub uuids: Vec<Uuid>,
    /// The same, with the entries between them that are not messages.
    pub all_uuids: Option<Vec<Uuid>>,
}

/// A note for the user (`informational`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Informational {
    /// The text.
    pub content: String,
    /// The severity, such as `warning`.
    pub level: Option<Box<str>>,
}

/// A command that the CLI ran itself, or its output (`local_command`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LocalCommand {
    /// The command or the output, in tags that distinguish them.
    pub content: String,
    /// The command.
    pub command_run: Option<LocalCommandRun>,
    /// The outcome.
    pub command_outcome: Option<LocalCommandOutcome>,
}

/// A request to the model failed and is retried (`api_error`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApiError {
    /// The error, as the CLI represents it.
    pub error: Option<RawJson>,
    /// The delay before the retry, in milliseconds.
    pub retry_in_ms: Option<f64>,
    /// The number of the retry, from 1.
    pub retry_attempt: Option<u64>,
    /// The limit on retries.
    pub max_retries: Option<u64>,
}

/// A model other than the requested one answered (`model_fallback`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelFallback {
    /// The reason.
    pub trigger: Option<Box<str>>,
    /// The requested model.
    pub original_model: String,
    /// The model that answered.
    pub fallback_model: String,
    /// The text for the user.
    pub content: Option<String>,
}

/// The model refused to answer (`model_refusal_fallback`, `model_refusal_no_fallback`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelRefusal {
    /// The model.
    pub original_model: String,
    /// The model that answered instead, if any.
    pub fallback_model: Option<String>,
    /// The kind of refusal, as reported by the API.
    pub api_refusal_category: Option<RefusalCategory>,
    /// The text for the user.
    pub content: Option<String>,
}

/// The results of the hooks at the end of a turn (`stop_hook_summary`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StopHookSummary {
    /// How many hooks ran.
    pub hook_count: Option<u64>,
    /// The messages of the hooks that failed.
    #[serde(default)]
    pub hook_errors: Vec<RawJson>,
    /// Whether a hook prevented the session from continuing.
    #[serde(default)]
    pub prevented_continuation: bool,
    /// The reason.
    pub stop_reason: Option<String>,
    /// The tool use that the hooks belong to.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
}
