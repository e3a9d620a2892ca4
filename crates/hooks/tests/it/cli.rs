//! Plays the CLI's side of a session.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use agentwire_control::{Config, Connection, Control, Messages, Responder, connect};
use agentwire_transport::{MemoryPeer, Transport, memory};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::timeout};

pub(crate) struct Cli {
    pub(crate) peer: MemoryPeer,
    unread: Vec<u8>,
    lines: VecDeque<Value>,
    _control: Control,
    _messages: Messages,
    driver: JoinHandle<()>,
}

impl Cli {
    pub(crate) async fn start(responder: impl Responder) -> Self {
        let (transport, peer) = memory(1 << 16);
        let link = transport.open().await.unwrap();
        let mut settings = Config::default();
        settings.callback_grace = Duration::from_millis(20);
        let Connection { control, messages, driver } = connect(link, Arc::new(responder), settings);
        let driver = tokio::spawn(driver.run());
        Self {
            peer,
            unread: Vec::new(),
            lines: VecDeque::new(),
            _control: control,
            _messages: messages,
            driver,
        }
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

    /// Sends a request and returns its answer.
    pub(crate) async fn exchange(&mut self, request: Value) -> Result<Value, String> {
        self.ask("one", request).await;
        let (id, answer) = self.answer().await;
        assert_eq!(id, "one");
        answer
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

/// A `hook_callback`.
pub(crate) fn callback(id: &str, input: Value) -> Value {
    json!({"subtype": "hook_callback", "callback_id": id, "input": input, "tool_use_id": "toolu_1"})
}

/// The input of `PreToolUse`.
pub(crate) fn pre_tool_use(tool: &str) -> Value {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/w",
        "permission_mode": "default", "tool_name": tool, "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
        "new_field": 1
    })
}

/// The input of `PostToolUse`.
pub(crate) fn post_tool_use() -> Value {
    json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "tool_name": "Read", "tool_input": {},
        "tool_response": [1], "tool_use_id": "toolu_1"
    })
}

/// Waits, and fails at the limit.
pub(crate) async fn within<T>(what: impl Future<Output = T>) -> T {
    timeout(LIMIT, what).await.expect("it does not come")
}

/// The limit of a test's waits.
const LIMIT: Duration = Duration::from_secs(60);
