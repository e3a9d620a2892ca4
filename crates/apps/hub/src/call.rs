//! Calls a tool of a server: checked, approved, bounded and recorded.

mod exchange;
mod place;
mod request;
mod rounds;

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::outcome::CallLimits;
use crate::{
    Progress,
    approval::Approval,
    audit::Audit,
    client::Caller,
    handlers::{ClientRoots, Feed, LogMessage, Update},
};
pub(crate) use place::Place;
pub use request::{PromptRequest, ReadRequest};

/// A call of a tool.
#[non_exhaustive]
pub struct CallRequest {
    /// The server, by the name under which it is configured.
    pub server: String,
    /// The tool, as its server calls it; `-` and `_` need not be told apart where that is clear.
    pub tool: String,
    /// The arguments: an object; `null` stands for an empty one.
    pub arguments: Value,
    /// Who calls, for the questions to the user and the records of calls.
    pub caller: Arc<str>,
    pub(crate) asked: Option<Caller>,
    pub(crate) on_progress: Option<OnProgress>,
}

pub(crate) type OnProgress = Box<dyn FnMut(Progress) + Send>;

impl CallRequest {
    /// A call without arguments.
    pub fn new(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            arguments: Value::Null,
            caller: Arc::from(""),
            asked: None,
            on_progress: None,
        }
    }

    /// With these arguments.
    pub fn arguments(mut self, arguments: impl Into<Value>) -> Self {
        self.arguments = arguments.into();
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

    /// Hears how far the call has come, in order, and all of it before the outcome. It must not block.
    ///
    /// Progress that comes faster than the future of the call is polled is lost after 1,024 of them.
    pub fn on_progress(mut self, hear: impl FnMut(Progress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(hear));
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

/// Who hears of a request while it is under way.
#[derive(Default)]
pub(crate) struct Ears {
    /// Who is asked what the server wants to know.
    pub(crate) asked: Option<Caller>,
    pub(crate) on_progress: Option<OnProgress>,
}

/// How a hub treats calls.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) approval: Approval,
    pub(crate) audit: Option<Audit>,
    pub(crate) limits: CallLimits,
    /// Whether questions of servers go to who calls them.
    pub(crate) asks_callers: bool,
    /// What servers log.
    pub(crate) logs: Feed<LogMessage>,
    /// The resources of servers that change.
    pub(crate) updates: Feed<Update>,
    /// The roots of clients of gateways.
    pub(crate) roots: ClientRoots,
}
