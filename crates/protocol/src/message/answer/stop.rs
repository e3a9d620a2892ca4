//! Why the model stopped.

use serde::{Deserialize, Serialize};

use crate::{open_enum::open_enum, tagged::tagged};

open_enum! {
    /// Why the model stopped (`stop_reason`), in `assistant`, `result` and `message_delta`.
    pub enum StopReason {
        /// It had said all.
        EndTurn = "end_turn",
        /// The answer came to its token limit.
        MaxTokens = "max_tokens",
        /// It wrote one of the stop sequences of the request.
        StopSequence = "stop_sequence",
        /// It wants to use a tool.
        ToolUse = "tool_use",
        /// A long turn with server tools was broken off, to be gone on with in another request.
        PauseTurn = "pause_turn",
        /// The API compacted the context, and waits for a go-ahead.
        Compaction = "compaction",
        /// It declined to answer.
        Refusal = "refusal",
        /// The context window was full.
        ContextWindowExceeded = "model_context_window_exceeded",
    }
}

tagged! {
    /// More on why the model stopped (`stop_details`).
    pub enum StopDetails by "type" {
        /// It declined to answer.
        Refusal(Box<Refusal>) = "refusal",
    }
}

/// That the model declined to answer, and what could be done about it (`refusal`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Refusal {
    /// The policy that the request fell under; `None` where it is no named one.
    pub category: Option<RefusalCategory>,
    /// Words for a reader; they may change at any time.
    pub explanation: Option<String>,
    /// A code that spares the cost of a cold cache when another model is asked instead; valid for five minutes.
    pub fallback_credit_token: Option<Box<str>>,
    /// Whether that code may be used to go on from the partial answer; advice, not a promise.
    pub fallback_has_prefill_claim: Option<bool>,
    /// The model to ask instead, where a fallback was tried and could not be had.
    pub recommended_model: Option<Box<str>>,
}

open_enum! {
    /// The policy that a refused request fell under (`category`).
    pub enum RefusalCategory {
        /// Attacks on computers.
        Cyber = "cyber",
        /// Harm by biology.
        Bio = "bio",
        /// Building competing models.
        FrontierLlm = "frontier_llm",
        /// Making the model tell its inner reasoning.
        ReasoningExtraction = "reasoning_extraction",
        /// Other harm.
        GeneralHarms = "general_harms",
    }
}
