//! Talk of voice calls, which the CLI stores as system entries (`voice_call_talk`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use agentwire_protocol::RawJson;
use serde::Serialize;
use serde_json::Value;

use crate::RawEntry;

/// Returns the entries, with each entry of talk converted to the message or queued prompt in it.
pub(super) fn as_messages(entries: &[RawEntry]) -> Cow<'_, [RawEntry]> {
    let is_talk = |entry: &RawEntry| entry.kind() == "system" && entry.as_str().contains(TALK);
    if !entries.iter().any(is_talk) {
        return Cow::Borrowed(entries);
    }
    let message = |entry: &RawEntry| is_talk(entry).then(|| message(entry)).flatten();
    Cow::Owned(entries.iter().map(|entry| message(entry).unwrap_or_else(|| entry.clone())).collect())
}

/// Returns the message in an entry with talk; `None` for another entry, or one that is damaged.
fn message(entry: &RawEntry) -> Option<RawEntry> {
    let mut fields: Map = entry.decode().ok()?;
    let [subtype, content, blocks, fold, _, _] =
        ["subtype", "content", "blocks", "fold", "level", "msgV"].map(|name| fields.remove(name));
    let content = content.filter(|content| content.as_str().starts_with('"'))?;
    let content = blocks.filter(|blocks| blocks.as_str().starts_with('[')).unwrap_or(content);
    let by_voice = fields.get("origin")?.decode::<Value>().ok()?["kind"] == "voice-call";
    if !by_voice || subtype?.decode::<String>().ok()? != TALK {
        return None;
    }
    if let Some(fold) = fold {
        // A turn took it from the queue.
        let mut fold: Map = fold.decode().ok()?;
        let mut attachment: Map = fold.remove("command")?.decode().ok()?;
        fields.remove("isMeta");
        attachment.extend([field("type", "queued_command")?, ("prompt".to_owned(), content)]);
        attachment.extend(fields.remove_entry("origin"));
        fold.extend(fields);
        fields = fold;
        fields.extend([field("type", "attachment")?, field("attachment", &attachment)?]);
    } else {
        let message: Map = [field("role", "user")?, ("content".to_owned(), content)].into();
        fields.extend([field("type", "user")?, field("message", &message)?]);
    }
    RawEntry::from_json(RawJson::encode(&fields).ok()?).ok()
}

fn field<T: Serialize + ?Sized>(name: &str, value: &T) -> Option<(String, RawJson)> {
    Some((name.to_owned(), RawJson::encode(value).ok()?))
}

type Map = BTreeMap<String, RawJson>;

/// The `subtype` of such an entry; its `fold` has the prompt that a turn took from the queue.
pub(crate) const TALK: &str = "voice_call_talk";
