//! The control requests that a session is most often asked for; all are on [`Control`](agentwire_control::Control).

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
    /// Stops the running turn; its result comes after the reply.
    ///
    /// The reply tells which prompts still wait and will run (`still_queued`); `interrupt_and_cancel_queued` on
    /// [`control`](Self::control) drops those too (`cancelled`).
    ///
    /// # Errors
    ///
    /// When the CLI refuses or the session has ended.
    pub async fn interrupt(&self) -> Result<InterruptReply, Error> {
        self.call(&Interrupt::default()).await
    }

    /// Sets the model from the next turn on; `None` for the default.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, Error> {
        self.call(&SetModel::new(model)).await
    }

    /// Sets how tool uses are permitted.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<SetPermissionModeReply, Error> {
        self.call(&SetPermissionMode::new(mode)).await
    }

    /// Asks how the MCP servers stand.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn mcp_status(&self) -> Result<McpStatusReply, Error> {
        self.call(&McpStatus::default()).await
    }

    /// Asks anything.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        Ok(self.control.call(call).await?)
    }
}
