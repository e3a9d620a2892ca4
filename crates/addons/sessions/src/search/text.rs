//! The searchable texts of an entry.

use agentwire_protocol::decode::decode;
use agentwire_protocol::session_info::SessionMessageKind;
use agentwire_protocol::{RawJson, Uuid};
use serde_json::Value;

use super::HitPart;
use crate::entry::last;
use crate::read::{TALK, is_sent};

/// An entry with a message.
pub(super) struct SearchableEntry {
    pub(super) uuid: Option<Uuid>,
    pub(super) role: SessionMessageKind,
    content: RawJson,
}

impl SearchableEntry {
    /// Returns `None` for a line without a message, or an incomplete one.
    ///
    /// Invalid UTF-8 is replaced by U+FFFD.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let entry: RawJson = decode(&String::from_utf8_lossy(line)).ok()?;
        let [kind, uuid, meta, origin, message, attachment] =
            last(&entry, ["type", "uuid", "isMeta", "origin", "message", "attachment"])?;
        let kind: String = kind?.decode().ok()?;
        let (meta, origin, content) = match kind.as_str() {
            "user" | "assistant" => {
                let [content] = last(&message?, ["content"])?;
                (meta, origin, content?)
            }
            "attachment" => {
                let [kind, meta, origin, prompt] =
                    last(&attachment?, ["type", "isMeta", "origin", "prompt"])?;
                let is_prompt = kind.is_some_and(|kind| kind.as_str() == "\"queued_command\"");
                (meta, origin, prompt.filter(|_| is_prompt)?)
            }
            "system" => {
                let [kind, content, blocks] = last(&entry, ["subtype", "content", "blocks"])?;
                let is_talk = kind.is_some_and(|kind| kind.as_str().trim_matches('"') == TALK);
                let blocks = blocks.filter(|blocks| blocks.as_str().starts_with('['));
                (None, None, blocks.or(content).filter(|_| is_talk)?)
            }
            _ => return None,
        };
        let sent = || origin.and_then(|origin| origin.decode().ok()).is_some_and(|origin| is_sent(&origin));
        // The CLI generated this message.
        if meta.is_some_and(|meta| meta.as_str() == "true") && !sent() {
            return None;
        }
        let role = if kind == "assistant" { SessionMessageKind::Assistant } else { SessionMessageKind::User };
        Some(Self { uuid: uuid.and_then(|uuid| uuid.decode().ok()), role, content })
    }

    /// Calls `give` with each text, in order; blocks that are nested too deeply are skipped.
    pub(super) fn texts(&self, give: &mut impl FnMut(HitPart, &str)) {
        if let Ok(text) = self.content.decode::<String>() {
            return give(HitPart::Text, &text);
        }
        for block in self.content.decode::<Vec<RawJson>>().unwrap_or_default() {
            if let Ok(block) = block.decode() {
                of_block(&block, give);
            }
        }
    }
}

fn of_block(block: &Value, give: &mut impl FnMut(HitPart, &str)) {
    let mut give_text = |part, name: &str| {
        if let Some(text) = block[name].as_str() {
            give(part, text);
        }
    };
    match block["type"].as_str().unwrap_or_default() {
        "text" => give_text(HitPart::Text, "text"),
        "thinking" => give_text(HitPart::Thinking, "thinking"),
        kind if kind.ends_with("tool_use") => {
            of_value(&block["input"], &[], &mut |text| give(HitPart::ToolInput, text));
        }
        kind if kind.ends_with("tool_result") => {
            of_value(&block["content"], &NOT_TEXT, &mut |text| give(HitPart::ToolResult, text));
        }
        _ => {}
    }
}

/// Calls `give` with the strings in a value, except in fields with these names.
///
/// The decoder limits the depth, so recursion is safe.
fn of_value(value: &Value, without: &[&str], give: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => give(text),
        Value::Array(values) => values.iter().for_each(|value| of_value(value, without, give)),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| !without.contains(&name.as_str()));
            fields.for_each(|(_, value)| of_value(value, without, give));
        }
        _ => {}
    }
}

/// Fields of blocks in a result that contain no text for a reader.
const NOT_TEXT: [&str; 8] =
    ["type", "data", "media_type", "id", "tool_use_id", "signature", "encrypted_content", "cache_control"];
