//! The requests of a client.
#![expect(deprecated, reason = "clients with a handshake subscribe to resources and set the log level")]

use std::sync::Arc;

use agentwire_hub_names::Rewrite;
use agentwire_net::head;
use futures_util::FutureExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
        CompletionInfo, ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
        GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, Reference, ResultType,
        ServerCapabilities, ServerConfig, ServerResult, SetLevelRequestMethod, SetLevelRequestParams,
        SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value;

use super::{
    Gateway,
    errors::{another, refused, unread},
    is_stateless,
    lists::{listed, listed_tools},
    outcome::result,
    run::{Repetition, unless_cancelled},
    subscribed::{Subscribed, find_resource},
    watch::{Changes, Recipient, watch},
};
use crate::{
    CallError, CallRequest, NamedTool, Offers, PromptRequest, ReadRequest, Use,
    audit::Recording,
    client::{Stale, forwarded},
};

// The hub's futures are boxed: rmcp moves the futures of all requests as one value several times, which overflows a thread's
// stack in unoptimised builds.
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
        if let Some(resources) = &mut capabilities.resources {
            resources.subscribe = self.hub.takes_subscriptions().then_some(true);
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        info.instructions = self.instructions();
        info
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        // The response contains the servers' instructions.
        self.started(true).await;
        let versions = self.supported_protocol_versions().into_owned();
        let mut info = self.get_info();
        // Log messages go to clients with a handshake only.
        info.capabilities.logging = None;
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // rmcp removes kinds that the capabilities do not include.
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            // The acknowledgement is sent before the requests to servers, so the refusal of a server is only logged.
            let offers = self.offers();
            uris.retain(|uri| {
                let found = find_resource(&offers, uri);
                found.is_ok_and(|(server, _)| self.hub.subscribable(server.as_str()).is_ok())
            });
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let (changes, before) = (Changes::of(&self.hub), self.offers());
        let subscribed = Subscribed::default();
        let subscribing = async {
            for uri in context.accepted().resource_subscriptions.iter().flatten() {
                if let Err(error) = self.subscribe_to(&subscribed, uri.clone()).await {
                    tracing::debug!(%error, "a resource was not subscribed to");
                }
            }
        };
        let to = Recipient::Subscription(context.sink());
        tokio::select! {
            () = watch(self.hub.clone(), changes, before, &subscribed, subscribing, to) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        // Before the response, so that the first call's log messages are forwarded.
        self.pass_on(&context.peer);
        self.started(false).await;
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.watch(&context.peer);
        self.read_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.read_roots(&context.peer).await;
    }

    // rmcp uses it to check the headers of a call over HTTP (`x-mcp-header`).
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let offers = self.offers();
        offers.tools().iter().find(|tool| *tool.name == *name).map(|tool| listed(tool, &offers))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (tools, next_cursor) = self.page(Stale::Tools, page, &context, listed_tools).await?;
        Ok(ListToolsResult { next_cursor, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let subject = ("tools/call", request.name.to_string());
        let again = Repetition { responses: request.input_responses, state: request.request_state };
        let found = async {
            let spelt = |offers: &Offers| offers.names().spelt(&request.name).cloned();
            let (offers, named) = self.find(Stale::Tools, spelt).await;
            let arguments = Value::Object(request.arguments.unwrap_or_default());
            let named = named
                .inspect_err(|_| self.record_unknown(Use::Tool, &request.name, &arguments, &context))
                .map_err(|error| self.misnamed(&request.name, error))?;
            let call = CallRequest::new(named.server.as_str(), &*named.item).arguments(arguments);
            let call = call.caller(caller(&context));
            let hub = self.hub.clone();
            Ok(move |client| async move {
                let outcome = Box::pin(hub.call_for(call, client)).await;
                let rewrite = Rewrite { uris: offers.uris(), server: &named.server, requested: None };
                let is_this =
                    |tool: &&NamedTool| tool.server == named.server && *tool.tool.name == *named.item;
                let tool = offers.tools().iter().find(is_this);
                let has_output_schema = tool.is_some_and(|tool| tool.tool.output_schema.is_some());
                match outcome {
                    Ok(outcome) => {
                        Ok(ServerResult::CallToolResult(result(outcome, has_output_schema, &rewrite)))
                    }
                    // The server's own error.
                    Err(CallError::Refused { error, .. }) => Err(error),
                    // The specification requires this error of a server with tasks.
                    Err(error @ CallError::NeedsTask { .. }) => {
                        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, error.to_string(), None))
                    }
                    Err(error) => {
                        let content = vec![ContentBlock::text(error.to_string())];
                        Ok(ServerResult::CallToolResult(CallToolResult::error(content)))
                    }
                }
            })
        };
        match self.run(subject, again, found, &context).await? {
            ServerResult::CallToolResult(result) => Ok(result.into()),
            ServerResult::InputRequiredResult(required) => Ok(required.into()),
            _ => Err(another()),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = |offers: &Offers| offers.resources().to_vec();
        let (resources, next_cursor) = self.page(Stale::Resources, page, &context, resources).await?;
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = |offers: &Offers| offers.templates().to_vec();
        let (templates, next_cursor) = self.page(Stale::Resources, page, &context, templates).await?;
        Ok(ListResourceTemplatesResult {
            next_cursor,
            ..ListResourceTemplatesResult::with_all_items(templates)
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let subject = ("resources/read", request.uri.clone());
        let again = Repetition { responses: request.input_responses, state: request.request_state };
        let found = async {
            let (offers, found) =
                self.find(Stale::Resources, |offers| find_resource(offers, &request.uri)).await;
            let (server, uri) = found.inspect_err(|_| {
                self.record_unknown(Use::Resource, &request.uri, &Value::Null, &context);
            })?;
            let mut read = ReadRequest::new(server.as_str(), &*uri).caller(caller(&context));
            if self.asks_for_resources {
                read = read.with_approval();
            }
            let hub = self.hub.clone();
            Ok(move |client| async move {
                let mut result = Box::pin(hub.read_for(read, client)).await.map_err(refused)?;
                let requested = Some((&*uri, &*request.uri));
                let rewrite = Rewrite { uris: offers.uris(), server: &server, requested };
                for contents in &mut result.contents {
                    rewrite.contents(contents);
                }
                // Servers of older versions omit it; rmcp removes it for clients of older versions.
                result.result_type = Some(ResultType::COMPLETE);
                Ok(ServerResult::ReadResourceResult(result))
            })
        };
        match self.run(subject, again, found, &context).await? {
            ServerResult::ReadResourceResult(result) => Ok(result.into()),
            ServerResult::InputRequiredResult(required) => Ok(required.into()),
            _ => Err(another()),
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watch(&context.peer);
        unless_cancelled(self.subscribe_to(&self.subscribed, request.uri), &context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.subscribed.remove(&request.uri) {
            find_resource(&self.offers(), &request.uri)?;
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = |offers: &Offers| offers.prompts().to_vec();
        let (prompts, next_cursor) = self.page(Stale::Prompts, page, &context, prompts).await?;
        Ok(ListPromptsResult { next_cursor, ..ListPromptsResult::with_all_items(prompts) })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let subject = ("prompts/get", request.name.clone());
        let again = Repetition { responses: request.input_responses, state: request.request_state };
        let found = async {
            let spelt = |offers: &Offers| offers.prompt_names().spelt(&request.name).cloned();
            let (offers, named) = self.find(Stale::Prompts, spelt).await;
            let arguments = request.arguments.unwrap_or_default();
            let named = named
                .inspect_err(|_| {
                    let arguments = Value::Object(arguments.clone());
                    self.record_unknown(Use::Prompt, &request.name, &arguments, &context);
                })
                .map_err(|error| self.misnamed(&request.name, error))?;
            let prompt = PromptRequest::new(named.server.as_str(), &*named.item)
                .arguments(arguments)
                .caller(caller(&context));
            let hub = self.hub.clone();
            Ok(move |client| async move {
                let mut result = Box::pin(hub.get_for(prompt, client)).await.map_err(refused)?;
                let rewrite = Rewrite { uris: offers.uris(), server: &named.server, requested: None };
                for message in &mut result.messages {
                    rewrite.block(&mut message.content);
                }
                result.result_type = Some(ResultType::COMPLETE);
                Ok(ServerResult::GetPromptResult(result))
            })
        };
        match self.run(subject, again, found, &context).await? {
            ServerResult::GetPromptResult(result) => Ok(result.into()),
            ServerResult::InputRequiredResult(required) => Ok(required.into()),
            _ => Err(another()),
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.passes_logs {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.min_level.send_replace(request.level);
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
                let named = offers.prompt_names().spelt(&prompt.name);
                let named = named.map_err(|error| self.misnamed(&prompt.name, error))?;
                prompt.name = named.item.to_string();
                named.server.clone()
            }
            Reference::Resource(template) => {
                let found = offers.uris().find(&template.uri);
                let (server, uri) = found.map_err(|error| self.misnamed(&template.uri, error))?;
                template.uri = uri.to_owned();
                server
            }
            _ => return Err(ErrorData::invalid_params("this kind of reference is not known", None)),
        };
        request.meta = forwarded(context.meta.clone());
        let completing = Box::pin(self.hub.complete(server.as_str(), request));
        let completing = completing.map(|completed| match completed {
            // The gateway declares completions for all servers, and a client may show an error at each keystroke.
            Err(CallError::Unsupported { .. }) => Ok(CompletionInfo::default()),
            completed => completed.map_err(refused),
        });
        Ok(CompleteResult::new(unless_cancelled(completing, &context).await?))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unread(request.method, self.passes_logs, is_stateless(&context)))
    }
}

impl Gateway {
    /// Records a request for an unknown tool, prompt or resource.
    fn record_unknown(&self, what: Use, name: &str, arguments: &Value, context: &RequestContext<RoleServer>) {
        let audit = self.hub.inner.calls.audit.as_ref();
        let recording = Recording::new(audit, what, &caller(context), ("", name), arguments);
        recording.end(Err("unknown"));
    }
}

/// Returns the client's name for itself, cut because records keep it.
fn caller(context: &RequestContext<RoleServer>) -> Arc<str> {
    let client = context.client_info();
    client.map_or_else(|| Arc::from("gateway"), |client| Arc::from(head(&client.name, MAX_CALLER)))
}

/// The maximum length of a client's name, in bytes.
const MAX_CALLER: usize = 1 << 10;
