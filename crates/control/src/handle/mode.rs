//! How the session goes on: its model, how it thinks, what it may do.

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
    /// The CLI takes any name without a check.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// A `PreModelSwitch` hook can refuse it.
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, ControlError> {
        self.call(&SetModel::new(model)).await
    }

    /// Sets how much the model may think from now on, and how much of that is shown (`set_max_thinking_tokens`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn set_max_thinking_tokens(&self, request: &SetMaxThinkingTokens) -> Result<(), ControlError> {
        self.done(request).await
    }

    /// Sets how tool uses are permitted (`set_permission_mode`); a `system/status` message follows the reply.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses `bypassPermissions` where it was not allowed at the start.
    pub async fn set_permission_mode(
        &self,
        mode: PermissionMode,
    ) -> Result<SetPermissionModeReply, ControlError> {
        self.call(&SetPermissionMode::new(mode)).await
    }

    /// Sets how the tools of one MCP server are permitted (`set_mcp_permission_mode_override`): `default` or `auto`, and `None` for the session's mode.
    ///
    /// It makes things stricter only: it counts where the session's mode would let the tool pass.
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
