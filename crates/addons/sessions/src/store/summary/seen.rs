//! The fields of an entry that affect a summary; fields of an unexpected type are ignored.

use std::fmt;

use agentwire_protocol::RawJson;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::RawEntry;
use crate::info::{Prompt, prompt_text};

/// The small fields.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) timestamp: Option<String>,
    pub(super) is_sidechain: bool,
    /// Whether the CLI generated the message or it is the summary of a compaction.
    pub(super) is_meta: bool,
    pub(super) cwd: Option<String>,
    pub(super) custom_title: Option<String>,
    pub(super) ai_title: Option<String>,
    pub(super) last_prompt: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) archived: Option<bool>,
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SeenVisitor)
    }
}

struct SeenVisitor;

impl<'de> Visitor<'de> for SeenVisitor {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Seen, A::Error> {
        let mut seen = Seen::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "timestamp" => seen.timestamp = read(&map.next_value()?),
                "isSidechain" => seen.is_sidechain = read(&map.next_value()?) == Some(true),
                "isMeta" | "isCompactSummary" => seen.is_meta |= read(&map.next_value()?) == Some(true),
                "cwd" => seen.cwd = read(&map.next_value()?),
                "customTitle" => seen.custom_title = read(&map.next_value()?),
                "aiTitle" => seen.ai_title = read(&map.next_value()?),
                "lastPrompt" => seen.last_prompt = read(&map.next_value()?),
                "summary" => seen.summary = read(&map.next_value()?),
                "gitBranch" => seen.git_branch = read(&map.next_value()?),
                "tag" => seen.tag = read(&map.next_value()?),
                "archived" => seen.archived = read(&map.next_value()?),
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(seen)
    }
}

/// Returns the prompts in a user entry; none if it contains tool results.
pub(super) fn prompts(entry: &RawEntry) -> Vec<Prompt> {
    texts(entry).iter().map(|text| prompt_text(text)).collect()
}

fn texts(entry: &RawEntry) -> Vec<String> {
    let Ok(Outer { message: Some(message) }) = entry.decode() else { return Vec::new() };
    let Some(Message { content: Some(content) }) = read(&message) else { return Vec::new() };
    if let Some(text) = read::<String>(&content) {
        return vec![text];
    }
    let blocks: Vec<RawJson> = read(&content).unwrap_or_default();
    let blocks: Vec<Block> = blocks.iter().filter_map(read).collect();
    let is =
        |block: &Block, kind: &str| block.kind.as_ref().and_then(read::<String>).as_deref() == Some(kind);
    if blocks.iter().any(|block| is(block, "tool_result")) {
        return Vec::new();
    }
    blocks.iter().filter(|block| is(block, "text")).filter_map(|block| read(block.text.as_ref()?)).collect()
}

fn read<T: DeserializeOwned>(value: &RawJson) -> Option<T> {
    value.decode().ok()
}

#[derive(Deserialize)]
struct Outer {
    message: Option<RawJson>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<RawJson>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: Option<RawJson>,
    text: Option<RawJson>,
}
