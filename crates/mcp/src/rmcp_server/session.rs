//! An `rmcp` service in one session.

use std::{fmt, sync::Arc};

use agentwire_protocol::RawJson;
use rmcp::{
    RoleServer, ServerHandler,
    model::{ClientNotification, ClientRequest, JsonRpcMessage, ServerCapabilities},
    service::{RunningService, RxJsonRpcMessage, serve_directly},
};
use tokio::sync::mpsc::{self, error::TrySendError};
use tracing::subscriber::NoSubscriber;

use super::{channel::Channel, guarded::PanicGuard, pending::PendingRequests};
use crate::{Outbox, ResponseFuture, ServerInstance, rpc};

/// An `rmcp` service in one session. Dropping it ends the service, and cancels its handlers.
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
    /// Without the handshake that `rmcp` can insist on: any order of messages is answered, and none ends the service.
    pub(crate) fn start(handler: H, outbox: Outbox) -> Self {
        let (to_service, inbound) = mpsc::channel(MAX_QUEUED);
        let pending = Arc::<PendingRequests>::default();
        let capabilities = handler.get_info().capabilities;
        let guarded = PanicGuard { handler: Arc::new(handler), pending: Arc::clone(&pending) };
        let channel = Channel { inbound, pending: Arc::clone(&pending), outbox };
        // The service's own span would be a part of the first request's, and keep that open as long as the service lives.
        let service =
            tracing::subscriber::with_default(NoSubscriber::new(), || serve_directly(guarded, channel, None));
        Self { to_service, pending, capabilities, _service: service }
    }

    /// Hands a message over: at once, in the order of the calls, or when there is room.
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

    /// Names the cancelled request by the service's id; `false` where nobody guard for it, so that there is nothing to
    /// cancel: the CLI's id could be another request's within the service.
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

    /// Why a request must not reach the service, as a code and a text.
    fn objection(&self, request: &ClientRequest) -> Option<(i32, String)> {
        let method = request.method();
        let declared = match request {
            // What does not fit its method, `rmcp` takes for a method that it does not know.
            ClientRequest::CustomRequest(_) if KNOWN_METHODS.contains(&method) => {
                return Some((rpc::INVALID_PARAMS, format!("the parameters do not fit `{method}`")));
            }
            ClientRequest::ListPromptsRequest(_) => self.capabilities.prompts.is_some(),
            ClientRequest::ListResourcesRequest(_) | ClientRequest::ListResourceTemplatesRequest(_) => {
                self.capabilities.resources.is_some()
            }
            _ => true,
        };
        (!declared).then(|| (rpc::METHOD_NOT_FOUND, format!("the server does not offer `{method}`")))
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
        if let Some((code, why)) = self.objection(&request.request) {
            return Box::pin(async move { Some(rpc::error(&id, code, &why)) });
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

impl<H: ServerHandler> fmt::Debug for RmcpSession<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RmcpSession").finish_non_exhaustive()
    }
}

/// How many messages may wait for the service, which takes them at once when it runs.
const MAX_QUEUED: usize = 256;

/// The methods whose parameters `rmcp` knows.
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
