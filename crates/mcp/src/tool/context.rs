//! What a tool's handler may know and do beside its input and output.

use std::{fmt, sync::Arc};

use agentwire_control::Control;
use agentwire_protocol::ToolUseId;
use rmcp::{
    Peer, RoleServer,
    model::{CustomNotification, ProgressNotificationParam, ProgressToken, ServerNotification},
    service::RequestContext,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::rpc::{TOOL_USE_ID, ToolCall};

/// What a tool's handler may know and do beside its input and output.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolContext {
    /// Fires when the CLI gives the call up, and when the session ends; the handler is dropped a grace later.
    pub cancelled: CancellationToken,
    /// The tool use, where the CLI tells it (`_meta`, `claudecode/toolUseId`).
    pub tool_use_id: Option<ToolUseId>,
    /// The session: calls from inside a tool work.
    pub control: Control,
    peer: Arc<Peer<RoleServer>>,
    progress: Option<ProgressToken>,
}

impl ToolContext {
    /// The context of a call that did not go through `rmcp`.
    pub(crate) fn of_call(
        call: &mut ToolCall,
        cancelled: CancellationToken,
        control: Control,
        peer: &Arc<Peer<RoleServer>>,
    ) -> Self {
        let (tool_use_id, progress) = (call.tool_use_id.take(), call.progress.take());
        Self { cancelled, tool_use_id, control, peer: Arc::clone(peer), progress }
    }

    /// The context of one that did.
    pub(crate) fn new(control: Control, context: &RequestContext<RoleServer>) -> Self {
        Self {
            cancelled: context.ct.clone(),
            tool_use_id: context.meta.get(TOOL_USE_ID).and_then(Value::as_str).map(Into::into),
            control,
            peer: Arc::new(context.peer.clone()),
            progress: context.meta.get_progress_token(),
        }
    }

    /// Tells the CLI how far the tool is (`notifications/progress`): `done` of `total`, where that is known.
    ///
    /// It is written before the tool's result.
    /// It waits while more than a few dozen messages of the server's wait for the CLI, and does nothing where the CLI
    /// has asked for no progress or the session has ended.
    pub async fn progress(&self, done: f64, total: impl Into<Option<f64>>, message: impl Into<String>) {
        let Some(token) = self.progress.clone() else { return };
        let message: String = message.into();
        let mut told = ProgressNotificationParam::new(token, done);
        told.total = total.into();
        told.message = (!message.is_empty()).then_some(message);
        if let Err(error) = self.peer.notify_progress(told).await {
            tracing::debug!(%error, "the progress of an MCP tool could not be told");
        }
    }

    /// Tells the CLI something for its log (`notifications/message`); ordering and waiting as for
    /// [`progress`](Self::progress).
    ///
    /// The level is a word of MCP's: `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert`, `emergency`.
    /// CLI 2.1.330 takes such messages, and shows nobody.
    pub async fn log(&self, level: &str, message: impl Into<Value>) {
        let params = serde_json::json!({"level": level, "data": message.into()});
        // `rmcp` calls its own type for it deprecated; the version of MCP that the CLI speaks has it.
        let told = CustomNotification::new("notifications/message", Some(params));
        if let Err(error) = self.peer.send_notification(ServerNotification::CustomNotification(told)).await {
            tracing::debug!(%error, "a log message of an MCP tool could not be told");
        }
    }

    /// The CLI as `rmcp` knows it: for whatever else a server may send.
    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.peer
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext").field("tool_use_id", &self.tool_use_id).finish_non_exhaustive()
    }
}
