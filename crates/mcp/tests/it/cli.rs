//! The CLI's side of a session.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use agentwire_control::{Config, Connection, Control, Messages, Responder, connect};
use agentwire_transport::{MemoryPeer, Transport, memory};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::timeout};

pub(crate) struct Cli {
    pub(crate) peer: MemoryPeer,
    unread: Vec<u8>,
    lines: VecDeque<Value>,
    #[cfg_attr(not(feature = "schemars"), expect(dead_code, reason = "what is held keeps the session"))]
    pub(crate) control: Control,
    _messages: Messages,
    driver: JoinHandle<()>,
}

impl Cli {
    pub(crate) async fn start(responder: impl Responder) -> Self {
        let (transport, peer) = memory(1 << 16);
        let link = transport.open().await.unwrap();
        let mut settings = Config::default();
        // A long grace: the bridge must end cancelled requests itself.
        settings.callback_grace = Duration::from_secs(3600);
        let Connection { control, messages, driver } = connect(link, Arc::new(responder), settings);
        let driver = tokio::spawn(driver.run());
        Self { peer, unread: Vec::new(), lines: VecDeque::new(), control, _messages: messages, driver }
    }

    pub(crate) async fn send(&self, frame: Value) {
        self.peer.write(format!("{frame}\n").into_bytes()).await.unwrap();
    }

    pub(crate) async fn ask(&self, id: &str, request: Value) {
        self.send(json!({"type": "control_request", "request_id": id, "request": request})).await;
    }

    pub(crate) async fn cancel(&self, id: &str) {
        self.send(json!({"type": "control_cancel_request", "request_id": id})).await;
    }

    /// Returns the host's next line.
    pub(crate) async fn line(&mut self) -> Value {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return line;
            }
            let chunk = within(self.peer.read()).await.unwrap();
            self.unread.extend_from_slice(&chunk);
            while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                self.lines.push_back(serde_json::from_slice(&line).unwrap());
            }
        }
    }

    /// Asserts that no received bytes from the host are left.
    pub(crate) fn nothing_more(&mut self) {
        assert!(self.lines.is_empty() && self.unread.is_empty(), "{:?}", self.lines);
    }

    /// Returns the host's next answer: its id, and the response or the error's text.
    pub(crate) async fn answer(&mut self) -> (String, Result<Value, String>) {
        let line = self.line().await;
        assert_eq!(line["type"], "control_response", "{line}");
        let response = &line["response"];
        let id = response["request_id"].as_str().unwrap().to_owned();
        match response["subtype"].as_str() {
            Some("success") => (id, Ok(response["response"].clone())),
            _ => (id, Err(response["error"].as_str().unwrap().to_owned())),
        }
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
        self.send(json!({
            "type": "control_response", "response": {"subtype": "success", "request_id": line["request_id"]}
        }))
        .await;
        line["request"].take()
    }

    /// Ends the session, and returns the host's remaining lines.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        self.peer.close_output();
        within(self.driver).await.unwrap();
        while let Some(chunk) = self.peer.read().await {
            self.unread.extend_from_slice(&chunk);
        }
        let rest = self.unread.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        self.lines.extend(rest.map(|line| serde_json::from_slice(line).unwrap()));
        self.lines.into()
    }
}

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

/// Waits, and fails at the limit.
pub(crate) async fn within<T>(what: impl Future<Output = T>) -> T {
    timeout(LIMIT, what).await.expect("it does not come")
}

/// How long a test waits for something that must come.
const LIMIT: Duration = Duration::from_secs(10);
