//! A short builder for a server of a few tools, resources and prompts.

mod handler;
mod offers;
mod opened;
mod template;

use std::{fmt, fmt::Display};

use rmcp::model::{
    GetPromptResult, Icon, Implementation, JsonObject, Prompt, Resource, ResourceContents, ResourceTemplate,
    ServerCapabilities, ServerConfig,
};

#[cfg(feature = "schemars")]
use crate::{IntoToolOutput, ToolContext};
use crate::{McpService, Outbox, ServerInstance, Tool};
use offers::{OfferedPrompt, Readable};
use opened::Opened;
pub(crate) use opened::Tools;

/// A server of a few tools, and perhaps resources and prompts.
///
/// A tool that errs or panics gives an error result, which the model reads.
/// Calls run concurrently; a clone shares the handlers, and so do the sessions that one value is served to.
///
/// What it offers stays the same: for lists that change, subscriptions, completions and the rest of MCP, serve an `rmcp`
/// handler with [`RmcpServer`](crate::RmcpServer).
#[derive(Clone)]
pub struct Server {
    config: ServerConfig,
    tools: Vec<Tool>,
    resources: Vec<Readable>,
    prompts: Vec<OfferedPrompt>,
}

impl Server {
    /// A server without tools, by the name and version that it gives in MCP's own handshake.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, version));
        Self { config, tools: Vec::new(), resources: Vec::new(), prompts: Vec::new() }
    }

    /// The same, with a title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.config.server_info.title = Some(title.into());
        self
    }

    /// The same, and an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.config.server_info.icons.get_or_insert_default().push(icon);
        self
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
        Fut::Output: IntoToolOutput,
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

    /// The same, with a resource; `read` is called with its URI.
    ///
    /// The model reads resources by two tools of the CLI's, which are there where any server offers some.
    #[must_use]
    pub fn resource<F, Fut, D>(mut self, resource: Resource, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceContents, D>> + Send,
        D: Display,
    {
        self.resources.push(Readable::one(resource, read));
        self.offering_resources()
    }

    /// The same, with all resources whose URI fits a template; `read` is called with the URI.
    ///
    /// In a template `{name}` stands for text without a `/`, and `{+name}` for any text; neither for none.
    #[must_use]
    pub fn resource_template<F, Fut, D>(mut self, template: ResourceTemplate, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceContents, D>> + Send,
        D: Display,
    {
        self.resources.push(Readable::template(template, read));
        self.offering_resources()
    }

    /// The same, with a prompt; `get` is called with the arguments, of which none that is required is missing.
    ///
    /// CLI 2.1.330 asks no server of its host for prompts.
    #[must_use]
    pub fn prompt<F, Fut, D>(mut self, prompt: Prompt, get: F) -> Self
    where
        F: Fn(JsonObject) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<GetPromptResult, D>> + Send,
        D: Display,
    {
        self.prompts.push(OfferedPrompt::new(prompt, get));
        self.config.capabilities.prompts.get_or_insert_default();
        self
    }

    fn offering_resources(mut self) -> Self {
        self.config.capabilities.resources.get_or_insert_default();
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(Tool::name).collect();
        f.debug_struct("Server")
            .field("info", &self.config.server_info)
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}

impl McpService for Server {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        Box::new(Opened::start(self.clone(), outbox))
    }
}
