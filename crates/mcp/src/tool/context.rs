//! The context of a tool call.

use std::sync::Arc;

use agentwire_control::Control;
use agentwire_protocol::{RawJson, ToolUseId};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{OutboxClosed, ServerRequestError, rpc, server::Client};

/// The context of a tool call: its cancellation, its tool use, and the ways to reach the CLI.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolContext {
    /// Cancelled when the CLI cancels the call and when the CLI's input or the session ends; the handler is dropped 5
    /// seconds later. No longer cancelled once the call has its answer, and not when the server is removed from the
    /// session (`mcp_set_servers`) or turned off: the handler then runs on, and its result is lost.
    pub cancelled: CancellationToken,
    /// The tool use, if the CLI sends it (`_meta`, `claudecode/toolUseId`).
    pub tool_use_id: Option<ToolUseId>,
    /// The session: calls from inside a tool work.
    pub control: Control,
    pub(crate) client: Arc<Client>,
    pub(crate) progress: Option<Value>,
}

impl ToolContext {
    /// Reports the tool's progress to the CLI (`notifications/progress`): `done` of `total`, if that is known.
    ///
    /// The report is written before the tool's result.
    /// It waits while more than a few dozen messages of the server are queued for the CLI, and does nothing if the CLI
    /// has not asked for progress or the session has ended.
    ///
    /// # Cancel safety
    ///
    /// As [`notify`](Self::notify).
    pub async fn progress(&self, done: f64, total: impl Into<Option<f64>>, message: impl Into<String>) {
        let Some(token) = &self.progress else { return };
        let mut params = json!({"progressToken": token, "progress": done});
        if let Some(total) = total.into() {
            params["total"] = total.into();
        }
        let message = message.into();
        if !message.is_empty() {
            params["message"] = message.into();
        }
        if let Err(error) = self.notify("notifications/progress", params).await {
            tracing::debug!(%error, "the progress of an MCP tool was not sent");
        }
    }

    /// Sends the CLI a message for its log (`notifications/message`); ordering and waiting as for
    /// [`progress`](Self::progress).
    ///
    /// The level is one of MCP's: `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert`, `emergency`.
    /// CLI 2.1.330 accepts such messages and shows them nowhere.
    ///
    /// # Cancel safety
    ///
    /// As [`notify`](Self::notify).
    pub async fn log(&self, level: &str, message: impl Into<Value>) {
        let params = json!({"level": level, "data": message.into()});
        if let Err(error) = self.notify("notifications/message", params).await {
            tracing::debug!(%error, "a log message of an MCP tool was not sent");
        }
    }

    /// Sends the CLI any other notification of MCP, such as `notifications/tools/list_changed`; ordering and waiting as
    /// for [`progress`](Self::progress).
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    ///
    /// # Errors
    ///
    /// If the session has ended.
    pub async fn notify(&self, method: &str, params: Value) -> Result<(), OutboxClosed> {
        self.client.outbox.send(rpc::notification(method, Some(params))).await
    }

    /// Sends the CLI a request of MCP, such as `ping`, and waits for its result; ordering and waiting as for
    /// [`progress`](Self::progress).
    ///
    /// It waits without a limit; the call's cancellation ends it only if the handler is dropped.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the request may have been sent, and its answer is discarded.
    ///
    /// # Errors
    ///
    /// If the CLI answers with an error, which CLI 2.1.330 does for all requests but `ping`, and if the session ends.
    pub async fn request(&self, method: &str, params: Value) -> Result<RawJson, ServerRequestError> {
        self.client.request(method, params).await
    }
}

agentwire_control::debug_by_name!(ToolContext { tool_use_id });
