//! Around a question of permission: `PermissionRequest` and `PermissionDenied`.

use serde::{Deserialize, Serialize};

use super::{HookReply, declare::hook_event};
use crate::{
    RawJson, ToolName, ToolUseId,
    permission::{McpOrigin, PermissionUpdate},
    tagged::tagged,
};

hook_event! {
    /// Somebody would be asked about a tool use: the hook may answer instead.
    ///
    /// The hook and `can_use_tool` are asked together, and the first decision counts.
    /// A callback that decides first has `can_use_tool` cancelled; one that decides later is ignored, also where it
    /// denies.
    /// `decision: "block"` is no decision here.
    PermissionRequest => PermissionRequestOutput, matched by "tool_name", refusal |reason| Some(HookReply::deny_request(reason)), also when late;

    /// What `PermissionRequest` tells; the tool use's id is only in `can_use_tool`.
    PermissionRequestInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// Its input (`tool_input`).
        tool_input: RawJson,
        /// Changes that would make the question needless next time (`permission_suggestions`); often absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        permission_suggestions: Vec<PermissionUpdate>,
        /// The MCP server that the tool belongs to (`mcp_server`); `None` for tools of the CLI's own.
        mcp_server: Option<McpOrigin>,
    }
}

/// What only `PermissionRequest` can say; without it somebody is asked.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionRequestOutput {
    /// The decision (`decision`).
    pub decision: RequestDecision,
}

impl PermissionRequestOutput {
    /// Decides so.
    pub fn new(decision: RequestDecision) -> Self {
        Self { decision }
    }
}

tagged! {
    /// A hook's decision about a tool use that somebody would be asked about.
    pub enum RequestDecision by "behavior" {
        /// The tool may be used.
        Allow(RequestAllow) = "allow",
        /// It may not.
        Deny(RequestDeny) = "deny",
    }
}

/// The tool may be used.
///
/// There is no `Default`: permission must be asked for by name.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RequestAllow {
    /// The input to use (`updatedInput`); `None` for the one that was asked about.
    pub updated_input: Option<RawJson>,
    /// Changes to the permissions, so that the question need not be asked again (`updatedPermissions`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_permissions: Vec<PermissionUpdate>,
}

impl RequestAllow {
    /// The tool may be used as asked; the fields may say more.
    #[expect(clippy::new_without_default, reason = "permission must be asked for by name")]
    pub fn new() -> Self {
        Self { updated_input: None, updated_permissions: Vec::new() }
    }
}

/// The tool may not be used.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RequestDeny {
    /// Why, for the model (`message`).
    pub message: Option<String>,
    /// Whether the turn ends (`interrupt`).
    pub interrupt: Option<bool>,
}

impl HookReply<PermissionRequest> {
    /// The tool may be used as asked.
    pub fn allow_request() -> Self {
        Self::output(PermissionRequestOutput::new(RequestDecision::Allow(RequestAllow::new())))
    }

    /// The tool may not be used; the model is told why and goes on.
    pub fn deny_request(message: impl Into<String>) -> Self {
        let deny = RequestDeny { message: Some(message.into()), interrupt: None };
        Self::output(PermissionRequestOutput::new(RequestDecision::Deny(deny)))
    }
}

hook_event! {
    /// The classifier of the mode `auto` refused a tool use.
    ///
    /// Refusals by rules, by a mode or by the host do not fire it.
    /// The event can't refuse: the tool use is refused already.
    PermissionDenied => PermissionDeniedOutput, matched by "tool_name", refusal |_| None;

    /// What `PermissionDenied` tells.
    PermissionDeniedInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// Its input (`tool_input`).
        tool_input: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// Why, for a person (`reason`).
        #[serde(default)]
        reason: String,
        /// The MCP server that the tool belongs to (`mcp_server`); `None` for tools of the CLI's own.
        mcp_server: Option<McpOrigin>,
    }
}

/// What only `PermissionDenied` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionDeniedOutput {
    /// Whether the model is told that it may try again (`retry`).
    ///
    /// No effect was seen where the classifier could not be reached.
    pub retry: Option<bool>,
}

impl HookReply<PermissionDenied> {
    /// The model may try again.
    pub fn retry() -> Self {
        Self::output(PermissionDeniedOutput { retry: Some(true) })
    }
}
