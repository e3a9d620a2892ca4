//! A client of a gateway that can be asked what servers want to know while they are called for it.
#![expect(deprecated, reason = "sampling is on its way out of MCP, and servers still use it")]

use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::{
    Peer, RoleServer, ServiceError,
    model::{
        CancelledNotificationParam, ClientCapabilities, ClientResult, CreateMessageRequest,
        CreateMessageResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        GetExtensions as _, RequestId, ServerRequest,
    },
    service::{OriginatingRequestId, PeerRequestOptions, RequestContext},
};
use tokio::task::JoinSet;

use crate::{Elicitation, Sampling, excerpt::excerpt};

/// A client of a gateway, and a request of its. A clone is the same.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    peer: Peer<RoleServer>,
    /// Is the same for all of its requests.
    id: Arc<()>,
    request: RequestId,
}

impl Caller {
    pub(super) fn new(context: &RequestContext<RoleServer>, id: &Arc<()>) -> Self {
        Self { peer: context.peer.clone(), id: Arc::clone(id), request: context.id.clone() }
    }

    /// The request for which the server is called.
    pub(crate) fn request(&self) -> &RequestId {
        &self.request
    }

    /// What tells it from others, as long as there is a clone of it.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.id).addr()
    }

    pub(crate) fn fills_in_forms(&self) -> bool {
        self.can(|client| {
            client.elicitation.as_ref().is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
        })
    }

    pub(crate) fn samples(&self) -> bool {
        self.can(|client| client.sampling.is_some())
    }

    /// Asks it; the question says of which server it is. It is taken back when this is dropped.
    pub(crate) async fn elicit(self, question: Elicitation) -> ElicitResult {
        let Elicitation { server, mut request } = question;
        if let ElicitRequestParams::FormElicitationParams { message, .. } = &mut request {
            *message = format!("{server}: {message}");
        }
        match self.ask(ServerRequest::ElicitRequest(ElicitRequest::new(request))).await {
            Ok(ClientResult::ElicitResult(answer)) => answer,
            _ => ElicitResult::new(ElicitationAction::Decline),
        }
    }

    /// As [`elicit`](Self::elicit), for its model.
    pub(crate) async fn sample(self, question: Sampling) -> Result<CreateMessageResult, String> {
        let request = question.request;
        let has_tools = request.tools.is_some() || request.tool_choice.is_some();
        if has_tools && !self.peer.supports_sampling_tools() {
            return Err("its client gives a model no tools".to_owned());
        }
        match self.ask(ServerRequest::CreateMessageRequest(CreateMessageRequest::new(request))).await {
            Ok(ClientResult::CreateMessageResult(answer)) => Ok(*answer),
            Ok(_) => Err("its client gave another answer".to_owned()),
            Err(error) => Err(excerpt(&error.to_string()).into_owned()),
        }
    }

    fn can(&self, what: impl Fn(&ClientCapabilities) -> bool) -> bool {
        self.peer.peer_info().is_some_and(|client| what(&client.capabilities))
    }

    async fn ask(self, request: ServerRequest) -> Result<ClientResult, ServiceError> {
        // In a task of its own, which ends when this is dropped: in this one rmcp takes the question for a part of the
        // server's request, and would look for that among the client's.
        let mut asking = JoinSet::new();
        asking.spawn(self.asked(request));
        let answer = asking.join_next().await.and_then(Result::ok);
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }

    async fn asked(self, mut request: ServerRequest) -> Result<ClientResult, ServiceError> {
        request.extensions_mut().insert(OriginatingRequestId(self.request.clone()));
        let mut handle =
            self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        let mut open = Open { peer: &self.peer, id: Some(handle.id.clone()) };
        let answer = (&mut handle.rx).await;
        open.id = None;
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

/// A question that has no answer yet; the client is told when nobody waits for it any more.
struct Open<'a> {
    peer: &'a Peer<RoleServer>,
    id: Option<RequestId>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let why = "the server waits for it no more".to_owned();
        let cancelled = CancelledNotificationParam::new(Some(id), Some(why));
        // As for calls: the first poll puts it into the queue.
        let _ = tokio::task::unconstrained(self.peer.notify_cancelled(cancelled)).now_or_never();
    }
}
