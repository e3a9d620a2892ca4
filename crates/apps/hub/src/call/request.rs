//! Requests to read a resource and to get a prompt.

use std::{fmt, sync::Arc};

use rmcp::model::JsonObject;

use crate::client::Caller;

/// A resource that is to be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadRequest {
    /// The server, by the name under which it is configured.
    pub server: String,
    /// The resource; it need not be in the server's list.
    pub uri: String,
    /// Who reads, for the questions to the user and the records of calls.
    pub caller: Arc<str>,
    pub(crate) with_approval: bool,
    pub(crate) asked: Option<Caller>,
}

impl ReadRequest {
    /// A resource of a server.
    pub fn new(server: impl Into<String>, uri: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            uri: uri.into(),
            caller: Arc::from(""),
            with_approval: false,
            asked: None,
        }
    }

    /// Asks the hub's [`Approval`](crate::Approval) first: for a URI that a model has chosen. A URI can be any, not only one
    /// that the server lists, and is sent to the server.
    pub fn with_approval(mut self) -> Self {
        self.with_approval = true;
        self
    }

    /// In the name of somebody.
    pub fn caller(mut self, caller: impl Into<Arc<str>>) -> Self {
        self.caller = caller.into();
        self
    }

    /// For a client that may be asked what the server wants to know meanwhile.
    pub(crate) fn asked(mut self, asked: Option<Caller>) -> Self {
        self.asked = asked;
        self
    }
}

/// A prompt that is wanted.
#[derive(Clone)]
#[non_exhaustive]
pub struct PromptRequest {
    /// The server, by the name under which it is configured.
    pub server: String,
    /// The prompt, as its server calls it; `-` and `_` need not be told apart where that is clear.
    pub prompt: String,
    /// The arguments.
    pub arguments: JsonObject,
    /// Who wants it, for the records of calls.
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
    /// A prompt without arguments.
    pub fn new(server: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            prompt: prompt.into(),
            arguments: JsonObject::new(),
            caller: Arc::from(""),
            asked: None,
        }
    }

    /// With these arguments.
    pub fn arguments(mut self, arguments: JsonObject) -> Self {
        self.arguments = arguments;
        self
    }

    /// In the name of somebody.
    pub fn caller(mut self, caller: impl Into<Arc<str>>) -> Self {
        self.caller = caller.into();
        self
    }

    /// For a client that may be asked what the server wants to know meanwhile.
    pub(crate) fn asked(mut self, asked: Option<Caller>) -> Self {
        self.asked = asked;
        self
    }
}
