//! The prompts of an entry.

use agentwire_protocol::RawJson;

use crate::RawEntry;
use crate::entry::last;
use crate::info::{Prompt, prompt_text};

/// Returns the prompts in a user entry; none if it contains tool results.
pub(super) fn prompts(entry: &RawEntry) -> Vec<Prompt> {
    texts(entry).iter().map(|text| prompt_text(text)).collect()
}

fn texts(entry: &RawEntry) -> Vec<String> {
    let Some([Some(message)]) = last(entry.as_json(), ["message"]) else { return Vec::new() };
    let Some([Some(content)]) = last(&message, ["content"]) else { return Vec::new() };
    if let Ok(text) = content.decode() {
        return vec![text];
    }
    let blocks: Vec<RawJson> = content.decode().unwrap_or_default();
    let blocks = blocks.iter().filter_map(|block| last(block, ["type", "text"]));
    let blocks: Vec<_> = blocks.map(|fields| fields.map(|field| field?.decode::<String>().ok())).collect();
    if blocks.iter().any(|[kind, _]| kind.as_deref() == Some("tool_result")) {
        return Vec::new();
    }
    blocks
        .into_iter()
        .filter(|[kind, _]| kind.as_deref() == Some("text"))
        .filter_map(|[_, text]| text)
        .collect()
}
