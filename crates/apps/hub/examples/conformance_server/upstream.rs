//! The server behind the gateway: it has the tools, resources and prompts that the suite uses, and speaks 2026-07-28.
#![expect(deprecated, reason = "the suite plays sampling, roots and logging, too")]

mod offers;
mod questions;

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
        CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse,
        GetPromptResult, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, LoggingMessageNotificationParam, PaginatedRequestParams,
        ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
    transport::stdio,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::{sync::watch, time::sleep};

use crate::Failure;
use questions::Answers;

/// Serves on stdin and stdout until the hub has gone.
pub(crate) async fn serve() -> Result<(), Failure> {
    Upstream::default().serve(stdio()).await?.waiting().await?;
    Ok(())
}

/// The server. Clones share its state.
#[derive(Clone, Default)]
struct Upstream {
    lists: Arc<watch::Sender<Lists>>,
}

/// The optional items of its lists.
#[derive(Clone, Copy, Default, PartialEq)]
struct Lists {
    has_more_tools: bool,
    has_more_prompts: bool,
}

impl ServerHandler for Upstream {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_logging();
        ServerConfig::new(capabilities.build())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut lists = self.lists.subscribe();
        let mut before = *lists.borrow_and_update();
        loop {
            tokio::select! {
                Ok(()) = lists.changed() => {}
                () = context.cancelled() => return Ok(()),
            }
            let now = *lists.borrow_and_update();
            // A subscription that did not ask for a list refuses its notification.
            if now.has_more_tools != before.has_more_tools {
                let _ = context.sink().notify_tool_list_changed().await;
            }
            if now.has_more_prompts != before.has_more_prompts {
                let _ = context.sink().notify_prompt_list_changed().await;
            }
            before = now;
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        model(json!({"tools": offers::tools(self.lists.borrow().has_more_tools)}))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        model(json!({"prompts": offers::prompts(self.lists.borrow().has_more_prompts)}))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        model(json!({"resources": offers::resources()}))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        model(json!({"resourceTemplates": offers::templates()}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(contents) = offers::contents(&request.uri) else {
            let data = json!({"uri": request.uri});
            return Err(ErrorData::resource_not_found("there is no such resource", Some(data)));
        };
        // As servers of older versions do, it leaves out the `resultType`.
        model::<ReadResourceResult>(json!({"contents": [contents]})).map(Into::into)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let answers =
            Answers { given: request.input_responses.as_ref(), state: request.request_state.as_deref() };
        if let Some(question) = questions::next(&request.name, &Value::Null, answers)? {
            return model::<InputRequiredResult>(question).map(Into::into);
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let Some(messages) = offers::messages(&request.name, &arguments) else {
            return Err(ErrorData::invalid_params("there is no such prompt", None));
        };
        model::<GetPromptResult>(json!({"messages": messages})).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = vec![format!("{}-1", request.argument.value), format!("{}-2", request.argument.value)];
        CompletionInfo::new(values)
            .map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &*request.name;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let answers =
            Answers { given: request.input_responses.as_ref(), state: request.request_state.as_deref() };
        if let Some(question) = questions::next(name, &arguments, answers)? {
            return model::<InputRequiredResult>(question).map(Into::into);
        }
        match name {
            "test_tool_with_logging" | "test_logging_tool" => log(&context).await?,
            "test_tool_with_progress" => progress(&context).await?,
            "test_trigger_tool_change" => {
                self.lists.send_modify(|lists| lists.has_more_tools = !lists.has_more_tools);
            }
            "test_trigger_prompt_change" => {
                self.lists.send_modify(|lists| lists.has_more_prompts = !lists.has_more_prompts);
            }
            "test_missing_capability" => {
                let samples =
                    context.meta.client_capabilities().is_some_and(|client| client.sampling.is_some());
                if !samples {
                    let required = ClientCapabilities::builder().enable_sampling().build();
                    return Err(ErrorData::missing_required_client_capability(required));
                }
            }
            "test_error_handling" => {
                let text = ContentBlock::text("This tool intentionally returns an error for testing");
                return Ok(CallToolResult::error(vec![text]).into());
            }
            _ => {}
        }
        let content = offers::content(name).unwrap_or_else(|| {
            let answered = serde_json::to_string(&request.input_responses).unwrap_or_default();
            json!([{"type": "text", "text": format!("{name}: {arguments} {answered}")}])
        });
        model::<CallToolResult>(json!({"content": content})).map(Into::into)
    }
}

/// Logs three messages, if the request asks for them.
async fn log(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let Some(level) = context.meta.log_level() else { return Ok(()) };
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message = LoggingMessageNotificationParam::new(level, json!(text)).with_logger("upstream");
        context.peer.notify_logging_message(message).await.map_err(lost)?;
        sleep(STEP).await;
    }
    Ok(())
}

/// Reports progress three times, if the request asks for it.
async fn progress(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let Some(token) = context.meta.get_progress_token() else { return Ok(()) };
    for done in [0.0, 50.0, 100.0] {
        let mut step = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        step.message = Some(format!("{done} of 100"));
        context.peer.notify_progress(step).await.map_err(lost)?;
        sleep(STEP).await;
    }
    Ok(())
}

/// Decodes a value of the protocol from JSON.
fn model<T: DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn lost(error: impl ToString) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// The delay between two steps, as in the suite's scenarios.
const STEP: Duration = Duration::from_millis(50);
