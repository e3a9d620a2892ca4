//! Entries about how the session runs: its queue, its tools, its cost.

use std::collections::BTreeMap;

use agentwire_protocol::usage::ModelUsage;
use agentwire_protocol::{RawJson, SessionId, ToolUseId, Uuid};
use serde::Deserialize;

/// What was put into the queue of prompts, or taken from it (`queue-operation`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueueOperation {
    /// What was done: `enqueue`, `dequeue`, `remove`, `popAll`.
    pub operation: Box<str>,
    /// The prompt, where it is told: text, or a list of content blocks.
    pub content: Option<RawJson>,
    /// Why, where it is told.
    pub reason: Option<Box<str>>,
    /// The prompt's id, where it is told.
    pub command_uuid: Option<Uuid>,
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// What the session has cost until then (`cost-state`); the last one of a file counts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CostState {
    /// In US dollars.
    #[serde(rename = "totalCostUSD")]
    pub total_cost_usd: Option<f64>,
    /// Whether a model was used whose price the CLI does not know, so that the cost is more.
    #[serde(default)]
    pub has_unknown_model_cost: bool,
    /// How long requests to the model took, in milliseconds.
    #[serde(rename = "totalAPIDuration")]
    pub total_api_duration: Option<f64>,
    /// How long tools took, in milliseconds.
    pub total_tool_duration: Option<f64>,
    /// How long the session was open, in milliseconds.
    pub total_duration: Option<f64>,
    /// Lines that were added to files.
    pub total_lines_added: Option<u64>,
    /// Lines that were taken out of files.
    pub total_lines_removed: Option<u64>,
    /// What each model was used for, by its name.
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

/// How a tool gets on (`progress`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Progress {
    /// The tool use.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The tool use within which it runs.
    #[serde(rename = "parentToolUseID")]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// What it tells, as the tool likes.
    pub data: Option<RawJson>,
}
