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

use crate::{
    ApiMessageId, Nullable, RawJson, ToolName, ToolUseId, Uuid,
    effort::{FastModeDisabledReason, FastModeState},
    message::{Origin, StopReason},
    usage::{ModelUsage, Usage},
};

/// The end of a turn (`result`), successful or not.
///
/// It ends the turn, not the session: background work may continue and send further results.
/// Most of these frames do not start with their `type`.
#[wire(tolerant, message)]
pub struct TurnResult {
    /// The outcome in broad terms; see also [`is_error`](Self::is_error).
    #[required]
    pub subtype: ResultSubtype,
    /// Whether the turn failed. An API error has subtype `success` and this flag.
    ///
    /// Also set if the field is missing or unreadable, so that no failure is taken for a success.
    #[serde(default = "unread_is_an_error", deserialize_with = "crate::lenient::flag")]
    pub is_error: bool,
    /// The last main text of the model; absent on errors, empty after some commands.
    pub result: Option<String>,
    /// The error messages of the CLI; only diagnostics after an interrupt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Why the turn ended; absent on some results.
    pub terminal_reason: Option<TerminalReason>,
    /// The HTTP status of a failed API request; `null` if none failed.
    pub api_error_status: Nullable<u16>,
    /// The error type of the API, such as `rate_limit_error`.
    /// Not declared, seen on the wire.
    pub api_error_type: Option<Box<str>>,
    /// The cause of the failure according to the CLI, as in the preceding `assistant` frame.
    /// Not declared, seen on the wire.
    pub api_error: Option<Box<str>>,
    /// Why the model stopped.
    #[serialize_always]
    pub stop_reason: Option<StopReason>,
    /// The wall time of the turn, in milliseconds.
    pub duration_ms: u64,
    /// The time spent in API requests, in milliseconds.
    pub duration_api_ms: u64,
    /// The CLI's own count of rounds; neither the number of API calls nor of results.
    pub num_turns: u64,
    /// The estimated cost of the session so far, in US dollars. `/clear` sets it to 0 (2.1.330).
    ///
    /// For a resumed or forked session, CLI 2.1.330 includes the cost of earlier processes, and 2.1.197 does not.
    /// [`cost_since_last_result`](Self::cost_since_last_result) is the cost of the turn.
    pub total_cost_usd: f64,
    /// Token counts of the turn's main conversation, without subagents.
    pub usage: Option<Usage>,
    /// Token counts and cost of the session so far, by model: totals of the same requests as
    /// [`total_cost_usd`](Self::total_cost_usd).
    ///
    /// To add up the usage of several results, use
    /// [`model_usage_since_last_result`](Self::model_usage_since_last_result).
    #[serde(rename = "modelUsage")]
    pub model_usage: BTreeMap<Box<str>, ModelUsage>,
    /// Token counts and cost since the previous result, by model; without those of earlier processes. CLI 2.1.197 does
    /// not send it.
    /// Not declared, seen on the wire.
    pub model_usage_since_last_result: Option<BTreeMap<Box<str>, ModelUsage>>,
    /// The denied tool uses.
    pub permission_denials: Vec<PermissionDenial>,
    /// The structured answer; absent if the model did not return one.
    pub structured_output: Option<RawJson>,
    /// The tool use that a hook deferred.
    pub deferred_tool_use: Option<DeferredToolUse>,
    /// The last prompt that the turn answered, by the id that the host chose.
    pub user_message_uuid: Option<Uuid>,
    /// All prompts that the turn answered, by the ids that the host chose; at most 64.
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// The API's ids of the answers that started in the turn.
    /// Not declared, seen on the wire.
    pub begun_message_ids: Option<Vec<ApiMessageId>>,
    /// The number of queued prompts; above 0 another turn follows automatically.
    pub queued_turn_count: Option<u64>,
    /// The index of this result in the run, from 0; a gap means that a result was lost.
    pub result_index: Option<u64>,
    /// The origin of the prompt.
    pub origin: Option<Origin>,
    /// Why the turn continued an interrupted one, such as `interrupted_turn`.
    pub resume_reason: Option<Box<str>>,
    /// The slash command of the turn, without its slash.
    pub local_command: Option<Box<str>>,
    /// Statistics of subagents.
    /// Not declared, seen on the wire.
    pub subagent_stats: Option<Box<SubagentStats>>,
    /// How often the model declined.
    /// Not declared, seen on the wire.
    pub safety_stops: Option<u64>,
    /// The reason why the CLI did not start.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The unreadable configuration file; with `config_file_invalid`.
    pub invalid_config_file: Option<Box<InvalidConfigFile>>,
    /// The estimated expiry of the login, as ISO 8601 text.
    pub credential_expires_at: Option<Box<str>>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is unavailable.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The time from the prompt to the first token, in milliseconds.
    pub ttft_ms: Option<u64>,
    /// The time to the first token of the streamed request, in milliseconds.
    pub ttft_stream_ms: Option<u64>,
    /// The time from the prompt to the first API request, in milliseconds.
    pub time_to_request_ms: Option<u64>,
    /// The time from the start of the process to the first API request, in milliseconds.
    pub time_to_request_from_spawn_ms: Option<f64>,
    /// The start time of the process, in milliseconds since 1970.
    pub time_origin_ms: Option<f64>,
    /// Whether a pre-started process served the turn.
    pub warm_spare_claimed: Option<bool>,
    /// The time of the first API request, in milliseconds since 1970.
    pub request_sent_wall_ms: Option<u64>,
    /// The uncached input tokens of the first API request.
    /// Not declared, seen on the wire.
    pub first_request_input_tokens: Option<u64>,
    /// The cached input tokens of the first API request.
    /// Not declared, seen on the wire.
    pub first_request_cache_read_input_tokens: Option<u64>,
    /// The time from the prompt to the first frame with content, in milliseconds.
    pub first_content_frame_ms: Option<u64>,
    /// The time from the prompt to the first post of a remote worker's answer, in milliseconds.
    pub first_stream_post_ms: Option<u64>,
    /// The time until that post was acknowledged, in milliseconds.
    pub first_stream_post_ack_ms: Option<u64>,
    /// The time that it was queued, in milliseconds.
    pub first_stream_post_queue_wait_ms: Option<u64>,
    /// The work that it was queued behind.
    pub first_stream_post_queued_behind: Option<QueuedBehind>,
    /// The time of that post, in milliseconds since 1970.
    pub first_stream_post_wall_ms: Option<u64>,
    /// The time from the prompt to the first post of text by a remote worker, in milliseconds.
    pub first_text_post_ms: Option<u64>,
    /// The time that it was queued, in milliseconds.
    pub first_text_post_queue_wait_ms: Option<u64>,
    /// The work that it was queued behind.
    pub first_text_post_queued_behind: Option<QueuedBehind>,
    /// The time of that post, in milliseconds since 1970.
    pub first_text_post_wall_ms: Option<u64>,
    /// The index of the turn in the process, from 0; with `CLAUDE_CODE_REMOTE`, like all following fields.
    /// Not declared, seen on the wire.
    pub process_turn_index: Option<u64>,
    /// How the session was resumed for the turn, such as `none`.
    /// Not declared, seen on the wire.
    pub turn_start_resume_kind: Option<Box<str>>,
    /// The phases of the time to the first API request, in milliseconds.
    /// Not declared, seen on the wire.
    pub time_to_request_phases_ms: Option<RawJson>,
    /// The part of that time in which the CLI's event loop was blocked, in milliseconds.
    /// Not declared, seen on the wire.
    pub time_to_request_loop_lag_ms: Option<f64>,
    /// The CPU time within that time, in milliseconds.
    /// Not declared, seen on the wire.
    pub time_to_request_cpu_ms: Option<f64>,
    /// The major page faults in that time.
    /// Not declared, seen on the wire.
    pub time_to_request_major_faults: Option<u64>,
    /// Details of one phase: attachments of the prompt.
    /// Not declared, seen on the wire.
    pub input_attachments_detail: Option<RawJson>,
    /// Details of one phase: building the tool schemas.
    /// Not declared, seen on the wire.
    pub tool_schema_build_detail: Option<RawJson>,
    /// Details of one phase: normalising the messages.
    /// Not declared, seen on the wire.
    pub message_normalization_detail: Option<RawJson>,
    /// Details of one phase: building the request.
    /// Not declared, seen on the wire.
    pub request_build_detail: Option<RawJson>,
}

