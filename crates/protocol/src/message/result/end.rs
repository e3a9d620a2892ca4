//! How and why a turn ended.

use crate::open_enum::open_enum;

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
        /// A tool use that was put off can't be used: the resumed CLI has no such tool, as with in-process MCP servers.
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
