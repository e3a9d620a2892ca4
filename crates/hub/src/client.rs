//! Our end of a connection: hears what a server says of itself, and answers what it asks.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are on their way out of MCP, and servers still use them"
)]

mod asked;
mod callers;
mod life;
mod logs;
mod progress;
mod stale;
mod unanswered;

use std::sync::Arc;

use rmcp::{
    ClientCacheConfig, ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CreateMessageRequestMethod, CreateMessageRequestParams,
        CreateMessageResult, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode, ErrorData,
        FormElicitationCapability, Implementation, ListRootsResult, LoggingMessageNotificationParam,
        ProtocolVersion, ResourceUpdatedNotificationParam, RootsCapabilities, SamplingCapability,
        UrlElicitationCapability,
    },
    service::{ClientInitializeError, NotificationContext, RequestContext, RunningService, ServiceExt},
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

use crate::{
    ServerName,
    handlers::{Elicitation, Handler, Handlers, LogMessage, Sampling},
};
use asked::Asked;
use asked::Asking;
use callers::Callers;
use life::Life;
use logs::Logs;
pub(crate) use progress::Heard;
pub use progress::Progress;
use progress::{Routed, Routes};
pub(crate) use stale::{Stale, StaleReceiver, StaleSender, stale};

/// Our end of a connection.
#[derive(Debug)]
pub(crate) struct Client {
    server: ServerName,
    handlers: Arc<Handlers>,
    stale: StaleSender,
    back: Back,
}

/// What comes back from a server beside its answers. A clone is cheap and is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Back {
    /// Who waits for progress.
    routes: Arc<Routes>,
    /// Whether the server waits for an answer of the program's.
    pub(crate) asking: Asking,
    /// What the server has logged lately.
    pub(crate) logs: Arc<Logs>,
    /// When the server was heard last.
    pub(crate) life: Arc<Life>,
    /// Cancelled when nothing more is to come from the server.
    pub(crate) end: CancellationToken,
    /// Whose calls are under way, where they are asked.
    pub(crate) callers: Option<Callers>,
}

impl Client {
    pub(crate) fn new(server: ServerName, handlers: Arc<Handlers>, stale: StaleSender) -> Self {
        let callers = handlers.asks_callers.then(Callers::default);
        Self { server, handlers, stale, back: Back { callers, ..Back::default() } }
    }

    /// Shakes hands with the server at the other end of the transport.
    ///
    /// A connection is opened here, and not by rmcp's `serve`, so that progress is heard in its order and before the
    /// answer that it belongs to: rmcp handles each notification in a task of its own.
    pub(crate) async fn serve<T: Transport<RoleClient> + 'static>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleClient, Self>, ClientInitializeError> {
        let routed = Routed::new(transport, self.back());
        let service = ServiceExt::serve(self, routed).await?;
        // Who asks what a server offers now is not to be told what it offered once.
        service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
        Ok(service)
    }

    /// What comes back from the server, for those who call it.
    pub(crate) fn back(&self) -> Back {
        self.back.clone()
    }

    /// Who answers a question to the user: the program's handler, or whoever calls.
    fn elicits(&self, is_url: bool) -> Option<Handler<Elicitation, ElicitResult>> {
        let Handlers { elicitation, takes_urls, .. } = &*self.handlers;
        if elicitation.is_some() {
            return elicitation.clone().filter(|_| !is_url || *takes_urls);
        }
        let (caller, over) = self.back.callers.as_ref()?.only()?;
        (caller.fills_in_forms() && !is_url).then(|| -> Handler<_, _> {
            Arc::new(move |question| {
                let answer = over.clone().run_until_cancelled_owned(caller.clone().elicit(question));
                Box::pin(async { answer.await.unwrap_or_else(asked::declined) })
            })
        })
    }

    /// Who answers for a model.
    fn samples(&self) -> Option<Handler<Sampling, Result<CreateMessageResult, String>>> {
        if self.handlers.sampling.is_some() {
            return self.handlers.sampling.clone();
        }
        let (caller, over) = self.back.callers.as_ref()?.only()?;
        caller.samples().then(|| -> Handler<_, _> {
            Arc::new(move |question| {
                let answer = over.clone().run_until_cancelled_owned(caller.clone().sample(question));
                Box::pin(async { answer.await.unwrap_or_else(|| Err("the call has ended".to_owned())) })
            })
        })
    }

    fn declines(&self, what: &'static str) {
        tracing::debug!(server = %self.server, "declined {what} that no handler is there for");
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let Handlers { elicitation, takes_urls, sampling, roots, asks_callers, .. } = &*self.handlers;
        let mut capabilities = ClientCapabilities::default();
        if elicitation.is_some() || *asks_callers {
            let mut kinds = ElicitationCapability::new().with_form(FormElicitationCapability::new());
            kinds.url = (elicitation.is_some() && *takes_urls).then(UrlElicitationCapability::new);
            capabilities.elicitation = Some(kinds);
        }
        capabilities.sampling = (sampling.is_some() || *asks_callers).then(SamplingCapability::default);
        capabilities.roots = roots.as_ref().map(|_| RootsCapabilities::default());
        let us = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        // Not rmcp's default, which is a version that knows no handshake: a server that agrees on it takes no question
        // back any more.
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let is_url = matches!(request, ElicitRequestParams::UrlElicitationParams { .. });
        let Some(handler) = self.elicits(is_url) else {
            self.declines("a question to the user");
            return Ok(asked::declined());
        };
        let schema = asked::schema(&request);
        let question = Elicitation { server: self.server.clone(), request };
        match self.back.asking.answer(&handler, question, &context.ct).await {
            Asked::Answered(answer) => Ok(asked::filled(answer, schema.as_ref())),
            Asked::TakenBack | Asked::Panicked | Asked::TooMany => Ok(asked::declined()),
        }
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let Some(handler) = self.samples() else {
            self.declines("a message of a model");
            if self.handlers.asks_callers {
                return Err(ErrorData::new(REFUSED, "nobody is there to be asked", None));
            }
            return Err(ErrorData::method_not_found::<CreateMessageRequestMethod>());
        };
        let question = Sampling { server: self.server.clone(), request };
        let refused = |why: String| ErrorData::new(REFUSED, why, None);
        match self.back.asking.answer(&handler, question, &context.ct).await {
            Asked::Answered(answer) => answer.map_err(refused),
            Asked::TakenBack => Err(refused("the question was taken back".to_owned())),
            Asked::Panicked => Err(refused("the request was refused".to_owned())),
            Asked::TooMany => Err(refused("too many requests are open".to_owned())),
        }
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let Some(roots) = &self.handlers.roots else {
            self.declines("a list of roots");
            return Ok(ListRootsResult::default());
        };
        let listed = asked::catch(|| roots(&self.server));
        Ok(ListRootsResult::new(listed.unwrap_or_default()))
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let LoggingMessageNotificationParam { level, logger, data, .. } = message;
        let message = logs::bounded(LogMessage { server: self.server.clone(), level, logger, data });
        self.handlers.feed.tell(&message);
        if let Some(log) = &self.handlers.log {
            // A panic is told by the hook of panics, and is no reason to lose the message.
            let _: Option<()> = asked::catch(|| log(&message));
        }
        self.back.logs.keep(message);
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(handler) = &self.handlers.updated {
            let _: Option<()> = asked::catch(|| handler(&self.server, &updated.uri));
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.stale.send(Stale::Tools);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.stale.send(Stale::Resources);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.stale.send(Stale::Prompts);
    }
}

/// As the specification of sampling has it: a refusal by the user.
const REFUSED: ErrorCode = ErrorCode(-1);
