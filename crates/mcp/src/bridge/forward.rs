//! Takes what a server says by itself to the CLI, in its order.

use std::{
    future::poll_fn,
    sync::{Arc, Weak},
    task::Poll,
};

use agentwire_control::Control;
use agentwire_hooks::catch_panic;
use agentwire_protocol::{RawJson, control::SendMcpMessage};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

use super::{gate::Gate, slot::Instance};
use crate::rpc::{self, Kind};

/// Where a server's messages come from and go to.
#[derive(Clone)]
pub(super) struct Forward {
    pub(super) server: Arc<str>,
    pub(super) control: Control,
    pub(super) instance: Weak<Instance>,
}

impl Forward {
    /// Sends each message, several at a time, and counts those that are on their way.
    pub(super) async fn run(
        self,
        mut messages: mpsc::Receiver<RawJson>,
        gate: Gate,
        begun: watch::Sender<u64>,
    ) {
        gate.passed().await;
        let mut unacknowledged = JoinSet::new();
        loop {
            let message = tokio::select! {
                _ = unacknowledged.join_next(), if !unacknowledged.is_empty() => continue,
                message = messages.recv(), if unacknowledged.len() < MAX_UNACKNOWLEDGED => message,
            };
            let Some(message) = message else { break };
            let mut sending = Box::pin(self.clone().send(message));
            // A call has its place among the lines as soon as it is polled.
            let sent = poll_fn(|context| Poll::Ready(sending.as_mut().poll(context))).await;
            begun.send_modify(|begun| *begun += 1);
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
            Ok(Kind::Notification { .. } | Kind::Response) => None,
            Err(malformed) => {
                tracing::warn!(%server, why = malformed.why, "an MCP server sent what is no JSON-RPC");
                return;
            }
        };
        let Err(error) = control.call(&SendMcpMessage::new(&*server, message)).await else { return };
        tracing::warn!(%server, %error, "a message of an MCP server did not reach the CLI");
        // A request of the server's must not wait for ever.
        if let (Some(id), Some(instance)) = (request, instance.upgrade()) {
            let failure = rpc::error(&id, rpc::INTERNAL_ERROR, &error.to_string());
            if catch_panic(async { instance.session.handle(failure).await }).await.is_err() {
                tracing::warn!(%server, "an MCP server panicked");
            }
        }
    }
}

/// How many messages of a server may wait for their acknowledgement.
const MAX_UNACKNOWLEDGED: usize = 64;
