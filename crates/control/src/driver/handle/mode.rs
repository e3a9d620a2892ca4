//! Requests that set the model, thinking and permission modes.

use agentwire_protocol::{
    PermissionMode,
    control::{
        SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideReply, SetModel,
        SetModelReply, SetPermissionMode, SetPermissionModeReply,
    },
};

use super::{Control, calls};

calls! {
    /// Sets the model for all API requests from now on, even within the running turn (`set_model`); `None` for the
    /// default.
    ///
    /// The CLI accepts any name without a check.
    /// A `PreModelSwitch` hook can refuse it.
    fn set_model(model: Option<&str>) -> SetModelReply = &SetModel::new(model);

    /// Sets the limit and the display of the model's thinking (`set_max_thinking_tokens`).
    fn set_max_thinking_tokens(request: &SetMaxThinkingTokens) -> () = request;

    /// Sets the permission mode (`set_permission_mode`). A `system/status` message follows the reply.
    /// The CLI refuses `bypassPermissions` if it was not allowed at the start.
    fn set_permission_mode(mode: PermissionMode) -> SetPermissionModeReply = &SetPermissionMode::new(mode);

    /// Sets the permission mode of one MCP server's tools (`set_mcp_permission_mode_override`): `default`, `auto`, or `None`
    /// for the session's mode.
    ///
    /// It can only restrict: it applies to tools that the session's mode would allow.
    fn set_mcp_permission_mode_override(server: impl Into<Box<str>>, mode: Option<PermissionMode>)
        -> SetMcpPermissionModeOverrideReply =
        &SetMcpPermissionModeOverride::new(server, mode);
}
