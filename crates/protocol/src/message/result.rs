//! `result`: the end of a turn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ModelUsage, RawJson, SessionId, ToolUseId, Usage, Uuid, open_enum::open_enum};

/// The end of a turn (`result`), good or bad.
///
/// It ends the turn, not the session: background work may go on and give further results.
/// Most of these frames do not start with their `type`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TurnResult {
    /// How the turn ended, roughly; see also [`is_error`](Self::is_error).
    pub subtype: ResultSubtype,
    /// Whether it failed. An API error comes as subtype `success` with this set.
    pub is_error: bool,
    /// The last main text of the model; absent on errors, empty after some commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What went wrong, in the CLI's words; diagnostics alone after an interrupt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Why the turn ended; absent on some results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<TerminalReason>,
    /// The HTTP status of a failed API request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_error_status: Option<u16>,
    /// Why the model stopped.
    #[serde(default)]
    pub stop_reason: Option<Box<str>>,
    /// Wall time of the turn, in milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
    /// Time spent in API requests, in milliseconds.
    #[serde(default)]
    pub duration_api_ms: u64,
    /// The CLI's own count of rounds; neither the number of API calls nor of results.
    #[serde(default)]
    pub num_turns: u64,
    /// Cost of the session so far, in US dollars, as the CLI estimates it.
    #[serde(default)]
    pub total_cost_usd: f64,
    /// Tokens of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Tokens and cost by model.
    #[serde(rename = "modelUsage", default)]
    pub model_usage: BTreeMap<Box<str>, ModelUsage>,
    /// Tool uses that were refused.
    #[serde(default)]
    pub permission_denials: Vec<PermissionDenial>,
    /// The answer in the shape that the caller asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<RawJson>,
    /// The prompts that the turn answered, by the ids that the host gave them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}

impl TurnResult {
    /// What to tell a person about the failure, `None` for a success.
    pub fn error_text(&self) -> Option<String> {
        if !self.is_error {
            return None;
        }
        let text = if self.errors.is_empty() { self.result.clone() } else { Some(self.errors.join("; ")) };
        Some(text.unwrap_or_else(|| self.subtype.as_str().to_owned()))
    }
}

/// A tool use that was refused (`permission_denials`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionDenial {
    /// The tool.
    pub tool_name: Box<str>,
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// The input that it was to have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<RawJson>,
}

open_enum! {
    /// How a turn ended, roughly.
    pub enum ResultSubtype {
        /// It came to its end; `is_error` tells whether that was a good one.
        Success = "success",
        /// It was cut short, by an interrupt or a fault.
        ErrorDuringExecution = "error_during_execution",
        /// It reached its limit of rounds.
        ErrorMaxTurns = "error_max_turns",
        /// It reached its limit of cost.
        ErrorMaxBudget = "error_max_budget_usd",
        /// The model never gave an answer in the shape asked for.
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}

open_enum! {
    /// Why a turn ended.
    pub enum TerminalReason {
        /// The model was done.
        Completed = "completed",
        /// Interrupted while the model's answer streamed.
        AbortedStreaming = "aborted_streaming",
        /// Interrupted while a tool ran.
        AbortedTools = "aborted_tools",
        /// The API failed.
        ApiError = "api_error",
        /// The limit of rounds was reached.
        MaxTurns = "max_turns",
        /// The limit of cost was reached.
        BudgetExhausted = "budget_exhausted",
        /// The model never gave an answer in the shape asked for.
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        /// A hook said that the turn must not go on.
        HookStopped = "hook_stopped",
        /// A `Stop` hook kept the turn from ending well.
        StopHookPrevented = "stop_hook_prevented",
        /// A hook put a tool use off.
        ToolDeferred = "tool_deferred",
        /// A hook put off a tool use that can't be put off.
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        /// The model failed.
        ModelError = "model_error",
        /// A picture could not be used.
        ImageError = "image_error",
        /// The conversation is too long for the model.
        PromptTooLong = "prompt_too_long",
        /// The conversation reached the size at which the CLI stops.
        BlockingLimit = "blocking_limit",
        /// The conversation filled up again too soon after it was compacted.
        RapidRefillBreaker = "rapid_refill_breaker",
        /// The model's tool uses could not be read, again and again.
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        /// The turn went on in the background.
        BackgroundRequested = "background_requested",
        /// The turn could not be set up.
        TurnSetupFailed = "turn_setup_failed",
    }
}
