//! The requests of a client.
#![expect(deprecated, reason = "logging is on its way out of MCP, and clients still set its level")]

use std::{
    borrow::Cow,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
        ContentBlock, GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities, ServerConfig,
        SetLevelRequestMethod, SetLevelRequestParams, Tool,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::Value;
use tokio::{sync::mpsc, time::timeout};

use super::{Caller, Gateway, rewrite::Rewrite};
use crate::{
    CallError, CallOutcome, CallRequest, Misnamed, NamedTool, Progress, PromptRequest, ReadRequest, Use,
    audit::Recording,
};

// What the hub does is boxed: rmcp moves the futures of all requests as one, several times over, and without optimisation
// a thread's stack has no room for that.
impl ServerHandler for Gateway {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions();
        let mut capabilities = capabilities.build();
        capabilities.logging = self.passes_logs.then(Default::default);
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        info.instructions = self.instructions();
        info
    }

    /// The versions with a handshake: in the later one a list's change is told of in another way.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        // Before the answer: what is logged for the first call is heard.
        self.pass_on(&context.peer);
        self.hub.wait_until_ready(self.patience).await;
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.settled(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offers = self.settled(&context.peer).await;
        Ok(ListToolsResult::with_all_items(offers.tools().iter().map(listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let offers = self.offers();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let named = offers
            .names()
            .spelt(&request.name)
            .inspect_err(|_| self.record_unknown(&request.name, &arguments, &context))
            .map_err(misnamed)?;
        let (progress, heard) = mpsc::channel(UNSENT);
        let call = CallRequest::new(named.server.as_str(), &*named.item)
            .arguments(arguments)
            .caller(caller(&context))
            .asked(self.caller(&context))
            // A client too slow to hear of all progress hears of some.
            .on_progress(move |step| drop(progress.try_send(step)));
        let outcome = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(cancelled()),
            outcome = with_progress(Box::pin(self.hub.call(call)), heard, &context) => outcome,
        };
        let rewrite = Rewrite { uris: offers.uris(), server: &named.server };
        let tool =
            offers.tools().iter().find(|tool| tool.server == named.server && *tool.tool.name == *named.item);
        let promises = tool.is_some_and(|tool| tool.tool.output_schema.is_some());
        Ok(match outcome {
            Ok(outcome) => result(outcome, promises, &rewrite),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.settled(&context.peer).await.resources().to_vec()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            self.settled(&context.peer).await.templates().to_vec(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let offers = self.offers();
        let (server, uri) = offers
            .uris()
            .find_unlisted(&request.uri)
            .map_err(|error| ErrorData::resource_not_found(error.to_string(), None))?;
        let mut read =
            ReadRequest::new(server.as_str(), uri).caller(caller(&context)).asked(self.caller(&context));
        if self.asks_for_resources {
            read = read.with_approval();
        }
        let mut result = unless_cancelled(Box::pin(self.hub.read_resource(read)), &context).await?;
        let rewrite = Rewrite { uris: offers.uris(), server: &server };
        for contents in &mut result.contents {
            rewrite.contents(contents);
        }
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(self.settled(&context.peer).await.prompts().to_vec()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let offers = self.offers();
        let named = offers.prompt_names().spelt(&request.name).map_err(misnamed)?;
        let prompt = PromptRequest::new(named.server.as_str(), &*named.item)
            .arguments(request.arguments.unwrap_or_default())
            .caller(caller(&context))
            .asked(self.caller(&context));
        let mut result = unless_cancelled(Box::pin(self.hub.get_prompt(prompt)), &context).await?;
        let rewrite = Rewrite { uris: offers.uris(), server: &named.server };
        for message in &mut result.messages {
            rewrite.message(message);
        }
        Ok(result.into())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.passes_logs {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.volume.set(request.level);
        Ok(())
    }

    async fn complete(
        &self,
        mut request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let offers = self.offers();
        let server = match &mut request.r#ref {
            Reference::Prompt(prompt) => {
                let named = offers.prompt_names().spelt(&prompt.name).map_err(misnamed)?;
                prompt.name = named.item.to_string();
                named.server.clone()
            }
            Reference::Resource(template) => {
                let (server, uri) = offers.uris().find(&template.uri).map_err(misnamed)?;
                template.uri = uri.to_owned();
                server
            }
            _ => return Err(ErrorData::invalid_params("this kind of reference is not known", None)),
        };
        let completed =
            unless_cancelled(Box::pin(self.hub.complete(server.as_str(), request)), &context).await?;
        Ok(CompleteResult::new(completed))
    }
}

impl Gateway {
    /// Who is asked what the server wants to know meanwhile, where that is the client.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Option<Caller> {
        self.hub.calls().asks_callers.then(|| Caller::new(context, &self.client))
    }

    /// A call of what is not there is recorded as any other.
    fn record_unknown(&self, name: &str, arguments: &Value, context: &RequestContext<RoleServer>) {
        let audit = self.hub.calls().audit.as_ref();
        let recording = Recording::new(audit, Use::Tool, &caller(context), ("", name), arguments);
        recording.end(Err(&CallError::Unknown {
            server: "".into(),
            kind: "tool",
            name: String::new(),
            known: Vec::new(),
            suggestion: None,
        }));
    }
}

/// A tool as it is listed: everything is as its server has it, but for the name.
fn listed(tool: &NamedTool) -> Tool {
    let mut listed = tool.tool.clone();
    listed.name = Cow::Owned(tool.name.to_string());
    listed
}

fn result(outcome: CallOutcome, promises: bool, rewrite: &Rewrite<'_>) -> CallToolResult {
    // Data that is too large was left out, or was wrong from the start: what there is is not what the tool has promised, and
    // only an error need not be. A client that checks would throw away all of another result.
    let broken = promises && outcome.structured.is_none() && outcome.left_out.is_some();
    let told = outcome.broken_promise().map(ContentBlock::text);
    let mut result = CallToolResult::from(outcome);
    if broken || told.is_some() {
        result.is_error = Some(true);
    }
    for block in &mut result.content {
        rewrite.block(block);
    }
    result.content.extend(told);
    result
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, CallError>> + Send + 'a>>;

/// Passes progress on while a call is under way, all of it before the outcome.
async fn with_progress(
    mut call: Boxed<'_, CallOutcome>,
    mut heard: mpsc::Receiver<Progress>,
    context: &RequestContext<RoleServer>,
) -> Result<CallOutcome, CallError> {
    let Some(token) = context.meta.get_progress_token() else { return call.await };
    let pass_on = async |step: Progress| {
        let mut params = ProgressNotificationParam::new(token.clone(), step.progress);
        (params.total, params.message) = (step.total, step.message);
        if let Err(error) = context.peer.notify_progress(params).await {
            tracing::debug!(%error, "progress was not passed on");
        }
    };
    // Beside the call: a client that reads nothing must not stop its clock.
    let mut passing = pin!(async {
        while let Some(step) = heard.recv().await {
            pass_on(step).await;
        }
    });
    let (outcome, more) = tokio::select! {
        outcome = &mut call => (outcome, true),
        () = &mut passing => (call.await, false),
    };
    if more && timeout(LAST, passing).await.is_err() {
        tracing::debug!("progress was not passed on: the client does not take it");
    }
    outcome
}

async fn unless_cancelled<T>(
    request: Boxed<'_, T>,
    context: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => Err(cancelled()),
        result = request => result.map_err(refused),
    }
}

/// The name that the client gave itself.
fn caller(context: &RequestContext<RoleServer>) -> Arc<str> {
    context
        .peer
        .peer_info()
        .map_or_else(|| Arc::from("gateway"), |client| Arc::from(&*client.client_info.name))
}

fn misnamed(error: Misnamed) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

fn refused(error: CallError) -> ErrorData {
    match error {
        CallError::Refused { error, .. } => error,
        CallError::NotConnected { .. }
        | CallError::TimedOut { .. }
        | CallError::ConnectionLost { .. }
        | CallError::Protocol { .. } => ErrorData::internal_error(error.to_string(), None),
        error => ErrorData::invalid_params(error.to_string(), None),
    }
}

/// Nobody reads it: a cancelled request is not answered.
fn cancelled() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}

/// So long the outcome of a call waits for its progress to be passed on.
const LAST: Duration = Duration::from_secs(1);
/// So many steps wait for a client that is slow to take them.
const UNSENT: usize = 64;
