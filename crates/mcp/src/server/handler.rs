//! The short builder's server, as `rmcp` serves it.

use std::sync::Arc;

use agentwire_control::{Control, FailureKind, note_failure};
use agentwire_hooks::catch_panic;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerConfig,
    },
    service::RequestContext,
};
use serde_json::Value;

use super::{Server, offers::Listed};
use crate::{Tool, ToolContext, ToolOutput, tool::Input};

/// The server in one session.
pub(super) struct Handler {
    pub(super) server: Arc<Server>,
    pub(super) control: Control,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.server.config.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.server.tools.iter().map(|tool| tool.listed.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.server.tools.iter().find(|tool| *tool.name() == *request.name) else {
            let known = known(self.server.tools.iter().map(Tool::name));
            return Err(invalid(format!("no tool is called `{}`; known: {known}", request.name)));
        };
        let context = ToolContext::new(self.control.clone(), &context);
        let object = Value::Object(request.arguments.unwrap_or_default());
        let text = object.to_string();
        let output =
            guarded(async { (tool.run)(Input { text: &text, object: Some(object) }, context).await }).await;
        Ok(output.into_result().into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let one = |listed: &Listed| match listed {
            Listed::One(resource) => Some(resource.clone()),
            Listed::Template(_) => None,
        };
        let resources = self.server.resources.iter().filter_map(|resource| one(&resource.listed));
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = |listed: &Listed| match listed {
            Listed::One(_) => None,
            Listed::Template(template) => Some(template.clone()),
        };
        let templates = self.server.resources.iter().filter_map(|resource| template(&resource.listed));
        Ok(ListResourceTemplatesResult::with_all_items(templates.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(resource) = self.server.resources.iter().find(|resource| resource.has(&request.uri)) else {
            return Err(ErrorData::resource_not_found(format!("there is no `{}`", request.uri), None));
        };
        Ok(ReadResourceResult::new(vec![resource.read(request.uri).await?]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.server.prompts.iter().map(|prompt| prompt.listed.clone());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = self.server.prompts.iter().find(|prompt| prompt.listed.name == request.name)
        else {
            let known = known(self.server.prompts.iter().map(|prompt| &*prompt.listed.name));
            return Err(invalid(format!("no prompt is called `{}`; known: {known}", request.name)));
        };
        Ok(prompt.get(request.arguments.unwrap_or_default()).await?.into())
    }
}

/// The output of a tool; an error result where it panics.
pub(super) async fn guarded(tool: impl Future<Output = ToolOutput>) -> ToolOutput {
    catch_panic(tool).await.unwrap_or_else(|panic| {
        note_failure(FailureKind::Panic, &*panic);
        ToolOutput::error(format!("the tool panicked: {panic}"))
    })
}

fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if known.is_empty() { "there is none".to_owned() } else { known.join(", ") }
}

fn invalid(why: String) -> ErrorData {
    ErrorData::invalid_params(why, None)
}
