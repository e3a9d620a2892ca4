//! The outcome of a turn.

/// The outcome of a turn in broad terms.
#[wire]
pub enum ResultSubtype {
    /// The turn completed; `is_error` shows whether it failed.
    Success = "success",
    /// The turn was cut short by an interrupt or an error.
    ErrorDuringExecution = "error_during_execution",
    /// The turn reached the limit of rounds.
    ErrorMaxTurns = "error_max_turns",
    /// The turn reached the cost limit.
    ErrorMaxBudget = "error_max_budget_usd",
    /// The model did not return a valid structured answer.
    ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
}

/// The reason why a turn ended.
#[wire]
pub enum TerminalReason {
    /// The model finished its answer.
    Completed = "completed",
    /// Interrupted while the model's answer streamed.
    AbortedStreaming = "aborted_streaming",
    /// Interrupted while a tool ran.
    AbortedTools = "aborted_tools",
    /// The API failed.
    ApiError = "api_error",
    /// The limit of rounds was reached.
    MaxTurns = "max_turns",
    /// The cost limit was reached.
    BudgetExhausted = "budget_exhausted",
    /// The model did not return a valid structured answer.
    StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
    /// A hook stopped the turn.
    HookStopped = "hook_stopped",
    /// A `Stop` hook prevented a regular end.
    StopHookPrevented = "stop_hook_prevented",
    /// A hook deferred a tool use.
    ToolDeferred = "tool_deferred",
    /// A deferred tool use can't run: the resumed CLI does not have the tool, as for in-process MCP servers.
    ToolDeferredUnavailable = "tool_deferred_unavailable",
    /// The model failed.
    ModelError = "model_error",
    /// An image could not be used.
    ImageError = "image_error",
    /// The conversation is too long for the model.
    PromptTooLong = "prompt_too_long",
    /// The conversation reached the size at which the CLI stops.
    BlockingLimit = "blocking_limit",
    /// The conversation grew too long again too soon after a compaction.
    RapidRefillBreaker = "rapid_refill_breaker",
    /// The model repeatedly wrote malformed tool uses.
    MalformedToolUseExhausted = "malformed_tool_use_exhausted",
    /// The turn was moved to the background.
    BackgroundRequested = "background_requested",
    /// The setup of the turn failed.
    TurnSetupFailed = "turn_setup_failed",
}