fn unread_is_an_error() -> bool {
    true
}

impl TurnResult {
    /// Returns whether the turn was aborted: by an interrupt, by SIGINT, by a denial with `interrupt`, or by a dialog that
    /// was answered with `edit_prompt`. The result need not be an error then.
    pub fn was_aborted(&self) -> bool {
        matches!(self.terminal_reason, Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools))
    }

    /// Returns the cost of the turn in US dollars; `None` if the CLI does not report it.
    ///
    /// The sum of [`model_usage_since_last_result`](Self::model_usage_since_last_result). Unlike
    /// [`total_cost_usd`](Self::total_cost_usd), the first one after a resume or a fork excludes earlier processes.
    pub fn cost_since_last_result(&self) -> Option<f64> {
        let models = self.model_usage_since_last_result.as_ref()?;
        // `sum` returns -0.0 for a turn without a model.
        Some(models.values().fold(0.0, |sum, usage| sum + usage.cost_usd))
    }

    /// Returns a failure message for a person, also for an aborted turn; `None` for a success.
    pub fn error_text(&self) -> Option<String> {
        // For an interrupt, the CLI's only text is a line for its own developers (`[ede_diagnostic] …`).
        if self.was_aborted() {
            return Some("it was interrupted".to_owned());
        }
        if !self.is_error {
            return None;
        }
        let text = if self.errors.is_empty() { self.result.clone() } else { Some(self.errors.join("; ")) };
        let text = text.filter(|text| !text.is_empty());
        Some(text.unwrap_or_else(|| self.subtype.as_str().to_owned()))
    }
}

/// A denied tool use (an item of `permission_denials`).
#[wire]
pub struct PermissionDenial {
    /// The tool.
    pub tool_name: ToolName,
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// The input.
    pub tool_input: RawJson,
}

/// A tool use that a hook deferred (`deferred_tool_use`).
#[wire]
pub struct DeferredToolUse {
    /// The tool use.
    pub id: ToolUseId,
    /// The tool.
    pub name: ToolName,
    /// The input.
    pub input: RawJson,
}
