//! What the CLI noted in the conversation.

use agentwire_protocol::message::{CompactTrigger, LocalCommandOutcome, LocalCommandRun};
use agentwire_protocol::{RawJson, ToolUseId, Uuid};
use serde::Deserialize;

use super::union::union;

union! {
    /// Something that the CLI noted in the conversation (`system`), by its `subtype`.
    pub enum SystemEntry by "subtype" {
        /// The conversation was compacted up to here.
        CompactBoundary(CompactBoundary) = "compact_boundary",
        /// Something that the user is to know.
        Informational(Informational) = "informational",
        /// A command that the CLI ran itself, such as `/cost`, or what it printed.
        LocalCommand(LocalCommand) = "local_command",
        /// A request to the model failed, and is made again.
        ApiError(ApiError) = "api_error",
        /// Another model answered than the one that was asked for.
        ModelFallback(ModelFallback) = "model_fallback",
        /// The model declined, and another one answered.
        ModelRefusalFallback(ModelRefusal) = "model_refusal_fallback",
        /// The model declined, and no other one was asked.
        ModelRefusalNoFallback(ModelRefusal) = "model_refusal_no_fallback",
        /// What the hooks at the end of a turn did.
        StopHookSummary(StopHookSummary) = "stop_hook_summary",
    }
}

/// The conversation was compacted up to here (`compact_boundary`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompactBoundary {
    /// Why, and what it saved.
    pub compact_metadata: Option<CompactMetadata>,
}

/// Why a conversation was compacted, and what it saved (`compactMetadata`).
///
/// On the wire the same is written with other names (`compact_metadata`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompactMetadata {
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// Tokens of the conversation before.
    pub pre_tokens: Option<u64>,
    /// Tokens of the conversation after.
    pub post_tokens: Option<u64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The stretch of entries that was kept, by its ends; [`preserved_messages`](Self::preserved_messages) counts where
    /// both are there.
    pub preserved_segment: Option<PreservedSegment>,
    /// The entries that were kept as they were.
    pub preserved_messages: Option<PreservedMessages>,
}

/// A stretch of entries that a compaction kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PreservedSegment {
    /// The first of them.
    pub head_uuid: Uuid,
    /// What they come after now.
    pub anchor_uuid: Uuid,
    /// The last of them.
    pub tail_uuid: Uuid,
}

/// The entries that a compaction kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PreservedMessages {
    /// What they come after now.
    pub anchor_uuid: Uuid,
    /// The entries, in their order.
    pub uuids: Vec<Uuid>,
    /// The same, with those between them that are no messages.
    pub all_uuids: Option<Vec<Uuid>>,
}

/// Something that the user is to know (`informational`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Informational {
    /// The text.
    pub content: String,
    /// How grave it is, such as `warning`.
    pub level: Option<Box<str>>,
}

/// A command that the CLI ran itself, or what it printed (`local_command`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LocalCommand {
    /// What was typed, or what was printed, in tags that say which.
    pub content: String,
    /// The command.
    pub command_run: Option<LocalCommandRun>,
    /// What came of it.
    pub command_outcome: Option<LocalCommandOutcome>,
}

/// A request to the model failed, and is made again (`api_error`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApiError {
    /// What went wrong, as the CLI describes it.
    pub error: Option<RawJson>,
    /// After how many milliseconds it is made again.
    pub retry_in_ms: Option<f64>,
    /// Which repetition that is, counted from 1.
    pub retry_attempt: Option<u64>,
    /// How many there are at most.
    pub max_retries: Option<u64>,
}

/// Another model answered than the one that was asked for (`model_fallback`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelFallback {
    /// Why.
    pub trigger: Option<Box<str>>,
    /// The model that was asked for.
    pub original_model: String,
    /// The one that answered.
    pub fallback_model: String,
    /// What the user is told.
    pub content: Option<String>,
}

/// The model declined to answer (`model_refusal_fallback`, `model_refusal_no_fallback`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelRefusal {
    /// The model.
    pub original_model: String,
    /// The one that answered in its place, if one did.
    pub fallback_model: Option<String>,
    /// What kind of refusal it was, as the API told.
    pub api_refusal_category: Option<Box<str>>,
    /// What the user is told.
    pub content: Option<String>,
}

/// What the hooks at the end of a turn did (`stop_hook_summary`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StopHookSummary {
    /// How many ran.
    pub hook_count: Option<u64>,
    /// What those that failed said.
    #[serde(default)]
    pub hook_errors: Vec<RawJson>,
    /// Whether one of them kept the session from going on.
    #[serde(default)]
    pub prevented_continuation: bool,
    /// Why it did.
    pub stop_reason: Option<String>,
    /// The tool use that they belong to.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
}
