//! An `rmcp` service in one session.

use std::sync::Arc;

use agentwire_protocol::RawJson;
use rmcp::{
    RoleServer, ServerHandler,
    model::{ClientNotification, ClientRequest, JsonRpcMessage, ServerCapabilities},
    service::{RunningService, RxJsonRpcMessage, serve_directly},
};
use tokio::sync::mpsc::{self, error::TrySendError};
use tracing::subscriber::NoSubscriber;

use super::{channel::Channel, guarded::PanicGuard, pending::PendingRequests};
use crate::{
    Outbox, ResponseFuture, ServerInstance,
    rpc::{self, RpcError},
};

/// An `rmcp` service in one session. Dropping it ends the service and cancels its handlers.
pub(crate) struct RmcpSession<H: ServerHandler> {
    to_service: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    pending: Arc<PendingRequests>,
    capabilities: ServerCapabilities,
    /// Ends the service when it is dropped.
    _service: RunningService<RoleServer, PanicGuard<H>>,
}

impl<H: ServerHandler> RmcpSession<H> {
    /// Starts the service as a task.
    ///
    /// The service does not enforce a handshake, so it answers messages in any order.
    pub(crate) fn start(handler: H, outbox: Outbox) -> Self {
        let (to_service, inbound) = mpsc::channel(MAX_QUEUED);
        let pending = Arc::<PendingRequests>::default();
        let capabilities = handler.get_info().capabilities;
        let guarded = PanicGuard { handler: Arc::new(handler), pending: Arc::clone(&pending) };
        let channel = Channel { inbound, pending: Arc::clone(&pending), outbox };
        // Without a subscriber: the service's span would be a child of the first request's span and keep it open.
        let service =
            tracing::subscriber::with_default(NoSubscriber::new(), || serve_directly(guarded, channel, None));
        Self { to_service, pending, capabilities, _service: service }
    }

    /// Sends a message to the service: immediately, in the order of the calls, or when the queue has room.
    fn post(&self, message: RxJsonRpcMessage<RoleServer>) -> impl Future<Output = bool> + Send + use<H> {
        let posted = self.to_service.try_send(message);
        let to_service = self.to_service.clone();
        async move {
            match posted {
                Ok(()) => true,
                Err(TrySendError::Full(message)) => to_service.send(message).await.is_ok(),
                Err(TrySendError::Closed(_)) => false,
            }
        }
    }

    /// Replaces the id in a cancellation by the service's id; returns `false` if the request is not pending.
    ///
    /// The CLI's id must not reach the service, where it could be the id of another request.
    fn translate(&self, message: &mut RxJsonRpcMessage<RoleServer>) -> bool {
        if let JsonRpcMessage::Notification(notification) = message
            && let ClientNotification::CancelledNotification(cancelled) = &mut notification.notification
            && let Some(id) = &mut cancelled.params.request_id
        {
            let Some(service_id) = self.pending.service_id(id) else {
                tracing::debug!(%id, "a request was cancelled that is not open");
                return false;
            };
            *id = service_id;
        }
        true
    }

    /// Returns the error for a request that must not reach the service.
    fn objection(&self, request: &ClientRequest) -> Option<RpcError> {
        let method = request.method();
        let declared = match request {
            // `rmcp` reads a known method with unfit parameters as an unknown method.
            ClientRequest::CustomRequest(_) if KNOWN_METHODS.contains(&method) => {
                return Some(RpcError::unfit(method));
            }
            ClientRequest::ListPromptsRequest(_) => self.capabilities.prompts.is_some(),
            ClientRequest::ListResourcesRequest(_) | ClientRequest::ListResourceTemplatesRequest(_) => {
                self.capabilities.resources.is_some()
            }
            _ => true,
        };
        (!declared).then(|| RpcError::unoffered(method))
    }
}

impl<H: ServerHandler> ServerInstance for RmcpSession<H> {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        let id = rpc::id(&message);
        let mut decoded = match message.decode::<RxJsonRpcMessage<RoleServer>>() {
            Ok(decoded) => decoded,
            Err(error) => {
                let why = format!("the message can't be read: {}", error.reason());
                return Box::pin(async move { Some(rpc::error(&id, rpc::INTERNAL_ERROR, &why)) });
            }
        };
        let JsonRpcMessage::Request(request) = &mut decoded else {
            if !self.translate(&mut decoded) {
                return Box::pin(async { None });
            }
            let posted = self.post(decoded);
            return Box::pin(async move {
                if !posted.await {
                    tracing::debug!("a message came after its MCP server had ended");
                }
                None
            });
        };
        if let Some(error) = self.objection(&request.request) {
            return Box::pin(async move { Some(error.response(&id)) });
        }
        let (guard, answer) = self.pending.enter(request.id.clone());
        request.id = guard.service_id();
        let posted = self.post(decoded);
        Box::pin(async move {
            let answer = if posted.await { answer.await.ok() } else { None };
            drop(guard);
            Some(answer.unwrap_or_else(|| rpc::error(&id, rpc::INTERNAL_ERROR, "the MCP server has ended")))
        })
    }

    fn has_ended(&self) -> bool {
        self.to_service.is_closed()
    }
}

/// The capacity of the service's queue.
const MAX_QUEUED: usize = 256;

/// The methods with parameter types in `rmcp`.
const KNOWN_METHODS: &[&str] = &[
    "initialize",
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "tools/call",
    "tools/list",
];
