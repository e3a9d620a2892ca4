//! A service that catches panics of its handler, and drops the handler some time after a cancellation.

use std::{borrow::Cow, sync::Arc};

use agentwire_control::panics::catch_panic;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, Service,
    model::{ClientNotification, ClientRequest, ErrorCode, ProtocolVersion, ServerConfig, ServerResult},
    service::{NotificationContext, RequestContext},
};

use super::pending::PendingRequests;
use crate::{failure::note_panic, rpc, server::GRACE};

/// A handler with a limit and a panic boundary, which `rmcp` lacks: its service sends no answer if a handler panics, and
/// never ends a handler that ignores its token.
#[derive(Debug)]
pub(super) struct PanicGuard<H> {
    pub(super) handler: Arc<H>,
    pub(super) pending: Arc<PendingRequests>,
}

impl<H> Clone for PanicGuard<H> {
    fn clone(&self) -> Self {
        Self { handler: Arc::clone(&self.handler), pending: Arc::clone(&self.pending) }
    }
}

impl<H: ServerHandler> Service<RoleServer> for PanicGuard<H> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let Some((abandoned, scope)) = self.pending.started(&context.id) else { return Err(cancelled()) };
        let token = context.ct.clone();
        let overdue = async {
            tokio::select! {
                () = abandoned.cancelled() => token.cancel(),
                () = token.cancelled() => {}
            }
            tokio::time::sleep(GRACE).await;
        };
        let handled = scope.set(async {
            let handled = catch_panic(async { self.handler.handle_request(request, context).await }).await;
            handled.unwrap_or_else(|panic| {
                note_panic(&panic);
                Err(ErrorData::internal_error(format!("the handler panicked: {panic}"), None))
            })
        });
        tokio::select! {
            // Poll the handler first: most are ready at once.
            biased;
            result = handled => result,
            () = overdue => Err(cancelled()),
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let handled =
            catch_panic(async { self.handler.handle_notification(notification, context).await }).await;
        handled.unwrap_or_else(|panic| {
            Err(ErrorData::internal_error(format!("the handler panicked: {panic}"), None))
        })
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&*self.handler)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&*self.handler)
    }
}

fn cancelled() -> ErrorData {
    ErrorData::new(ErrorCode(rpc::CANCELLED), "the request was cancelled", None)
}
