//! Log messages of servers, forwarded to a client.
#![expect(deprecated, reason = "logging is on its way out of MCP, and servers still use it")]

use futures_util::FutureExt as _;
use rmcp::{
    Peer, RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam},
};
use tokio::sync::{
    broadcast::{self, error::RecvError},
    mpsc, oneshot, watch,
};
use tokio::task::coop::unconstrained;
use tokio_util::task::AbortOnDropHandle;

use crate::LogMessage;

/// The task that forwards log messages to a client.
pub(super) struct LogForwarder {
    _task: AbortOnDropHandle<()>,
    flushes: mpsc::Sender<oneshot::Sender<()>>,
}

impl LogForwarder {
    /// Forwards log messages of at least this level until the client or the hub is gone.
    pub(super) fn start(
        mut logs: broadcast::Receiver<LogMessage>,
        min_level: watch::Receiver<LoggingLevel>,
        peer: Peer<RoleServer>,
    ) -> Self {
        let (flushes, mut flushed) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let mut is_open = true;
            while is_open {
                tokio::select! {
                    received = logs.recv() => is_open = forward(received, &min_level, &peer).await,
                    Some(done) = flushed.recv() => {
                        // What is there now: servers may log without a pause. The task's budget would hide some.
                        for _ in 0..logs.len() {
                            let Some(received) = unconstrained(logs.recv()).now_or_never() else { break };
                            is_open = is_open && forward(received, &min_level, &peer).await;
                        }
                        drop(done);
                    }
                }
            }
        });
        Self { _task: AbortOnDropHandle::new(task), flushes }
    }

    /// Waits until the messages that servers have sent so far are forwarded, or the client is gone.
    pub(super) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.flushes.send(done).await.is_ok() {
            // The sender is dropped and sends nothing.
            let _ = flushed.await;
        }
    }
}

/// Forwards a message of a server. Returns `false` if the client or the hub is gone.
async fn forward(
    received: Result<LogMessage, RecvError>,
    min_level: &watch::Receiver<LoggingLevel>,
    peer: &Peer<RoleServer>,
) -> bool {
    let message = match received {
        Ok(LogMessage { level, .. }) if (level as u8) < *min_level.borrow() as u8 => return true,
        Ok(LogMessage { server, level, logger, data }) => {
            let logger = logger.map_or_else(|| server.to_string(), |logger| format!("{server}/{logger}"));
            LoggingMessageNotificationParam::new(level, data).with_logger(logger)
        }
        // The client is too slow.
        Err(RecvError::Lagged(missed)) => {
            let missed = format!("{missed} log messages are left out");
            LoggingMessageNotificationParam::new(LoggingLevel::Warning, missed.into())
                .with_logger(env!("CARGO_PKG_NAME"))
        }
        Err(RecvError::Closed) => return false,
    };
    let sent = peer.notify_logging_message(message).await;
    sent.inspect_err(|error| tracing::debug!(%error, "the client of a gateway is gone")).is_ok()
}
