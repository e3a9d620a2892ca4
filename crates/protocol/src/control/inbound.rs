//! What the CLI asks of us.

use serde::{Deserialize, Serialize};

use crate::{RawJson, ToolUseId, permission::PermissionUpdate, tagged::tagged};

tagged! {
    /// A request of the CLI.
    ///
    /// Each must be answered, or the CLI waits: with an error where nobody handles it.
    pub enum InboundRequest by "subtype" {
        /// May the model use this tool?
        CanUseTool(Box<CanUseTool>) = "can_use_tool",
        /// A hook fires.
        HookCallback(Box<HookCallback>) = "hook_callback",
        /// A JSON-RPC message for an in-process MCP server.
        McpMessage(Box<McpMessage>) = "mcp_message",
    }
}

/// May the model use this tool (`can_use_tool`)?
///
/// Sent with `--permission-prompt-tool=stdio` where neither a rule nor the mode decides.
/// An error reply or an invalid one is a denial.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CanUseTool {
    /// The tool.
    pub tool_name: Box<str>,
    /// Its input.
    pub input: RawJson,
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// The tool's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<Box<str>>,
    /// A heading for the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Box<str>>,
    /// What the tool use is for, in the model's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Rules that would make the question needless next time. Often absent.
    #[serde(default)]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The path that made the question needful.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_path: Option<String>,
    /// Why it is asked, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_reason: Option<String>,
    /// Why it is asked, such as `rule` or `hook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_reason_type: Option<Box<str>>,
    /// The subagent that wants it; `None` for the main conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Box<str>>,
    /// The MCP server that the tool belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<RawJson>,
    /// Whether only a person can answer, as with a question of the model's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_user_interaction: bool,
}

/// A hook fires (`hook_callback`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookCallback {
    /// The callback, by the id that `initialize` gave it.
    pub callback_id: Box<str>,
    /// The event's input, with its name in `hook_event_name`.
    pub input: RawJson,
    /// The tool use, for tool events; an id made up for the occasion for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<ToolUseId>,
}

/// A JSON-RPC message for an in-process MCP server (`mcp_message`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpMessage {
    /// The server, by the name that it was declared under.
    pub server_name: Box<str>,
    /// The message.
    pub message: RawJson,
}
