//! The in-memory transport between the bridge and an `rmcp` service.

use std::{convert::Infallible, future::Future, sync::Arc};

use agentwire_protocol::RawJson;
use rmcp::{
    RoleServer,
    model::{GetMeta, JsonRpcMessage, RequestId, ServerNotification, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::mpsc;

use super::pending::PendingRequests;
use crate::{Outbox, rpc};

/// The service's end of the transport.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) inbound: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    pub(super) pending: Arc<PendingRequests>,
    pub(super) outbox: Outbox,
}

impl Transport<RoleServer> for Channel {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let forwarded = self.route(message).map(|message| (self.outbox.clone(), message));
        async move {
            if let Some((outbox, message)) = forwarded
                && let Err(error) = outbox.send(message).await
            {
                tracing::debug!(%error, "a message of an MCP server was dropped");
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.inbound.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.inbound.close();
        self.pending.end();
        Ok(())
    }
}

impl Channel {
    /// Passes an answer to its pending request; returns any other message, which is for the CLI.
    fn route(&self, message: TxJsonRpcMessage<RoleServer>) -> Option<RawJson> {
        match message {
            JsonRpcMessage::Response(mut response) => {
                let id = self.cli_id(&response.id)?;
                if let ServerResult::SubscriptionsListenResult(result) = &mut response.result {
                    result.meta.set_subscription_id(id.clone());
                }
                let service_id = std::mem::replace(&mut response.id, id.clone());
                self.answer(&service_id, id, &JsonRpcMessage::Response(response));
                None
            }
            JsonRpcMessage::Error(mut error) => {
                let service_id = error.id.take()?;
                let id = self.cli_id(&service_id)?;
                error.id = Some(id.clone());
                self.answer(&service_id, id, &JsonRpcMessage::Error(error));
                None
            }
            JsonRpcMessage::Notification(mut notification) => {
                self.name_subscription(&mut notification.notification)?;
                encoded(&JsonRpcMessage::Notification(notification))
            }
            request @ JsonRpcMessage::Request(_) => encoded(&request),
        }
    }

    /// Returns the CLI's id of a request, or `None` if it is no longer pending.
    fn cli_id(&self, service_id: &RequestId) -> Option<RequestId> {
        let id = self.pending.cli_id(service_id);
        if id.is_none() {
            tracing::debug!("an MCP server's answer came after its request was cancelled");
        }
        id
    }

    /// Answers, with an error under this id if the answer can't be written.
    fn answer(&self, service_id: &RequestId, id: RequestId, answer: &TxJsonRpcMessage<RoleServer>) {
        let answer = RawJson::encode(answer).unwrap_or_else(|error| {
            let id = RawJson::encode(&id.into_json_value()).unwrap_or_else(|_| RawJson::empty_object());
            rpc::error(&id, rpc::INTERNAL_ERROR, &format!("the answer can't be written: {error}"))
        });
        self.pending.answer(service_id, answer);
    }

    /// Replaces a subscription's id (the id of the request that opened it) by the CLI's id.
    ///
    /// Returns `None` if that request is no longer pending: the message then has no recipient.
    fn name_subscription(&self, notification: &mut ServerNotification) -> Option<()> {
        if let Some(service_id) = notification.get_meta().subscription_id() {
            let id = self.cli_id(&service_id)?;
            notification.get_meta_mut().set_subscription_id(id);
        }
        Some(())
    }
}

fn encoded(message: &TxJsonRpcMessage<RoleServer>) -> Option<RawJson> {
    RawJson::encode(message).inspect_err(|error| tracing::warn!(%error, "a message can't be written")).ok()
}

impl Drop for Channel {
    fn drop(&mut self) {
        // A request that enters from now on is refused.
        self.inbound.close();
        self.pending.end();
    }
}
