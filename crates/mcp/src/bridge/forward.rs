//! Forwards a server's own notifications and requests to the CLI, in their order.

use std::{
    future::poll_fn,
    sync::{Arc, Weak},
    task::Poll,
};

use agentwire_control::{Control, panics::catch_panic};
use agentwire_protocol::{RawJson, control::McpMessage};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::slot::Instance;
use crate::rpc::{self, Kind};

/// A forwarder of a server's own messages to the CLI.
#[derive(Clone)]
pub(super) struct Forwarder {
    pub(super) server: Arc<str>,
    pub(super) control: Control,
    pub(super) instance: Weak<Instance>,
}

impl Forwarder {
    /// Forwards all messages, several concurrently, and counts the lines in the write queue.
    pub(super) async fn run(
        self,
        mut messages: mpsc::Receiver<RawJson>,
        gate: CancellationToken,
        queued: watch::Sender<u64>,
    ) {
        gate.cancelled().await;
        let mut unacknowledged = JoinSet::new();
        loop {
            let message = tokio::select! {
                _ = unacknowledged.join_next(), if !unacknowledged.is_empty() => continue,
                message = messages.recv(), if unacknowledged.len() < MAX_UNACKNOWLEDGED => message,
            };
            let Some(message) = message else { break };
            let mut sending = Box::pin(self.clone().send(message));
            // The first poll queues the line, which fixes its position.
            let sent = poll_fn(|context| Poll::Ready(sending.as_mut().poll(context))).await;
            queued.send_modify(|queued| *queued += 1);
            if sent.is_pending() {
                unacknowledged.spawn(sending);
            }
        }
        unacknowledged.join_all().await;
    }

    async fn send(self, message: RawJson) {
        let Self { server, control, instance } = self;
        let request = match rpc::read(&message) {
            Ok(Kind::Request { id, .. }) => Some(id),
            Ok(Kind::Notification { .. } | Kind::Response { .. }) => None,
            Err(malformed) => {
                tracing::warn!(%server, why = malformed.why, "an MCP server sent a message that is not JSON-RPC");
                return;
            }
        };
        let Err(error) = control.call(&McpMessage::new(&*server, message)).await else { return };
        tracing::warn!(%server, %error, "a message of an MCP server did not reach the CLI");
        // Fail the server's request, which would otherwise wait forever.
        if let (Some(id), Some(instance)) = (request, instance.upgrade()) {
            let failure = rpc::error(&id, rpc::INTERNAL_ERROR, &error.to_string());
            if catch_panic(async { instance.server.handle(failure).await }).await.is_err() {
                tracing::warn!(%server, "an MCP server panicked");
            }
        }
    }
}

/// The limit of a server's messages that wait for the CLI's acknowledgement.
const MAX_UNACKNOWLEDGED: usize = 64;
