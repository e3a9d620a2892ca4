//! Our end of a connection: handles a server's notifications and answers its requests.
#![expect(deprecated, reason = "MCP deprecates sampling, roots and logging, and servers still use them")]

mod activity;
mod caller;
mod cancel;
mod capabilities;
mod inputs;
mod lifecycle;
mod progress;
mod questions;
mod stale;
mod unanswered;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use rmcp::{
    ClientCacheConfig, ClientHandler, ClientServiceExt as _, RoleClient,
    model::{
        ClientConfig, CreateMessageRequestMethod, CreateMessageRequestParams, CreateMessageResult,
        CustomNotification, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
        ElicitationAction, ErrorData, Implementation, ListRootsResult, LoggingMessageNotificationParam,
        ProtocolVersion, RequestId, RequestParamsMeta as _, ServerNotification,
    },
    service::{
        ClientInitializeError, InboundStreamOrigin, NotificationContext, RequestContext, RunningService,
    },
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

use crate::{
    ServerName,
    handlers::{
        ClientHandlers, ElicitHandler, Elicitation, LogMessage, Sampling, SamplingHandler, Update, refused,
    },
    transport::members::unread_request,
};
use activity::Activity;
use caller::Callers;
pub(crate) use caller::{Caller, Question, forwarded};
pub(crate) use cancel::{CancelOnDrop, ask};
use inputs::Pages;
pub(crate) use lifecycle::Lifecycle;
use lifecycle::Probe;
pub use progress::Progress;
pub(crate) use progress::ProgressReceiver;
use progress::{Routed, Routes};
use questions::{Asking, QuestionEnd};
pub(crate) use stale::{Stale, StaleLists};

/// Our end of a connection. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    server: ServerName,
    handlers: Arc<ClientHandlers>,
    stale: StaleLists,
    /// What the server sends besides responses.
    pub(crate) inbound: Inbound,
    /// Whether the server answered too late that it needs no handshake.
    is_late: Arc<AtomicBool>,
    /// The pages for the user to open.
    pages: Pages,
}

/// The call that a question of a server belongs to.
enum Origin<'a> {
    /// The call of this caller: the question is the response to its request.
    Call(Option<&'a Caller>),
    /// The call with this request id, if the transport reports it.
    Stream(Option<&'a RequestId>),
}

impl<'a> Origin<'a> {
    fn of(context: &'a RequestContext<RoleClient>) -> Self {
        match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => Self::Stream(Some(id)),
            _ => Self::Stream(None),
        }
    }
}

/// The state that messages of the server change, besides responses. Clones are cheap and share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbound {
    /// The receivers of progress.
    routes: Arc<Routes>,
    /// The open questions of the server.
    pub(crate) asking: Asking,
    /// The time of the server's last message.
    pub(crate) activity: Arc<Activity>,
    /// Cancelled at the end of the server's messages.
    pub(crate) end: CancellationToken,
    /// The calls in flight, if callers answer questions.
    pub(crate) callers: Option<Callers>,
}

impl Client {
    pub(crate) fn new(server: ServerName, handlers: Arc<ClientHandlers>, stale: StaleLists) -> Self {
        let callers = handlers.asks_callers.then(Callers::default);
        let inbound = Inbound { callers, ..Inbound::default() };
        Self { server, handlers, stale, inbound, is_late: Arc::default(), pages: Pages::default() }
    }

    /// Returns a new client for another connection to the server.
    pub(crate) fn renewed(&self) -> Self {
        Self::new(self.server.clone(), Arc::clone(&self.handlers), self.stale.clone())
    }

