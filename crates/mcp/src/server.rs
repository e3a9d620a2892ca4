//! A builder for a server of a few tools, resources and prompts.

mod client;
mod resources_and_prompts;
mod running;
mod session;
mod template;

use std::{error::Error, fmt, sync::Arc};

use serde_json::{Map, Value, json};

use crate::{
    Icon, McpService, Outbox, Prompt, PromptMessages, Resource, ResourceBody, ResourceTemplate,
    ServerInstance, Tool, description::push,
};
#[cfg(feature = "schemars")]
use crate::{IntoToolOutput, ToolContext};
pub(crate) use client::Client;
pub use client::ServerRequestError;
use resources_and_prompts::{OfferedPrompt, ReadableResource, handler};
#[cfg(feature = "rmcp")]
pub(crate) use running::GRACE;
use session::ServerSession;

/// A server of a few tools, and optionally resources and prompts.
///
/// A tool that fails or panics returns an error result, which the model reads.
/// Calls run concurrently; a clone shares the handlers, and so do all sessions that one value is served to.
///
/// The lists of tools, resources and prompts are fixed. For lists that change, subscriptions, completions and the rest
/// of MCP, implement [`McpService`], or serve an `rmcp` handler with `RmcpServer` (feature `rmcp`).
#[derive(Clone)]
pub struct Server(Arc<Parts>);

/// The parts of a server, which all its clones and sessions share.
#[derive(Clone, Default)]
struct Parts {
    info: Map<String, Value>,
    instructions: Option<String>,
    tools: Vec<Tool>,
    resources: Vec<ReadableResource>,
    prompts: Vec<OfferedPrompt>,
}

impl Server {
    /// Creates a server without tools, by the name and version that it returns in MCP's `initialize`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let info = [("name", name.into()), ("version", version.into())];
        let info = info.map(|(key, text)| (key.to_owned(), Value::String(text))).into_iter().collect();
        Self(Arc::new(Parts { info, ..Parts::default() }))
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.change(|parts| parts.info.insert("title".to_owned(), Value::String(title.into())))
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(self, icon: Icon) -> Self {
        self.change(|parts| push(&mut parts.info, "icons", icon.0))
    }

    /// Sets the instructions for the model on how to use the server.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        self.change(|parts| parts.instructions = Some(text.into()))
    }

    /// Adds a tool with a typed input; see [`Tool::new`].
    ///
    /// A closure that captures is written `move |input: Input, cx| { let s = s.clone(); async move { … } }`.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn tool<I, F, Fut>(self, name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        I: serde::de::DeserializeOwned + schemars::JsonSchema + Send + 'static,
        F: Fn(I, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolOutput> + Send,
    {
        self.with(Tool::new(name, description, handler))
    }

    /// Adds a tool, in place of one with the same name.
    #[must_use]
    pub fn with(self, tool: Tool) -> Self {
        self.change(|parts| {
            parts.tools.retain(|other| other.name() != tool.name());
            parts.tools.push(tool);
        })
    }

    /// Adds a resource; `read` is called with its URI.
    ///
    /// The CLI offers the model two tools to list and read resources if any server has some.
    #[must_use]
    pub fn resource<F, Fut, E>(self, resource: Resource, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceBody, E>> + Send,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.change(|parts| parts.resources.push(ReadableResource::One(resource, handler(read))))
    }

    /// Adds all resources with a URI that matches a template; `read` is called with the URI.
    ///
    /// In a template `{name}` matches text without a `/`, and `{+name}` any text; neither matches an empty text.
    /// A [`resource`](Self::resource) with the URI comes before the template.
    #[must_use]
    pub fn resource_template<F, Fut, E>(self, template: ResourceTemplate, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceBody, E>> + Send,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.change(|parts| parts.resources.push(ReadableResource::Template(template, handler(read))))
    }

    /// Adds a prompt; `get` is called with the arguments, which include all required ones.
    ///
    /// CLI 2.1.330 asks no in-process server for prompts.
    #[must_use]
    pub fn prompt<F, Fut, E>(self, prompt: Prompt, get: F) -> Self
    where
        F: Fn(Map<String, Value>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<PromptMessages, E>> + Send,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.change(|parts| parts.prompts.push(OfferedPrompt { listed: prompt, get: handler(get) }))
    }

    fn change<T>(mut self, change: impl FnOnce(&mut Parts) -> T) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }
}

impl Parts {
    fn capabilities(&self) -> Value {
        let mut capabilities = json!({"tools": {}});
        if !self.resources.is_empty() {
            capabilities["resources"] = json!({});
        }
        if !self.prompts.is_empty() {
            capabilities["prompts"] = json!({});
        }
        capabilities
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.0.tools.iter().map(Tool::name).collect();
        f.debug_struct("Server").field("info", &self.0.info).field("tools", &tools).finish_non_exhaustive()
    }
}

impl McpService for Server {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        Box::new(ServerSession::new(Arc::clone(&self.0), outbox))
    }
}
