//! Requests to servers and their limits.

mod exchange;
mod target;

use std::{fmt, sync::Arc};

use rmcp::model::{JsonObject, RequestMetaObject};
use serde_json::Value;

use crate::outcome::CallLimits;
use crate::{Progress, approval::Approval, audit::Audit, client::Caller};
pub(crate) use target::Target;

/// A tool call.
#[non_exhaustive]
pub struct CallRequest {
    /// The name of the server in the configuration.
    pub server: String,
    /// The server's name for the tool. `-` and `_` are interchangeable where the name stays unique.
    pub tool: String,
    /// The arguments: an object, or `null` for an empty object.
    pub arguments: Value,
    /// The caller, for approval and records of calls.
    pub caller: Arc<str>,
    pub(crate) on_progress: Option<OnProgress>,
}

pub(crate) type OnProgress = Box<dyn FnMut(Progress) + Send>;

impl CallRequest {
    /// Creates a call without arguments.
    pub fn new(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            arguments: Value::Null,
            caller: Arc::from(""),
            on_progress: None,
        }
    }

    /// Sets the arguments.
    pub fn arguments(mut self, arguments: impl Into<Value>) -> Self {
        self.arguments = arguments.into();
        self
    }

    /// Sets the caller.
    pub fn caller(mut self, caller: impl Into<Arc<str>>) -> Self {
        self.caller = caller.into();
        self
    }

    /// Sets a callback for progress. It gets all progress in order and before the outcome. It must not block.
    ///
    /// If the call's future is not polled, progress beyond 1,024 notifications is lost.
    pub fn on_progress(mut self, callback: impl FnMut(Progress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(callback));
        self
    }
}

// Arguments may be secrets.
impl fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRequest")
            .field("server", &self.server)
            .field("tool", &self.tool)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

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
}

impl ReadRequest {
    /// Creates a request.
    pub fn new(server: impl Into<String>, uri: impl Into<String>) -> Self {
        Self { server: server.into(), uri: uri.into(), caller: Arc::from(""), with_approval: false }
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
}

/// The part that a client of the hub has in a request: its metadata, and the receivers of questions and progress.
#[derive(Default)]
pub(crate) struct ClientSide {
    /// The client of a gateway that answers questions of the server.
    pub(crate) gateway_client: Option<Caller>,
    pub(crate) on_progress: Option<OnProgress>,
    /// Sent with the request, such as the context of a trace.
    pub(crate) meta: RequestMetaObject,
}

/// The settings of a hub for calls.
#[derive(Debug, Default)]
pub(crate) struct CallSettings {
    pub(crate) approval: Approval,
    pub(crate) audit: Option<Audit>,
    pub(crate) limits: CallLimits,
}
