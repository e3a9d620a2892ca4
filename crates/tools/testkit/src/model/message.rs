//! A reply as the Messages API spells it: blocks, the whole message, and failures.

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Value, json, value::RawValue};

use super::{
    progress::Ids,
    script::{Block, Reply, Usage},
};

/// A reply with values for everything that the script leaves open.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) id: String,
    pub(super) model: &'a str,
    pub(super) blocks: Vec<Piece<'a>>,
    pub(super) stop_reason: &'a str,
    pub(super) stop_details: Option<&'a RawValue>,
    pub(super) usage: Usage,
}

/// One content block, with its text as it is to be sent.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Piece<'a> {
    Text {
        text: String,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    ToolUse {
        id: String,
        name: &'a str,
        #[serde(serialize_with = "raw")]
        input: &'a str,
    },
}

impl<'a> Message<'a> {
    pub(super) fn new(reply: &'a Reply, ids: &Ids, model: &'a str) -> Self {
        let blocks: Vec<_> =
            reply.blocks.iter().enumerate().map(|(at, block)| piece(reply, ids, at, block)).collect();
        let calls = blocks.iter().any(|block| matches!(block, Piece::ToolUse { .. }));
        let usual = if calls { "tool_use" } else { "end_turn" };
        let stop_reason = reply.stop_reason.as_deref().unwrap_or(usual);
        let stop_details = reply.stop_details.as_deref();
        Self { id: ids.message(), model, blocks, stop_reason, stop_details, usage: reply.usage }
    }

    /// Returns the whole message, the answer to a request without a stream.
    pub(super) fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&WholeMessage {
            id: &self.id,
            r#type: "message",
            role: "assistant",
            model: self.model,
            content: &self.blocks,
            stop_reason: self.stop_reason,
            stop_sequence: None,
            stop_details: self.stop_details,
            usage: usage(&self.usage, self.usage.output_tokens),
        })
    }

    /// Returns the message of `message_start`, without content.
    pub(super) fn announcement(&self) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage(&self.usage, 1),
        })
    }
}

impl Piece<'_> {
    /// Returns the sum of the deltas of this block.
    pub(super) fn body(&self) -> &str {
        match self {
            Self::Text { text } => text,
            Self::Thinking { thinking, .. } => thinking,
            Self::ToolUse { input, .. } => input,
        }
    }
}

/// Returns the body of a failure.
pub(super) fn failure(status: u16, message: Option<&str>, request_id: &str) -> Vec<u8> {
    let message = message.map_or_else(|| format!("scripted failure {status}"), str::to_owned);
    let error = json!({"type": kind(status), "message": message});
    json!({"type": "error", "error": error, "request_id": request_id}).to_string().into_bytes()
}

pub(super) fn usage(usage: &Usage, output_tokens: u64) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "output_tokens": output_tokens,
    })
}

#[derive(Serialize)]
struct WholeMessage<'a> {
    id: &'a str,
    r#type: &'static str,
    role: &'static str,
    model: &'a str,
    content: &'a [Piece<'a>],
    stop_reason: &'a str,
    stop_sequence: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_details: Option<&'a RawValue>,
    usage: Value,
}

/// Writes JSON text as it is.
fn raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(json).map_err(S::Error::custom)?.serialize(serializer)
}

fn piece<'a>(reply: &'a Reply, ids: &Ids, position: usize, block: &'a Block) -> Piece<'a> {
    match block {
        Block::Text(text) => Piece::Text { text: text.repeat(reply.repeat_text.unwrap_or(1)) },
        Block::Thinking { thinking, signature } => Piece::Thinking { thinking, signature },
        Block::ToolUse(call) => Piece::ToolUse {
            id: call.id.clone().unwrap_or_else(|| ids.tool_call(position)),
            name: &call.name,
            input: call.input_json(),
        },
    }
}

fn kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        405..500 => "invalid_request_error",
        _ => "api_error",
    }
}
