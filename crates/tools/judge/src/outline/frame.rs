//! Describes a frame by the parts that are the same in every run.

use serde_json::Value;

use super::ids::Ids;
use crate::scenario::kind_of;

/// Describes the frame in words.
pub(super) fn describe(frame: &Value, ids: &Ids) -> String {
    let mut words = Words(vec![kind_of(frame)]);
    match frame["type"].as_str().unwrap_or_default() {
        "system" => {
            for field in ["state", "status", "permissionMode", "attempt", "level", "tag", "model"] {
                words.field(frame, field);
            }
        }
        "assistant" | "user" => words.content(&frame["message"]["content"], ids),
        "stream_event" => words.event(&frame["event"]),
        "result" => {
            for field in ["is_error", "terminal_reason", "num_turns", "api_error_status"] {
                words.field(frame, field);
            }
            let denials = frame["permission_denials"].as_array().map_or(0, Vec::len);
            words.push(format!("denials={denials}"));
        }
        "control_request" => words.request(&frame["request"], ids.name_of(&frame["request_id"]), ids),
        "control_response" => words.response(&frame["response"], ids),
        "control_cancel_request" => words.push(ids.name_of(&frame["request_id"]).to_owned()),
        _ => {}
    }
    words.0.join(" ")
}

struct Words(Vec<String>);

impl Words {
    fn push(&mut self, word: String) {
        self.0.push(word);
    }

    /// Adds `name=value` if the field exists.
    fn field(&mut self, of: &Value, name: &str) {
        match &of[name] {
            Value::Null => {}
            Value::String(text) => self.push(format!("{name}={text}")),
            value => self.push(format!("{name}={value}")),
        }
    }

    fn content(&mut self, content: &Value, ids: &Ids) {
        for block in content.as_array().into_iter().flatten() {
            self.push(block["type"].as_str().unwrap_or("no type").to_owned());
            match block["type"].as_str() {
                Some("tool_use") => {
                    self.field(block, "name");
                    self.push(ids.name_of(&block["id"]).to_owned());
                }
                Some("tool_result") => {
                    self.push(ids.name_of(&block["tool_use_id"]).to_owned());
                    if block["is_error"] == true {
                        self.push("error".to_owned());
                    }
                }
                _ => {}
            }
        }
        if content.is_string() {
            self.push("text".to_owned());
        }
    }

    fn event(&mut self, event: &Value) {
        self.push(kind_of(event));
        self.field(event, "index");
        for part in ["delta", "content_block"] {
            self.field(&event[part], "type");
        }
    }

    fn request(&mut self, request: &Value, id: &str, ids: &Ids) {
        self.push(id.to_owned());
        for field in ["subtype", "tool_name", "callback_id", "server_name", "mode", "model"] {
            self.field(request, field);
        }
        self.field(&request["message"], "method");
        self.field(&request["input"], "hook_event_name");
        if request["tool_use_id"].is_string() && request["subtype"] == "can_use_tool" {
            self.push(ids.name_of(&request["tool_use_id"]).to_owned());
        }
    }

    fn response(&mut self, response: &Value, ids: &Ids) {
        self.push(ids.name_of(&response["request_id"]).to_owned());
        for field in ["subtype", "error_code"] {
            self.field(response, field);
        }
        for field in ["behavior", "decision"] {
            self.field(&response["response"], field);
        }
        self.field(&response["response"]["hookSpecificOutput"], "permissionDecision");
        let reply = &response["response"]["mcp_response"];
        if reply["error"].is_object() || reply["result"]["isError"] == true {
            self.push("error".to_owned());
        }
    }
}
