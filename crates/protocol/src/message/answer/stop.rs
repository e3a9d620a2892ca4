//! Why the model stopped.

/// Why the model stopped (`stop_reason`), in `assistant`, `result` and `message_delta`.
#[wire]
pub enum StopReason {
    /// The answer is complete.
    EndTurn = "end_turn",
    /// The answer reached its token limit.
    MaxTokens = "max_tokens",
    /// The model wrote a stop sequence of the request.
    StopSequence = "stop_sequence",
    /// The model calls a tool.
    ToolUse = "tool_use",
    /// A long turn with server tools was paused; another request can continue it.
    PauseTurn = "pause_turn",
    /// The API compacted the context, and waits for the client to continue.
    Compaction = "compaction",
    /// The model declined to answer.
    Refusal = "refusal",
    /// The context window is full.
    ContextWindowExceeded = "model_context_window_exceeded",
}

/// Details on the stop reason (`stop_details`).
#[wire(tag = "type")]
pub enum StopDetails {
    /// The model declined to answer.
    Refusal(Box<Refusal>) = "refusal",
}

/// A refusal of the model, with possible fallbacks (`refusal`).
#[wire(Default, nulls)]
pub struct Refusal {
    /// The refusal category; `None` if unnamed.
    pub category: Option<RefusalCategory>,
    /// An explanation for display; the text may change at any time.
    pub explanation: Option<String>,
    /// A token that avoids the cost of a cold cache on a fallback model; valid for five minutes.
    pub fallback_credit_token: Option<Box<str>>,
    /// Whether the token covers a continuation of the partial answer; a hint, not a guarantee.
    pub fallback_has_prefill_claim: Option<bool>,
    /// The recommended model, if a fallback was attempted but unavailable.
    pub recommended_model: Option<Box<str>>,
}

/// The policy category of a refusal (`category`).
#[wire]
pub enum RefusalCategory {
    /// Attacks on computers.
    Cyber = "cyber",
    /// Harm by biology.
    Bio = "bio",
    /// Building competing models.
    FrontierLlm = "frontier_llm",
    /// Extraction of the model's reasoning.
    ReasoningExtraction = "reasoning_extraction",
    /// Other harm.
    GeneralHarms = "general_harms",
}
