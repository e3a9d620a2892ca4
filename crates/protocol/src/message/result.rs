//! `result`: the end of a turn.

mod end;
mod post;
mod startup;
mod subagents;

pub use end::{ResultSubtype, TerminalReason};
pub use post::QueuedBehind;
pub use startup::{InvalidConfigFile, StartupFailureReason};
pub use subagents::{KilledSubagents, RefusedSubagents, RequestedSubagents, SubagentStats};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Nullable, RawJson, SessionId, ToolName, ToolUseId, Uuid,
    effort::{FastModeDisabledReason, FastModeState},
    message::{Origin, StopReason},
    usage::{ModelUsage, Usage},
};

/// The end of a turn (`result`), good or bad.
///
/// It ends the turn, not the session: background work may go on and give further results.
/// Most of these frames do not start with their `type`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TurnResult {
    /// How the turn ended, roughly; see also [`is_error`](Self::is_error).
    pub subtype: ResultSubtype,
    /// Whether it failed. An API error comes as subtype `success` with this set.
    ///
    /// Also set where the field is missing or can't be read, so that no failure passes for an answer.
    #[serde(default = "unread_is_an_error", deserialize_with = "crate::lenient::flag")]
    pub is_error: bool,
    /// The last main text of the model; absent on errors, empty after some commands.
    pub result: Option<String>,
    /// What went wrong, in the CLI's words; diagnostics alone after an interrupt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Why the turn ended; absent on some results.
    pub terminal_reason: Option<TerminalReason>,
    /// The HTTP status of a failed API request; `null` where none failed.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub api_error_status: Nullable<u16>,
    /// The kind of the failure, in the API's words, such as `rate_limit_error`.
    /// Not declared, seen on the wire.
    pub api_error_type: Option<Box<str>>,
    /// The cause of the failure in the CLI's words, as on the `assistant` frame before it.
    /// Not declared, seen on the wire.
    pub api_error: Option<Box<str>>,
    /// Why the model stopped.
    #[serialize_always]
    pub stop_reason: Option<StopReason>,
    /// Wall time of the turn, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub duration_ms: u64,
    /// Time spent in API requests, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub duration_api_ms: u64,
    /// The CLI's own count of rounds; neither the number of API calls nor of results.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub num_turns: u64,
    /// Cost of the session so far, in US dollars, as the CLI estimates it.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub total_cost_usd: f64,
    /// Tokens of the turn's main conversation, without its subagents.
    pub usage: Option<Usage>,
    /// Tokens and cost of the session so far, by model; the numbers to count by.
    #[serde(rename = "modelUsage", default)]
    pub model_usage: BTreeMap<Box<str>, ModelUsage>,
    /// The same since the result before this one.
    /// Not declared, seen on the wire.
    pub model_usage_since_last_result: Option<BTreeMap<Box<str>, ModelUsage>>,
    /// Tool uses that were refused.
    #[serde(default)]
    pub permission_denials: Vec<PermissionDenial>,
    /// The answer in the shape that the caller asked for; absent where the model never gave one.
    pub structured_output: Option<RawJson>,
    /// The tool use that a hook put off.
    pub deferred_tool_use: Option<DeferredToolUse>,
    /// The last prompt that the turn answered, by the id that the host gave it.
    pub user_message_uuid: Option<Uuid>,
    /// All prompts that the turn answered, by the ids that the host gave them; 64 at most.
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// The API's ids of the answers that the turn began.
    /// Not declared, seen on the wire.
    pub begun_message_ids: Option<Vec<Box<str>>>,
    /// Prompts that wait; above 0 another turn follows by itself.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub queued_turn_count: Option<u64>,
    /// The number of this result in the run, from 0; a gap means that one was lost.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub result_index: Option<u64>,
    /// Where the prompt came from.
    pub origin: Option<Origin>,
    /// Why the turn went on with one that was cut off, such as `interrupted_turn`.
    pub resume_reason: Option<Box<str>>,
    /// The slash command that the turn was, without its slash.
    pub local_command: Option<Box<str>>,
    /// What subagents there were.
    /// Not declared, seen on the wire.
    pub subagent_stats: Option<Box<SubagentStats>>,
    /// How often the model declined.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub safety_stops: Option<u64>,
    /// Why the CLI does not start.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The configuration file that can't be read; with `config_file_invalid`.
    pub invalid_config_file: Option<Box<InvalidConfigFile>>,
    /// When the login ends for good, as ISO 8601 text; an estimate.
    pub credential_expires_at: Option<Box<str>>,
    /// Whether answers come faster, at a higher price.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they can't.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// From the prompt to the first token, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub ttft_ms: Option<u64>,
    /// The same, of the request that streamed, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub ttft_stream_ms: Option<u64>,
    /// From the prompt to the first API request, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub time_to_request_ms: Option<u64>,
    /// From the start of the process to the first API request, in milliseconds.
    pub time_to_request_from_spawn_ms: Option<f64>,
    /// When the process started, in milliseconds since 1970.
    pub time_origin_ms: Option<f64>,
    /// Whether a process that was started in advance served the turn.
    pub warm_spare_claimed: Option<bool>,
    /// When the first API request was sent, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub request_sent_wall_ms: Option<u64>,
    /// Tokens of the first API request that no cache held.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_request_input_tokens: Option<u64>,
    /// Tokens of the first API request that the cache held.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_request_cache_read_input_tokens: Option<u64>,
    /// From the prompt to the first frame with content, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_content_frame_ms: Option<u64>,
    /// From the prompt to the first part of the answer that a remote worker posted, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_stream_post_ms: Option<u64>,
    /// Until that was acknowledged, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_stream_post_ack_ms: Option<u64>,
    /// How long that had waited, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_stream_post_queue_wait_ms: Option<u64>,
    /// What that had waited for.
    pub first_stream_post_queued_behind: Option<QueuedBehind>,
    /// When that was, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_stream_post_wall_ms: Option<u64>,
    /// From the prompt to the first text that a remote worker posted, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_text_post_ms: Option<u64>,
    /// How long that had waited, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_text_post_queue_wait_ms: Option<u64>,
    /// What that had waited for.
    pub first_text_post_queued_behind: Option<QueuedBehind>,
    /// When that was, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub first_text_post_wall_ms: Option<u64>,
    /// The number of the turn in the process, from 0; with `CLAUDE_CODE_REMOTE`, as all that follows.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub process_turn_index: Option<u64>,
    /// How the session was resumed for the turn, such as `none`.
    /// Not declared, seen on the wire.
    pub turn_start_resume_kind: Option<Box<str>>,
    /// What the time to the first API request was spent on, in milliseconds.
    /// Not declared, seen on the wire.
    pub time_to_request_phases_ms: Option<RawJson>,
    /// How much of it the CLI's loop was blocked, in milliseconds.
    /// Not declared, seen on the wire.
    pub time_to_request_loop_lag_ms: Option<f64>,
    /// How much of it the processor worked, in milliseconds.
    /// Not declared, seen on the wire.
    pub time_to_request_cpu_ms: Option<f64>,
    /// Page faults in that time.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub time_to_request_major_faults: Option<u64>,
    /// A part of it in detail: what is attached to the prompt.
    /// Not declared, seen on the wire.
    pub input_attachments_detail: Option<RawJson>,
    /// A part of it in detail: the schemas of the tools.
    /// Not declared, seen on the wire.
    pub tool_schema_build_detail: Option<RawJson>,
    /// A part of it in detail: the messages.
    /// Not declared, seen on the wire.
    pub message_normalization_detail: Option<RawJson>,
    /// A part of it in detail: the request.
    /// Not declared, seen on the wire.
    pub request_build_detail: Option<RawJson>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

fn unread_is_an_error() -> bool {
    true
}

impl TurnResult {
    /// Returns the failure in words for a person, `None` for a success.
    pub fn error_text(&self) -> Option<String> {
        if !self.is_error {
            return None;
        }
        // For an interrupt the CLI has no text but a line for its own developers (`[ede_diagnostic] …`).
        if let Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools) = self.terminal_reason {
            return Some("it was interrupted".to_owned());
        }
        let text = if self.errors.is_empty() { self.result.clone() } else { Some(self.errors.join("; ")) };
        Some(text.unwrap_or_else(|| self.subtype.as_str().to_owned()))
    }
}

/// A tool use that was refused (an item of `permission_denials`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionDenial {
    /// The tool.
    pub tool_name: ToolName,
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// What it was to do.
    pub tool_input: RawJson,
}

/// A tool use that a hook put off (`deferred_tool_use`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DeferredToolUse {
    /// The tool use.
    pub id: ToolUseId,
    /// The tool.
    pub name: Box<str>,
    /// What it is to do.
    pub input: RawJson,
}
