//! The usage that an entry of the model's answer records.

use std::hash::{DefaultHasher, Hash, Hasher};

use agentwire_protocol::RawJson;
use agentwire_protocol::decode::decode;
use serde_json::Value;

use super::Tokens;
use super::price::FAST;
use crate::entry::last;
use crate::time::parse_ms;

/// The usage in one entry of an answer.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    /// A hash that identifies the answer; `None` if it has no id.
    pub(super) id: Option<u64>,
    /// In milliseconds since the Unix epoch.
    pub(super) time: Option<u64>,
    /// The model's own tokens, then those of other models that took part.
    pub(super) parts: Vec<(Box<str>, Tokens)>,
    /// The cost that the entry itself records.
    pub(super) cost_usd: Option<f64>,
}

impl Answer {
    /// Returns `None` unless the line is an entry of an answer with token counts.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        // Skips most lines without decoding them.
        memchr::memmem::find(line, b"usage")?;
        let entry: RawJson = decode(&String::from_utf8_lossy(line)).ok()?;
        // The fields stay undecoded at first, because a model may have produced any content.
        let [kind, uuid, timestamp, request, cost, message] =
            last(&entry, ["type", "uuid", "timestamp", "requestId", "costUSD", "message"])?;
        if kind.is_none_or(|kind| kind.as_str() != "\"assistant\"") {
            return None;
        }
        let [id, model, usage] = last(&message?, ["id", "model", "usage"])?;
        let usage = usage.filter(|usage| usage.as_str().len() <= MAX_USAGE)?;
        let usage: Value = usage.decode().ok().filter(Value::is_object)?;
        // Messages that the CLI generates in the model's place have no real model.
        let model = text(model).unwrap_or_default();
        if model == SYNTHETIC {
            return None;
        }
        let model = &*model;
        let fast = if usage["speed"] == "fast" { FAST } else { "" };
        let mut parts = vec![(format!("{model}{fast}").into(), tokens(&usage))];
        for step in usage["iterations"].as_array().into_iter().flatten() {
            // Other steps are included in the sum.
            if ["compaction", "advisor_message"].iter().any(|kind| step["type"] == *kind) {
                parts.push((step["model"].as_str().unwrap_or(model).into(), tokens(step)));
            }
        }
        let ids = [("message", id), ("request", request), ("entry", uuid)];
        let id =
            ids.into_iter().find_map(|(kind, id)| Some(hash((kind, &text(id).filter(|id| !id.is_empty())?))));
        Some(Self {
            id,
            time: text(timestamp).as_deref().and_then(parse_ms),
            parts,
            cost_usd: cost.and_then(|cost| cost.decode().ok()).filter(|cost: &f64| *cost > 0.0),
        })
    }
}

/// Decodes a string, unless it is too long for a model name or an id.
fn text(raw: Option<RawJson>) -> Option<String> {
    raw.filter(|raw| raw.as_str().len() <= MAX_TEXT)?.decode().ok()
}

/// Returns a hash of the session and the cost that the CLI recorded for it, if the line is a `cost-state`.
pub(super) fn recorded_cost(line: &[u8]) -> Option<(u64, f64)> {
    memchr::memmem::find(line, b"\"cost-state\"")?;
    let entry: Value = decode(&String::from_utf8_lossy(line)).ok()?;
    let session = ("session", entry["sessionId"].as_str()?);
    (entry["type"] == "cost-state").then(|| Some((hash(session), entry["totalCostUSD"].as_f64()?)))?
}

/// Returns the tokens of an answer or a step; invalid counts are 0.
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

/// The longest usage object that is read, in bytes: it has some ten numbers, and as many for each step.
const MAX_USAGE: usize = 64 * 1024;

/// The longest id, time or name of a model, in bytes.
const MAX_TEXT: usize = 512;

/// The model of messages that the CLI generates itself, such as for a failed request.
const SYNTHETIC: &str = "<synthetic>";
