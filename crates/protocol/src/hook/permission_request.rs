//! Permission events: `PermissionRequest` and `PermissionDenied`.

use super::{HookReply, declare::hook_event};
use crate::{
    RawJson, ToolName, ToolUseId,
    permission::{McpOrigin, PermissionUpdate},
};

hook_event! {
    /// Before the CLI asks for permission; a reply can decide instead.
    ///
    /// The CLI calls the hook and `can_use_tool` concurrently, and the first decision counts.
    /// If the callback decides first, the CLI cancels `can_use_tool`; a later decision is ignored, even a
    /// denial.
    /// `decision: "block"` is not a decision here.
    PermissionRequest => PermissionRequestOutput, matched by "tool_name", refusal |reason| Some(HookReply::deny_request(reason)), also when late;

    /// The input of `PermissionRequest`; only `can_use_tool` contains the id of the tool use.
    PermissionRequestInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// The tool input (`tool_input`).
        tool_input: RawJson,
        /// Suggested changes to avoid the question next time (`permission_suggestions`); often absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        permission_suggestions: Vec<PermissionUpdate>,
        /// The MCP server of the tool (`mcp_server`); `None` for the CLI's own tools.
        mcp_server: Option<McpOrigin>,
    }
}

/// The event-specific output of `PermissionRequest`; without it the CLI asks for permission.
#[wire(new)]
pub struct PermissionRequestOutput {
    /// The decision (`decision`).
    pub decision: RequestDecision,
}

/// A hook's decision on a permission request.
#[wire(tag = "behavior")]
pub enum RequestDecision {
    /// Allows the tool use.
    Allow(RequestAllow) = "allow",
    /// Denies the tool use.
    Deny(RequestDeny) = "deny",
}

/// An allowed tool use.
///
/// There is no `Default`, so that allowing is always explicit.
#[wire(camelCase, new)]
pub struct RequestAllow {
    /// The input to use (`updatedInput`); `None` for the original input.
    pub updated_input: Option<RawJson>,
    /// Changes to the permissions, to avoid further questions of this kind (`updatedPermissions`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_permissions: Vec<PermissionUpdate>,
}

/// A denied tool use.
#[wire(Default)]
pub struct RequestDeny {
    /// The reason, for the model (`message`).
    pub message: Option<String>,
    /// Whether to end the turn (`interrupt`).
    pub interrupt: Option<bool>,
}

impl HookReply<PermissionRequest> {
    /// Returns a reply that allows the tool use unchanged.
    pub fn allow_request() -> Self {
        Self::output(PermissionRequestOutput::new(RequestDecision::Allow(RequestAllow::new())))
    }

    /// Returns a reply that denies the tool use. The model sees the message and continues.
    pub fn deny_request(message: impl Into<String>) -> Self {
        let deny = RequestDeny { message: Some(message.into()), interrupt: None };
        Self::output(PermissionRequestOutput::new(RequestDecision::Deny(deny)))
    }
}

hook_event! {
    /// The classifier of mode `auto` denied a tool use.
    ///
    /// Denials by rules, other modes or the host do not fire it.
    /// This event can't be blocked: the tool use was already denied.
    PermissionDenied => PermissionDeniedOutput, matched by "tool_name", refusal |_| None;

    /// The input of `PermissionDenied`.
    PermissionDeniedInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// The tool input (`tool_input`).
        tool_input: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// The reason, for a person (`reason`).
        #[serde(default)]
        reason: String,
        /// The MCP server of the tool (`mcp_server`); `None` for the CLI's own tools.
        mcp_server: Option<McpOrigin>,
    }
}

/// The event-specific output of `PermissionDenied`.
#[wire(Default)]
pub struct PermissionDeniedOutput {
    /// Whether to notify the model that it may try again (`retry`).
    ///
    /// No effect was seen if the classifier was not reachable.
    pub retry: Option<bool>,
}

impl HookReply<PermissionDenied> {
    /// Returns a reply that lets the model try again.
    pub fn retry() -> Self {
        Self::output(PermissionDeniedOutput { retry: Some(true) })
    }
}
