//! The frames of a session, in the shapes of the wire.

use serde_json::{Value, json};

/// Builds frames, each with its own `uuid`, and with the ids of the prompts that its turn answers.
#[derive(Debug, Default)]
pub(super) struct Frames {
    count: u64,
    /// The prompts of the running turn, if the host gave them ids.
    pub(super) prompts: Vec<String>,
}

impl Frames {
    /// Returns the next number.
    pub(super) fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// Works like [`stamp`](Self::stamp), for frames with the prompts of their turn.
    fn stamp_of_turn(&mut self, mut frame: Value) -> Value {
        if let Some(last) = self.prompts.last() {
            frame["user_message_uuids"] = json!(self.prompts);
            if frame["type"] != "system" {
                frame["user_message_uuid"] = json!(last);
            }
        }
        self.stamp(frame)
    }

    /// Returns the frame with the state of a prompt.
    pub(super) fn lifecycle(&mut self, prompt: &str, state: &str) -> Value {
        self.stamp(json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state}))
    }

    fn stamp(&mut self, mut frame: Value) -> Value {
        frame["session_id"] = SESSION.into();
        frame["uuid"] = format!("00000000-0000-4000-8000-{:012x}", self.next()).into();
        frame
    }

    pub(super) fn init(&mut self) -> Value {
        self.stamp_of_turn(json!({
            "type": "system", "subtype": "init", "cwd": "/", "tools": ["Bash"], "mcp_servers": [],
            "model": "fault-model", "permissionMode": "default", "slash_commands": [], "apiKeySource": "none",
            "claude_code_version": "2.1.330", "output_style": "default", "agents": [], "skills": [], "plugins": [],
        }))
    }

    pub(super) fn state(&mut self, state: &str) -> Value {
        self.stamp(json!({
            "type": "system", "subtype": "session_state_changed", "state": state, "sdk_host_only": true,
        }))
    }

    pub(super) fn system(&mut self, subtype: &str) -> Value {
        self.stamp(json!({"type": "system", "subtype": subtype}))
    }

    pub(super) fn assistant(&mut self, content: Value) -> Value {
        self.stamp_of_turn(json!({"type": "assistant", "parent_tool_use_id": null, "message": {
            "id": "msg_fault", "type": "message", "role": "assistant", "model": "fault-model", "content": content,
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
        }}))
    }

    pub(super) fn text(&mut self, text: &str) -> Value {
        self.assistant(json!([{"type": "text", "text": text}]))
    }

    pub(super) fn stream_event(&mut self, event: Value) -> Value {
        self.stamp_of_turn(json!({"type": "stream_event", "parent_tool_use_id": null, "event": event}))
    }

    pub(super) fn tool_result(&mut self, text: &str, is_error: bool) -> Value {
        self.stamp(
            json!({"type": "user", "parent_tool_use_id": null, "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": TOOL_USE, "content": text, "is_error": is_error},
            ]}}),
        )
    }

    /// Returns the result of a turn with these changes. As with the real CLI, `type` is not the first field.
    pub(super) fn result(&mut self, change: Value) -> String {
        let mut frame = json!({
            "subtype": "success", "is_error": false, "result": "hello", "terminal_reason": "completed",
            "num_turns": 1, "stop_reason": "end_turn", "total_cost_usd": 0.0, "permission_denials": [],
            "usage": {"input_tokens": 1, "output_tokens": 1}, "modelUsage": {},
        });
        if let (Some(frame), Value::Object(change)) = (frame.as_object_mut(), change) {
            frame.extend(change);
        }
        let mut frame = self.stamp_of_turn(frame);
        // Written below instead, as the second field.
        if let Some(fields) = frame.as_object_mut() {
            fields.remove("type");
        }
        let frame = frame.to_string();
        format!(r#"{{"duration_api_ms":1,"type":"result","duration_ms":2,{}"#, &frame[1..])
    }
}

/// Returns a message of an unknown kind with the host's answer to a request.
pub(super) fn report(id: &str, answer: &Value) -> Value {
    json!({"type": "fault_report", "request_id": id, "answer": answer})
}

/// Returns a message of unknown kind that echoes an answer to no open request.
pub(super) fn stray(answer: &Value) -> Value {
    json!({"type": "fault_report", "stray": answer})
}

/// Returns the input of the tool that the model uses.
pub(super) fn tool_input() -> Value {
    json!({"command": "rm a", "description": "Remove a"})
}

/// The session's id.
pub(super) const SESSION: &str = "00000000-0000-4000-8000-00000000fa17";
/// The id of the tool use.
pub(super) const TOOL_USE: &str = "toolu_fault";
