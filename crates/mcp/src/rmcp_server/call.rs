//! A tool call, run by who waits for it: the service's own way there and back takes four tasks.

use std::{
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler, Service,
    model::{ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, RequestId, ServerResult},
    service::{RequestContext, TxJsonRpcMessage},
};
use tokio::runtime::Handle;

use super::{guarded::PanicGuard, waiting::Waits};

/// A tool call that is polled by who waits for its answer.
///
/// Where nobody waits any more, its handler is told, and goes on as a task for the grace that [`PanicGuard`] gives it.
pub(super) struct Call {
    handling: Option<Handling>,
    /// Dropping it cancels the handler's token.
    waits: Option<Waits>,
}

type Handling = Pin<Box<dyn Future<Output = Result<ServerResult, ErrorData>> + Send>>;

impl Call {
    /// Calls `guarded` as the service would: by an id of the service's, with what belongs to the request beside it.
    pub(super) fn new<H: ServerHandler>(
        guarded: PanicGuard<H>,
        peer: Peer<RoleServer>,
        mut request: ClientRequest,
        waits: Waits,
    ) -> Self {
        let mut context = RequestContext::new(waits.service_id(), peer);
        mem::swap(&mut context.meta, request.get_meta_mut());
        mem::swap(&mut context.extensions, request.extensions_mut());
        let handling: Handling = Box::pin(async move { guarded.handle_request(request, context).await });
        Self { handling: Some(handling), waits: Some(waits) }
    }

    /// The answer, under this id.
    pub(super) async fn answer(self, id: RequestId) -> TxJsonRpcMessage<RoleServer> {
        match self.await {
            Ok(result) => JsonRpcMessage::response(result, id),
            Err(error) => JsonRpcMessage::error(error, Some(id)),
        }
    }
}

impl Future for Call {
    type Output = Result<ServerResult, ErrorData>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(handling) = &mut self.handling else { return Poll::Pending };
        let result = ready!(handling.as_mut().poll(context));
        self.handling = None;
        Poll::Ready(result)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.waits = None;
        if let Some(handling) = self.handling.take()
            && let Ok(runtime) = Handle::try_current()
        {
            // It ends within the grace, by itself or not.
            runtime.spawn(handling);
        }
    }
}
