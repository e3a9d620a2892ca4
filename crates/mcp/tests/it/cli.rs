//! The CLI's side of a session, with messages to MCP servers.

use std::time::Duration;

use agentwire_control::Responder;
use agentwire_mcp::{McpServers, McpService};
use serde_json::{Value, json};

#[path = "../../../hooks/tests/it/cli/session.rs"]
mod session;

pub(crate) use session::{Cli, within};

impl Cli {
    /// Starts a session with a long grace period: the bridge must end cancelled requests itself.
    pub(crate) async fn start(responder: impl Responder) -> Self {
        Self::with_grace(Duration::from_secs(3600), responder).await
    }

    /// Starts a session with the server `s`.
    pub(crate) async fn serving(server: impl McpService) -> Self {
        Self::start(McpServers::new().with("s", server).bridge()).await
    }

    /// Asserts that no received bytes from the host are left.
    pub(crate) fn nothing_more(&self) {
        assert_eq!(self.received.buffered(), 0);
    }

    /// Sends a JSON-RPC message to a server.
    pub(crate) async fn post(&self, id: &str, server: &str, message: Value) {
        self.ask(id, json!({"subtype": "mcp_message", "server_name": server, "message": message})).await;
    }

    /// Sends JSON-RPC messages to the server `s` in one write, so that nothing runs in between.
    pub(crate) async fn post_all(&self, messages: &[(&str, Value)]) {
        let line = |(id, message): &(&str, Value)| {
            let request = json!({"subtype": "mcp_message", "server_name": "s", "message": message});
            format!("{}\n", json!({"type": "control_request", "request_id": id, "request": request}))
        };
        let lines: String = messages.iter().map(line).collect();
        self.peer.write(lines.into_bytes()).await.unwrap();
    }

    /// Sends a JSON-RPC message to the server `s`, and returns its answer.
    pub(crate) async fn rpc(&mut self, message: Value) -> Value {
        self.post("one", "s", message).await;
        let (id, answer) = self.answer().await;
        assert_eq!(id, "one");
        answer.unwrap()["mcp_response"].take()
    }

    /// Calls a tool of the server `s`, and returns the result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.rpc(call(7, tool, arguments)).await;
        assert_eq!(answer["id"], 7, "{answer}");
        answer["result"].take()
    }

    /// Acknowledges the host's next line, a message of a server, and returns the message.
    pub(crate) async fn server_message(&mut self) -> Value {
        let mut line = self.line().await;
        assert_eq!(line["request"]["subtype"], "mcp_message", "{line}");
        self.reply(&line, json!({"subtype": "success"})).await;
        line["request"].take()
    }

    /// Answers a request of the host with this response, to which it adds the request's id.
    pub(crate) async fn reply(&self, request: &Value, mut response: Value) {
        response["request_id"] = request["request_id"].clone();
        self.send(json!({"type": "control_response", "response": response})).await;
    }
}

/// The input of a tool that needs none.
#[cfg(feature = "schemars")]
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct NoInput {}

/// A `tools/call`.
pub(crate) fn call(id: i64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {"claudecode/toolUseId": "toolu_1", "progressToken": 1}
    }})
}

/// The CLI's first message.
pub(crate) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2"}
    }})
}

/// A `notifications/cancelled` of a request.
pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}})
}
