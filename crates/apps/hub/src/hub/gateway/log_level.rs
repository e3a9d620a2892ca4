//! Log messages of servers, forwarded to a client.
#![expect(deprecated, reason = "logging is on its way out of MCP, and servers still use it")]

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use rmcp::{
    Peer, RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam},
};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::LogMessage;

/// The lowest log level that a client receives. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct MinLevel(Arc<AtomicU8>);

impl Default for MinLevel {
    fn default() -> Self {
        Self(Arc::new(AtomicU8::new(LoggingLevel::Info as u8)))
    }
}

impl MinLevel {
    pub(super) fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    fn includes(&self, level: LoggingLevel) -> bool {
        level as u8 >= self.0.load(Ordering::Relaxed)
    }
}

/// Forwards log messages until the client or the hub is gone.
pub(super) async fn pass_on(
    mut logs: broadcast::Receiver<LogMessage>,
    min_level: MinLevel,
    peer: Peer<RoleServer>,
) {
    loop {
        let message = match logs.recv().await {
            Ok(message) if min_level.includes(message.level) => forwarded(message),
            Ok(_) => continue,
            // The client is too slow.
            Err(RecvError::Lagged(missed)) => {
                let missed = format!("{missed} log messages are left out");
                LoggingMessageNotificationParam::new(LoggingLevel::Warning, missed.into())
                    .with_logger(env!("CARGO_PKG_NAME"))
            }
            Err(RecvError::Closed) => return,
        };
        if let Err(error) = peer.notify_logging_message(message).await {
            tracing::debug!(%error, "the client of a gateway is gone");
            return;
        }
    }
}

/// Adds the server to the logger.
fn forwarded(message: LogMessage) -> LoggingMessageNotificationParam {
    let LogMessage { server, level, logger, data } = message;
    let logger = match logger {
        Some(logger) => format!("{server}/{logger}"),
        None => server.to_string(),
    };
    LoggingMessageNotificationParam::new(level, data).with_logger(logger)
}
