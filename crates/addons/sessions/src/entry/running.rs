//! Entries about a running session: queue, tools, cost.

use std::collections::BTreeMap;

use agentwire_protocol::usage::ModelUsage;
use agentwire_protocol::{RawJson, SessionId, ToolUseId, Uuid};
use serde::Deserialize;

/// A change of the prompt queue (`queue-operation`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueueOperation {
    /// The operation: `enqueue`, `dequeue`, `remove`, `popAll`.
    pub operation: Box<str>,
    /// The prompt, if recorded: text, or a list of content blocks.
    pub content: Option<RawJson>,
    /// The reason, if recorded.
    pub reason: Option<Box<str>>,
    /// The prompt's id, if recorded.
    pub command_uuid: Option<Uuid>,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// The cost of the session so far (`cost-state`); the last one in a file counts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CostState {
    /// In US dollars.
    #[serde(rename = "totalCostUSD")]
    pub total_cost_usd: Option<f64>,
    /// Whether a model without a known price was used, so that the real cost is higher.
    #[serde(default)]
    pub has_unknown_model_cost: bool,
    /// The duration of API requests, in milliseconds.
    #[serde(rename = "totalAPIDuration")]
    pub total_api_duration: Option<f64>,
    /// The duration of tool calls, in milliseconds.
    pub total_tool_duration: Option<f64>,
    /// How long the session was open, in milliseconds.
    pub total_duration: Option<f64>,
    /// Lines added to files.
    pub total_lines_added: Option<u64>,
    /// Lines removed from files.
    pub total_lines_removed: Option<u64>,
    /// Usage by model name.
    #[serde(default)]
    pub model_usage: BTreeMap<String, ModelUsage>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// The tools that the session has used (`tools-used`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolsUsed {
    /// Their names.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// Progress of a tool (`progress`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Progress {
    /// The tool use.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The tool use that started this one.
    #[serde(rename = "parentToolUseID")]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The data, in a form that depends on the tool.
    pub data: Option<RawJson>,
}
