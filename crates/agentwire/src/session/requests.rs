//! Shorthands for the most common control requests; all of them are on [`Control`](agentwire_control::Control).

use agentwire_protocol::{
    PermissionMode,
    control::{
        ControlCall, Interrupt, InterruptReply, McpStatus, McpStatusReply, SetModel, SetModelReply,
        SetPermissionMode, SetPermissionModeReply,
    },
};

use super::Session;
use crate::Error;

impl Session {
    /// Interrupts the running turn. Its result arrives after the reply.
    ///
    /// The reply lists the prompts that are still queued and will run (`still_queued`); `interrupt_and_cancel_queued`
    /// on [`control`](Self::control) cancels those too (`cancelled`).
    ///
    /// # Errors
    ///
    /// If the CLI refuses or the session has ended.
    pub async fn interrupt(&self) -> Result<InterruptReply, Error> {
        self.call(&Interrupt::default()).await
    }

    /// Sets the model from the next turn on; `None` selects the default.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, Error> {
        self.call(&SetModel::new(model)).await
    }

    /// Sets the permission mode.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<SetPermissionModeReply, Error> {
        self.call(&SetPermissionMode::new(mode)).await
    }

    /// Returns the status of the MCP servers.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn mcp_status(&self) -> Result<McpStatusReply, Error> {
        self.call(&McpStatus::default()).await
    }

    /// Sends any control request.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        Ok(self.control.call(call).await?)
    }
}