    /// Returns whether the server reported too late for this connection that it needs no handshake.
    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Opens a connection over the transport.
    ///
    /// The transport is wrapped so that it handles most notifications, in order and before an answer: rmcp handles each in a
    /// task of its own.
    ///
    /// If a probe is not answered within `patience`, the handshake is tried.
    pub(crate) async fn serve<T: Transport<RoleClient> + 'static>(
        self,
        transport: T,
        lifecycle: Lifecycle,
        patience: Duration,
    ) -> Result<RunningService<RoleClient, Self>, ClientInitializeError> {
        let probe = (lifecycle == Lifecycle::Probe).then(|| Probe::new(patience, Arc::clone(&self.is_late)));
        let routed = Routed::new(transport, self.clone(), probe);
        let service = self.serve_with_lifecycle(routed, lifecycle.mode()).await?;
        // A changed list must not come from a cache.
        service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
        Ok(service)
    }

    /// Returns the handler for a question to the user: the program's handler, or the client that makes the call.
    fn elicits(&self, is_url: bool, origin: &Origin<'_>) -> Option<ElicitHandler> {
        let ClientHandlers { elicitation, takes_urls, .. } = &*self.handlers;
        if elicitation.is_some() {
            return elicitation.clone().filter(|_| !is_url || *takes_urls);
        }
        let can = |caller: &Caller| if is_url { caller.opens_pages() } else { caller.fills_in_forms() };
        let (caller, over) = self.caller(origin, can)?;
        let pages = self.pages.clone();
        Some(Arc::new(move |question| {
            if let ElicitRequestParams::UrlElicitationParams { elicitation_id, .. } = &question.request {
                pages.add(elicitation_id, &caller);
            }
            let answer = unless_over(over.clone(), caller.clone().elicit(question));
            Box::pin(async { answer.await.unwrap_or_else(|| Ok(questions::declined())) })
        }))
    }

    /// Returns the handler for sampling requests.
    fn samples(&self, origin: &Origin<'_>) -> Option<SamplingHandler> {
        if self.handlers.sampling.is_some() {
            return self.handlers.sampling.clone();
        }
        let (caller, over) = self.caller(origin, Caller::samples)?;
        Some(Arc::new(move |question| {
            let answer = unless_over(over.clone(), caller.clone().sample(question));
            Box::pin(async { answer.await.unwrap_or_else(|| Err(refused("the call has ended"))) })
        }))
    }

    /// Returns the client of a gateway that answers, and the tokens that end the question together.
    fn caller(
        &self,
        origin: &Origin<'_>,
        can: impl Fn(&Caller) -> bool,
    ) -> Option<(Caller, Vec<CancellationToken>)> {
        let callers = self.inbound.callers.as_ref()?;
        match *origin {
            Origin::Call(caller) => {
                // The question is dropped with the call, so its token is never cancelled.
                caller
                    .filter(|caller| can(caller))
                    .map(|caller| (caller.clone(), vec![CancellationToken::new()]))
            }
            Origin::Stream(request) => callers.find(request, can),
        }
    }

    async fn elicit(
        &self,
        request: ElicitRequestParams,
        origin: Origin<'_>,
        cancelled: &CancellationToken,
    ) -> Result<ElicitResult, ErrorData> {
        let is_url = matches!(request, ElicitRequestParams::UrlElicitationParams { .. });
        let Some(handler) = self.elicits(is_url, &origin) else {
            self.declines("a question to the user");
            return Ok(questions::declined());
        };
        let question = Elicitation { server: self.server.clone(), request };
        match self.inbound.asking.answer(&handler, question, cancelled).await {
            QuestionEnd::Answered(answer) => answer,
            QuestionEnd::Cancelled | QuestionEnd::Panicked => Ok(questions::declined()),
            QuestionEnd::TooMany => {
                tracing::debug!(server = %self.server, "a question was dismissed: too many are open");
                Ok(ElicitResult::new(ElicitationAction::Cancel))
            }
        }
    }

    async fn sample(
        &self,
        request: CreateMessageRequestParams,
        origin: Origin<'_>,
        cancelled: &CancellationToken,
    ) -> Result<CreateMessageResult, ErrorData> {
        let Some(handler) = self.samples(&origin) else {
            self.declines("a message of a model");
            if self.handlers.asks_callers {
                return Err(refused("no client supports sampling"));
            }
            return Err(ErrorData::method_not_found::<CreateMessageRequestMethod>());
        };
        let question = Sampling { server: self.server.clone(), request };
        match self.inbound.asking.answer(&handler, question, cancelled).await {
            QuestionEnd::Answered(answer) => answer,
            QuestionEnd::Cancelled => Err(refused("the question was cancelled")),
            QuestionEnd::Panicked => Err(refused("the request was refused")),
            QuestionEnd::TooMany => Err(refused("too many requests are open")),
        }
    }

    /// Returns whether servers may request roots.
    pub(crate) fn has_roots(&self) -> bool {
        self.handlers.roots.is_some() || self.handlers.asks_callers
    }

    /// Returns the roots of all clients, or of the call; a client without a handshake lists its own during its call.
    async fn roots_for(&self, origin: Origin<'_>) -> ListRootsResult {
        let caller = self.caller(&origin, |caller| self.handlers.roots.is_none() && caller.lists_roots());
        let listed = match caller {
            Some((caller, over)) => unless_over(over, caller.roots()).await.flatten(),
            None => None,
        };
        let is_of_call = listed.is_some() && matches!(origin, Origin::Call(_));
        let mut all = if is_of_call { ListRootsResult::new(Vec::new()) } else { self.roots() };
        all.roots.extend(listed.into_iter().flat_map(|listed| listed.roots));
        all
    }

    fn roots(&self) -> ListRootsResult {
        let roots = match &self.handlers.roots {
            Some(roots) => questions::catch(|| roots(&self.server)).unwrap_or_default(),
            None if self.handlers.asks_callers => self.handlers.client_roots.all(),
            None => {
                self.declines("a list of roots");
                Vec::new()
            }
        };
        ListRootsResult::new(roots)
    }

    pub(crate) fn updated(&self, uri: &str) {
        if uri.len() > MAX_URI {
            tracing::debug!(server = %self.server, length = uri.len(), "an update with a long URI was ignored");
            return;
        }
        self.handlers.updates.send(&Update { server: self.server.clone(), uri: uri.into() });
        if let Some(handler) = &self.handlers.updated {
            let _: Option<()> = questions::catch(|| handler(&self.server, uri));
        }
    }

    fn logged(&self, message: LoggingMessageNotificationParam) {
        let LoggingMessageNotificationParam { level, logger, data, .. } = message;
        let message = LogMessage { server: self.server.clone(), level, logger, data }.bounded();
        self.handlers.feed.send(&message);
        if let Some(log) = &self.handlers.log {
            let _: Option<()> = questions::catch(|| log(&message));
        }
    }

    /// Handles a notification of a change.
    fn notified(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.stale.send(Stale::Tools),
            ServerNotification::ResourceListChangedNotification(_) => self.stale.send(Stale::Resources),
            ServerNotification::PromptListChangedNotification(_) => self.stale.send(Stale::Prompts),
            ServerNotification::ResourceUpdatedNotification(updated) => self.updated(&updated.params.uri),
            _ => {}
        }
    }

    /// Marks all lists as stale, because changes may have been missed.
    pub(crate) fn missed(&self) {
        [Stale::Tools, Stale::Resources, Stale::Prompts].into_iter().for_each(|list| self.stale.send(list));
    }

    fn declines(&self, what: &'static str) {
        tracing::debug!(server = %self.server, "declined {what}: there is no handler");
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        // At least one caller may support it.
        let capabilities = self.capabilities(|_| self.handlers.asks_callers);
        let us = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        // For `initialize`: rmcp's default version has no handshake.
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        mut request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        *request.meta_mut() = forwarded(context.meta.clone());
        self.elicit(request, Origin::of(&context), &context.ct).await
    }

    async fn create_message(
        &self,
        mut request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        *request.meta_mut() = forwarded(context.meta.clone());
        self.sample(request, Origin::of(&context), &context.ct).await
    }

    async fn list_roots(&self, context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots_for(Origin::of(&context)).await)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unread_request(&request))
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(caller) = self.pages.completed(&notification) {
            caller.completed(notification).await;
        }
    }
}

/// Waits for an answer until all calls that it may belong to have ended.
async fn unless_over<A>(over: Vec<CancellationToken>, answer: impl Future<Output = A>) -> Option<A> {
    let ended = join_all(over.iter().map(CancellationToken::cancelled));
    tokio::select! {
        answer = answer => Some(answer),
        _ = ended => None,
    }
}

/// The longest URI of an update, in bytes: updates are queued.
const MAX_URI: usize = 64 << 10;
