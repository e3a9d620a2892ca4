//! `advisor_tool_result`: what another model advised.

use serde::{Deserialize, Serialize};

use super::{CacheControl, ServerToolError};
use crate::{ToolUseId, message::StopReason, tagged::tagged};

/// What another model advised (`advisor_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AdvisorToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// The advice, or what went wrong.
    pub content: AdvisorContent,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

tagged! {
    /// The advice, or what went wrong.
    pub enum AdvisorContent by "type" {
        /// The advice.
        Advice(Advice) = "advisor_result",
        /// Advice that is shown to nobody.
        Redacted(RedactedAdvice) = "advisor_redacted_result",
        /// There is none.
        Error(ServerToolError) = "advisor_tool_result_error",
    }
}

/// The advice (`advisor_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The words.
    pub text: String,
    /// Why the model that advised stopped.
    pub stop_reason: Option<StopReason>,
}

/// Advice that is shown to nobody (`advisor_redacted_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RedactedAdvice {
    /// The advice, for the API alone to read.
    pub encrypted_content: String,
    /// Why the model that advised stopped.
    pub stop_reason: Option<StopReason>,
}
