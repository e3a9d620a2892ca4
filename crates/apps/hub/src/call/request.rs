//! Requests to read a resource and to get a prompt.

use std::{fmt, sync::Arc};

use rmcp::model::JsonObject;

use crate::client::Caller;

/// A request to read a resource.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadRequest {
    /// The name of the server in the configuration.
    pub server: String,
    /// The URI of the resource. It need not be in the server's list.
    pub uri: String,
    /// The caller, for approval and records of calls.
    pub caller: Arc<str>,
    pub(crate) with_approval: bool,
    pub(crate) asked: Option<Caller>,
}

impl ReadRequest {
    /// Creates a request.
    pub fn new(server: impl Into<String>, uri: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            uri: uri.into(),
            caller: Arc::from(""),
            with_approval: false,
            asked: None,
        }
    }

    /// Requires the hub's [`Approval`](crate::Approval), for a URI that a model has chosen. A URI that the server does not
    /// list is sent to the server too.
    pub fn with_approval(mut self) -> Self {
        self.with_approval = true;
        self
    }

    /// Sets the caller.
    pub fn caller(mut self, caller: impl Into<Arc<str>>) -> Self {
        self.caller = caller.into();
        self
    }

    /// Sets the client that answers questions of the server.
    pub(crate) fn asked(mut self, asked: Option<Caller>) -> Self {
        self.asked = asked;
        self
    }
}

/// A request to get a prompt.
#[derive(Clone)]
#[non_exhaustive]
pub struct PromptRequest {
    /// The name of the server in the configuration.
    pub server: String,
    /// The server's name for the prompt. `-` and `_` are interchangeable where the name stays unique.
    pub prompt: String,
    /// The arguments.
    pub arguments: JsonObject,
    /// The caller, for records of calls.
    pub caller: Arc<str>,
    pub(crate) asked: Option<Caller>,
}

// Arguments may be secrets.
impl fmt::Debug for PromptRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptRequest")
            .field("server", &self.server)
            .field("prompt", &self.prompt)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl PromptRequest {
    /// Creates a request without arguments.
    pub fn new(server: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            prompt: prompt.into(),
            arguments: JsonObject::new(),
            caller: Arc::from(""),
            asked: None,
        }
    }

    /// Sets the arguments.
    pub fn arguments(mut self, arguments: JsonObject) -> Self {
        self.arguments = arguments;
        self
    }

    /// Sets the caller.
    pub fn caller(mut self, caller: impl Into<Arc<str>>) -> Self {
        self.caller = caller.into();
        self
    }

    /// Sets the client that answers questions of the server.
    pub(crate) fn asked(mut self, asked: Option<Caller>) -> Self {
        self.asked = asked;
        self
    }
}
