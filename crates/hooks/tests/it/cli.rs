//! The CLI's side of a session, with requests for hooks.

use std::time::Duration;

use agentwire_control::Responder;
use agentwire_hooks::Hooks;
use serde_json::{Value, json};

mod session;

pub(crate) use session::{Cli, within};

impl Cli {
    pub(crate) async fn start(responder: impl Responder) -> Self {
        Self::with_grace(Duration::from_millis(20), responder).await
    }

    /// Sends a request and returns its answer.
    pub(crate) async fn exchange(&mut self, request: Value) -> Result<Value, String> {
        self.ask("one", request).await;
        let (id, answer) = self.answer().await;
        assert_eq!(id, "one");
        answer
    }
}

/// Returns the answer of the first registered hook to this input.
pub(crate) async fn answer(hooks: Hooks, input: Value) -> Result<Value, String> {
    Cli::start(hooks).await.exchange(callback("hook_0", input)).await
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
