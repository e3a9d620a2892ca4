//! What an entry tells of an answer of the model.

use std::hash::{DefaultHasher, Hash, Hasher};

use agentwire_protocol::RawJson;
use agentwire_protocol::decode::decode;
use serde::Deserialize;
use serde_json::Value;

use super::Tokens;
use super::price::FAST;
use crate::time::parse_ms;

/// What one entry of an answer tells.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    /// A hash of what tells it from others; `None` where nothing does.
    pub(super) id: Option<u64>,
    /// In milliseconds since 1970.
    pub(super) time: Option<u64>,
    /// The model's tokens first, then those of models that had a part in it.
    pub(super) parts: Vec<(Box<str>, Tokens)>,
    /// What the entry itself says that it cost.
    pub(super) cost_usd: Option<f64>,
}

impl Answer {
    /// `None` for a line that is no entry of an answer, or tells no tokens.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        // Most of a session's bytes are others.
        memchr::memmem::find(line, b"usage")?;
        let entry: Line = decode(&String::from_utf8_lossy(line)).ok()?;
        if entry.kind.is_none_or(|kind| kind.as_str() != "\"assistant\"") {
            return None;
        }
        let message: Message = entry.message?.decode().ok()?;
        let usage = message.usage.filter(|usage| usage.as_str().len() <= MAX_USAGE)?;
        let usage: Value = usage.decode().ok().filter(Value::is_object)?;
        // What the CLI says in the model's place has no model.
        let model = text(message.model).unwrap_or_default();
        if model == SYNTHETIC {
            return None;
        }
        let model = &*model;
        let fast = if usage["speed"] == "fast" { FAST } else { "" };
        let mut parts = vec![(format!("{model}{fast}").into(), tokens(&usage))];
        for step in usage["iterations"].as_array().into_iter().flatten() {
            // Others are in the sum already.
            if ["compaction", "advisor_message"].iter().any(|kind| step["type"] == *kind) {
                parts.push((step["model"].as_str().unwrap_or(model).into(), tokens(step)));
            }
        }
        let ids = [("message", message.id), ("request", entry.request), ("entry", entry.uuid)];
        let id =
            ids.into_iter().find_map(|(kind, id)| Some(hash((kind, &text(id).filter(|id| !id.is_empty())?))));
        Some(Self {
            id,
            time: text(entry.timestamp).as_deref().and_then(parse_ms),
            parts,
            cost_usd: entry.cost.and_then(|cost| cost.decode().ok()).filter(|cost: &f64| *cost > 0.0),
        })
    }
}

/// What of an entry is looked at; the rest is skipped, and may be whatever a model made up.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: Option<RawJson>,
    uuid: Option<RawJson>,
    timestamp: Option<RawJson>,
    #[serde(rename = "requestId")]
    request: Option<RawJson>,
    #[serde(rename = "costUSD")]
    cost: Option<RawJson>,
    message: Option<RawJson>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<RawJson>,
    model: Option<RawJson>,
    usage: Option<RawJson>,
}

/// The text; a long one is none of a model's or an id's.
fn text(raw: Option<RawJson>) -> Option<String> {
    raw.filter(|raw| raw.as_str().len() <= MAX_TEXT)?.decode().ok()
}

/// The session, as a hash, and what the CLI itself counts that it has cost until then, where the line tells that.
pub(super) fn told(line: &[u8]) -> Option<(u64, f64)> {
    memchr::memmem::find(line, b"\"cost-state\"")?;
    let entry: Value = decode(&String::from_utf8_lossy(line)).ok()?;
    let session = ("session", entry["sessionId"].as_str()?);
    (entry["type"] == "cost-state").then(|| Some((hash(session), entry["totalCostUSD"].as_f64()?)))?
}

/// The tokens of an answer or a step of one; what is no count is none.
fn tokens(usage: &Value) -> Tokens {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let written = count(&usage["cache_creation_input_tokens"]);
    let for_an_hour = count(&usage["cache_creation"]["ephemeral_1h_input_tokens"]);
    let for_minutes = count(&usage["cache_creation"]["ephemeral_5m_input_tokens"]);
    Tokens {
        input: count(&usage["input_tokens"]),
        output: count(&usage["output_tokens"]),
        cache_read: count(&usage["cache_read_input_tokens"]),
        cache_write: written.saturating_sub(for_an_hour).max(for_minutes),
        cache_write_1h: for_an_hour,
        web_searches: count(&usage["server_tool_use"]["web_search_requests"]),
    }
}

fn hash(id: (&str, &str)) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// The longest usage that is read, in bytes: it has some ten numbers, and as many for each step.
const MAX_USAGE: usize = 64 * 1024;

/// The longest id, time or name of a model, in bytes.
const MAX_TEXT: usize = 512;

/// The model of what the CLI says itself, such as that a request failed.
const SYNTHETIC: &str = "<synthetic>";
