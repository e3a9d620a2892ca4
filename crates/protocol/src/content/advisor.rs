//! `advisor_tool_result`: advice of another model.

use super::{CacheControl, ServerToolError};
use crate::{ToolUseId, message::StopReason};

/// Advice of another model (`advisor_tool_result`).
#[wire]
pub struct AdvisorToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The advice or the error.
    pub content: AdvisorContent,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The advice or the error.
#[wire(tag = "type")]
pub enum AdvisorContent {
    /// The advice.
    Advice(Advice) = "advisor_result",
    /// Advice in encrypted form.
    Redacted(RedactedAdvice) = "advisor_redacted_result",
    /// The advisor failed.
    Error(ServerToolError) = "advisor_tool_result_error",
}

/// The advice (`advisor_result`).
#[wire]
pub struct Advice {
    /// The text.
    pub text: String,
    /// Why the advising model stopped.
    pub stop_reason: Option<StopReason>,
}

/// Advice in encrypted form (`advisor_redacted_result`).
#[wire]
pub struct RedactedAdvice {
    /// The advice, readable only for the API.
    pub encrypted_content: String,
    /// Why the advising model stopped.
    pub stop_reason: Option<StopReason>,
}
