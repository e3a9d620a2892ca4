//! A short builder for a server of a few tools.

use std::{fmt, sync::Arc};

use agentwire_control::{Control, FailureKind, note_failure};
use agentwire_hooks::catch_panic;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::Value;

use crate::{Outbox, Serve, Session, Tool, ToolContext, ToolOutput, rmcp_server::RmcpSession};

/// A server of a few tools.
///
/// A tool that errs or panics gives an error result, which the model reads.
/// Calls run concurrently; a clone shares the handlers, and so do the sessions that one value is served to.
///
/// For resources, prompts and the rest of MCP, serve an `rmcp` handler with [`RmcpServer`](crate::RmcpServer).
#[derive(Clone)]
pub struct Server {
    config: ServerConfig,
    tools: Vec<Tool>,
}

impl Server {
    /// A server without tools, by the name and version that it gives in MCP's own handshake.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, version));
        Self { config, tools: Vec::new() }
    }

    /// The same, with a text that tells the model how to use the server.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.config.instructions = Some(text.into());
        self
    }

    /// The same, with a tool whose input is a type of the caller's; see [`Tool::new`].
    ///
    /// A closure that captures is written `move |input: Input, cx| { let s = s.clone(); async move { … } }`.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn tool<I, F, Fut>(self, name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        I: serde::de::DeserializeOwned + schemars::JsonSchema + Send + 'static,
        F: Fn(I, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: crate::IntoToolOutput,
    {
        self.with(Tool::new(name, description, handler))
    }

    /// The same, with this tool, in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, tool: Tool) -> Self {
        self.tools.retain(|other| other.name() != tool.name());
        self.tools.push(tool);
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(Tool::name).collect();
        f.debug_struct("Server").field("info", &self.config.server_info).field("tools", &tools).finish()
    }
}

impl Serve for Server {
    fn open(&self, outbox: Outbox) -> Box<dyn Session> {
        let control = outbox.control().clone();
        Box::new(RmcpSession::start(Handler { server: Arc::new(self.clone()), control }, outbox))
    }
}

/// The server in one session.
struct Handler {
    server: Arc<Server>,
    control: Control,
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
        Ok(ListToolsResult::with_all_items(
            self.server.tools.iter().map(|tool| tool.listed.clone()).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.server.tools.iter().find(|tool| *tool.name() == *request.name) else {
            let known: Vec<_> = self.server.tools.iter().map(|tool| format!("`{}`", tool.name())).collect();
            let why = format!("no tool is called `{}`; known: {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(why, None));
        };
        let context = ToolContext {
            cancelled: context.ct.clone(),
            tool_use_id: context.meta.get(TOOL_USE_ID).and_then(Value::as_str).map(Into::into),
            control: self.control.clone(),
        };
        let output =
            catch_panic(async { (tool.run)(request.arguments.unwrap_or_default(), context).await }).await;
        let output = output.unwrap_or_else(|panic| {
            note_failure(FailureKind::Panic, &*panic);
            ToolOutput::error(format!("the tool panicked: {panic}"))
        });
        Ok(output.into_result().into())
    }
}

/// Where the CLI tells the tool use.
const TOOL_USE_ID: &str = "claudecode/toolUseId";
