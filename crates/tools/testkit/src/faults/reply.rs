//! The replies to the host's control requests, good and bad.

use serde_json::{Value, json};

use super::{Fault, session::Session, stop::Stop};

/// Replies that are held back.
#[derive(Debug, Default)]
pub(super) struct KeptBack {
    /// Held until enough of them are collected.
    collected: Vec<Value>,
    /// Held until their requests are cancelled.
    late: Vec<Value>,
}

impl Session {
    /// Answers a request of the host, according to the faults.
    pub(super) fn reply(&mut self, line: &Value) -> Result<(), Stop> {
        let (id, request) = (&line["request_id"], &line["request"]);
        let subtype = request["subtype"].as_str().unwrap_or_default();
        if subtype == "interrupt" {
            self.interrupted()?;
        }
        if self.plan.is_about(Fault::NoReply, subtype) {
            return Ok(());
        }
        let reply = match subtype {
            "cancel_async_message" if !self.plan.is_about(Fault::ErrorReply, subtype) => {
                let dropped = self.drop_prompt(request["message_uuid"].as_str().unwrap_or_default())?;
                success(id, Some(json!({"cancelled": dropped})))
            }
            _ => self.reply_to(id, request, subtype),
        };
        if self.plan.is_about(Fault::LateReply, subtype) {
            self.kept_back.late.push(reply);
            return Ok(());
        }
        match self.plan.number(Fault::ReverseReplies) {
            Some(enough) if subtype != "initialize" => {
                self.kept_back.collected.push(reply);
                if (self.kept_back.collected.len() as u64) < enough {
                    return Ok(());
                }
                while let Some(reply) = self.kept_back.collected.pop() {
                    self.send_reply(&reply)?;
                }
                Ok(())
            }
            _ => self.send_reply(&reply),
        }
    }

    /// Handles a cancellation by the host: sends the reply that was held back for it.
    pub(super) fn cancelled_by_host(&mut self, id: &Value) -> Result<(), Stop> {
        let late = std::mem::take(&mut self.kept_back.late);
        let (now, later) = late.into_iter().partition(|reply| reply["response"]["request_id"] == *id);
        self.kept_back.late = later;
        now.iter().try_for_each(|reply| self.send_reply(reply))
    }

    fn send_reply(&mut self, reply: &Value) -> Result<(), Stop> {
        if self.plan.has(Fault::StrayReply) {
            self.say(&success(&"nobody-gave-this".into(), Some(json!({}))))?;
        }
        if self.plan.has(Fault::HollowReply) {
            self.say(&json!({"type": "control_response"}))?;
        }
        self.say(reply)?;
        if self.plan.has(Fault::DoubleReply) {
            self.say(reply)?;
        }
        Ok(())
    }

    fn reply_to(&self, id: &Value, request: &Value, subtype: &str) -> Value {
        if self.plan.is_about(Fault::ErrorReply, subtype) {
            return failure(id, "refused by the fault CLI", "unsupported_request");
        }
        let response = match subtype {
            "initialize" => json!({
                "commands": [], "agents": [], "output_style": "default", "available_output_styles": [], "models": [],
                "account": {}, "pid": std::process::id(), "session_state": "idle", "current_permission_mode": "default",
            }),
            _ if self.plan.has(Fault::EmptyReply) => return success(id, None),
            "interrupt" => json!({"still_queued": self.queued()}),
            "set_model" => json!({"model": request["model"]}),
            "set_permission_mode" => json!({"mode": request["mode"]}),
            "mcp_status" => json!({"mcpServers": []}),
            "set_max_thinking_tokens"
            | "rename_session"
            | "mcp_toggle"
            | "mcp_reconnect"
            | "end_session"
            | "seed_read_state"
            | "apply_flag_settings"
            | "stop_task" => return success(id, None),
            _ => {
                let error = format!("Unsupported control request subtype: {subtype}");
                return failure(id, &error, "unsupported_request");
            }
        };
        success(id, Some(response))
    }
}

fn success(id: &Value, response: Option<Value>) -> Value {
    let mut reply = json!({"type": "control_response", "response": {"subtype": "success", "request_id": id}});
    if let Some(response) = response {
        reply["response"]["response"] = response;
    }
    reply
}

fn failure(id: &Value, error: &str, code: &str) -> Value {
    json!({"type": "control_response", "response": {
        "subtype": "error", "request_id": id, "error": error, "error_code": code,
    }})
}
