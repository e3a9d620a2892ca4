//! A server with answers from a closure.

use std::sync::Arc;

use agentwire_mcp::{McpService, Outbox, ResponseFuture, ServerInstance};
use agentwire_protocol::RawJson;
use serde_json::{Value, json};

/// A server with answers from a closure.
#[derive(Clone)]
pub(crate) struct Played(Arc<Play>);

type Play = dyn Fn(&Value, Outbox) -> Answer + Send + Sync;

/// The answer to a message.
pub(crate) enum Answer {
    /// This result, if the message is a request.
    Result(Value),
    /// This error, if the message is a request.
    Error(Value),
    /// This response, later.
    Later(ResponseFuture),
}

impl Played {
    pub(crate) fn new(play: impl Fn(&Value, Outbox) -> Answer + Send + Sync + 'static) -> Self {
        Self(Arc::new(play))
    }
}

struct Opened(Played, Outbox);

impl McpService for Played {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        Box::new(Opened(self.clone(), outbox))
    }
}

impl ServerInstance for Opened {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        let message: Value = message.decode().unwrap();
        let (field, value) = match (self.0.0)(&message, self.1.clone()) {
            Answer::Later(handling) => return handling,
            Answer::Result(result) => ("result", result),
            Answer::Error(error) => ("error", error),
        };
        let respond = |id| RawJson::encode(&json!({"jsonrpc": "2.0", "id": id, field: value})).unwrap();
        let response = message.get("id").map(respond);
        Box::pin(async { response })
    }
}

/// The `initialize` result of a server with tools.
pub(crate) fn hello() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}})
}
