//! Requests that set the model, thinking and permission modes.

use agentwire_protocol::{
    PermissionMode,
    control::{
        SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideReply, SetModel,
        SetModelReply, SetPermissionMode, SetPermissionModeReply,
    },
};

use crate::{Control, ControlError};

impl Control {
    /// Sets the model from the next turn on (`set_model`); `None` for the default.
    ///
    /// The CLI accepts any name without a check.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// A `PreModelSwitch` hook can refuse it.
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, ControlError> {
        self.call(&SetModel::new(model)).await
    }

    /// Sets the limit and the display of the model's thinking (`set_max_thinking_tokens`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn set_max_thinking_tokens(&self, request: &SetMaxThinkingTokens) -> Result<(), ControlError> {
        self.done(request).await
    }

    /// Sets the permission mode (`set_permission_mode`). A `system/status` message follows the reply.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses `bypassPermissions` if it was not allowed at the start.
    pub async fn set_permission_mode(
        &self,
        mode: PermissionMode,
    ) -> Result<SetPermissionModeReply, ControlError> {
        self.call(&SetPermissionMode::new(mode)).await
    }

    /// Sets the permission mode of one MCP server's tools (`set_mcp_permission_mode_override`): `default`, `auto`, or `None`
    /// for the session's mode.
    ///
    /// It can only restrict: it applies to tools that the session's mode would allow.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn set_mcp_permission_mode_override(
        &self,
        server: impl Into<Box<str>>,
        mode: Option<PermissionMode>,
    ) -> Result<SetMcpPermissionModeOverrideReply, ControlError> {
        self.call(&SetMcpPermissionModeOverride::new(server, mode)).await
    }
}
