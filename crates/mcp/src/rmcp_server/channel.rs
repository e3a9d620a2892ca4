//! The in-memory transport between the bridge and an `rmcp` service.

use std::{
    collections::HashMap,
    convert::Infallible,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentwire_protocol::RawJson;
use rmcp::{
    RoleServer,
    model::{JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{Outbox, rpc};

/// The requests that wait for the service's answer, by id.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<HashMap<RequestId, Waiter>>);

#[derive(Debug)]
struct Waiter {
    answer: oneshot::Sender<RawJson>,
    cancelled: CancellationToken,
}

impl Waiting {
    /// Enters a request, until the [`Waits`] is dropped.
    pub(super) fn enter(self: &Arc<Self>, id: RequestId) -> (Waits, oneshot::Receiver<RawJson>) {
        let (answer, receiver) = oneshot::channel();
        let cancelled = CancellationToken::new();
        self.lock().insert(id.clone(), Waiter { answer, cancelled: cancelled.clone() });
        (Waits { waiting: Arc::clone(self), id, cancelled }, receiver)
    }

    /// The token of a request; `None` where nobody waits for it any more.
    pub(super) fn token(&self, id: &RequestId) -> Option<CancellationToken> {
        self.lock().get(id).map(|waiter| waiter.cancelled.clone())
    }

    fn answer(&self, id: &RequestId, answer: RawJson) {
        // Nobody waits for the answer to a cancelled request.
        if let Some(waiter) = self.lock().remove(id)
            && waiter.answer.send(answer).is_err()
        {
            tracing::debug!(%id, "an answer came after its request was given up");
        }
    }

    /// The service has ended: nobody gets an answer any more.
    fn end(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Waiter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits; when nobody does any more, the request is cancelled.
#[derive(Debug)]
pub(super) struct Waits {
    waiting: Arc<Waiting>,
    id: RequestId,
    cancelled: CancellationToken,
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.cancelled.cancel();
        self.waiting.lock().remove(&self.id);
    }
}

/// The service's end of the transport.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) inbound: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    pub(super) waiting: Arc<Waiting>,
    pub(super) outbox: Outbox,
}

impl Transport<RoleServer> for Channel {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let forwarded = self.route(&message).map(|message| (self.outbox.clone(), message));
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
        self.waiting.end();
        Ok(())
    }
}

impl Channel {
    /// Gives an answer to who waits for it; `Some` is a message for the CLI.
    fn route(&self, message: &TxJsonRpcMessage<RoleServer>) -> Option<RawJson> {
        let encoded = RawJson::encode(message);
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {
                return encoded
                    .inspect_err(|error| tracing::warn!(%error, "a message can't be written"))
                    .ok();
            }
        };
        if let Some(id) = id {
            let answer = encoded.unwrap_or_else(|error| {
                let why = format!("the answer can't be written: {error}");
                let id = RawJson::encode(&id.clone().into_json_value())
                    .unwrap_or_else(|_| RawJson::empty_object());
                rpc::error(&id, rpc::INTERNAL_ERROR, &why)
            });
            self.waiting.answer(id, answer);
        }
        None
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.waiting.end();
    }
}
