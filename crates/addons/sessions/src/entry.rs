//! Entries of stored sessions: raw, and typed by kind.

mod attachment;
mod context;
mod files;
mod last;
mod message;
mod names;
mod relations;
mod running;
mod system;
mod typed;
mod union;

use std::collections::BTreeMap;
use std::fmt;

use agentwire_protocol::{DecodeError, RawJson, Uuid};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use attachment::{
    Attachment, AttachmentEntry, GoalStatus, HookAdditionalContext, HookBlockingError, HookRun, QueuedCommand,
};
pub use context::{EntryContext, ForkedFrom};
pub use files::{FileHistoryDelta, FileHistorySnapshot, WorktreeState};
pub(crate) use last::last;
pub use message::{AssistantEntry, ContentReplacement, UserEntry};
pub use names::{
    AgentColor, AgentName, AgentSetting, AiTitle, CustomTitle, LastPrompt, Mode, PermissionModeEntry,
    Summary, TagEntry,
};
pub use relations::{ContinuedIn, DerivedFrom, EndedByModel, FrameLink, PrLink, Relocated};
pub use running::{CostState, Progress, QueueOperation, ToolsUsed};
pub use system::{
    ApiError, CompactBoundary, CompactMetadata, Informational, LocalCommand, ModelFallback, ModelRefusal,
    PreservedMessages, PreservedSegment, StopHookSummary, SystemEntry,
};
pub use typed::Entry;

/// One line of a stored session: a JSON object with its exact text.
///
/// The text of every kind of entry is preserved.
/// Two entries are equal if their texts are.
/// `Debug` writes the whole text.
#[derive(Clone, PartialEq, Eq)]
pub struct RawEntry {
    text: RawJson,
    kind: Box<str>,
    uuid: Option<Uuid>,
}

impl RawEntry {
    /// Parses one JSON object.
    /// Line breaks between its parts become spaces, so that it fits on one line.
    ///
    /// # Errors
    ///
    /// If the text is not exactly one JSON object.
    pub fn parse(text: impl Into<String>) -> Result<Self, DecodeError> {
        let text: String = text.into();
        Self::from_json(agentwire_protocol::decode::decode(&text)?)
    }

    /// Converts a JSON object. A text of one line stays unchanged.
    /// Line breaks between its parts become spaces.
    ///
    /// # Errors
    ///
    /// If the value is not an object.
    pub fn from_json(mut text: RawJson) -> Result<Self, DecodeError> {
        if text.as_str().contains(['\n', '\r']) {
            // Valid JSON has no line break inside strings.
            text = agentwire_protocol::decode::decode(&text.as_str().replace(['\n', '\r'], " "))?;
        }
        let fields = ["type", "uuid"];
        let [kind, uuid] = if let Some(found) = last(&text, fields) {
            found
        } else {
            // An error if the value is not an object. `decode` also reads names with lone surrogates.
            let mut all: BTreeMap<String, RawJson> = text.decode()?;
            fields.map(|name| all.remove(name))
        };
        let string = |field: Option<RawJson>| field?.decode::<String>().ok();
        Ok(Self { text, kind: string(kind).unwrap_or_default().into(), uuid: string(uuid).map(Uuid::from) })
    }

    /// Returns the text, without a line break.
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the JSON object.
    pub fn as_json(&self) -> &RawJson {
        &self.text
    }

    /// Decodes the entry's place in the conversation and its origin.
    ///
    /// # Errors
    ///
    /// If one of the fields has an unknown shape.
    pub fn context(&self) -> Result<EntryContext, DecodeError> {
        self.decode()
    }

    /// Returns the kind of the entry (`type`); empty if it has none.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the entry's id (`uuid`), if any: entries with the same id are the same entry.
    pub fn uuid(&self) -> Option<&Uuid> {
        self.uuid.as_ref()
    }

    /// Decodes the object as a type of the caller's.
    ///
    /// # Errors
    ///
    /// If the object does not have that shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.text.decode()
    }

    /// Returns the object as a value. Parts that a value can't hold, such as an input that is nested too deeply, become
    /// their JSON text.
    pub fn to_value(&self) -> Value {
        nested(&self.text, LEVELS)
    }
}

impl fmt::Debug for RawEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads a value, or else its parts, down to this many levels.
fn nested(json: &RawJson, levels: usize) -> Value {
    if let Ok(value) = json.decode() {
        return value;
    }
    let Some(below) = levels.checked_sub(1) else { return json.as_str().into() };
    if let Ok(fields) = json.decode::<BTreeMap<String, RawJson>>() {
        return fields.iter().map(|(name, part)| (name.clone(), nested(part, below))).collect();
    }
    match json.decode::<Vec<RawJson>>() {
        Ok(items) => items.iter().map(|item| nested(item, below)).collect(),
        Err(_) => json.as_str().into(),
    }
}

/// The levels that entries of the CLI have, apart from the inputs and results of tools.
const LEVELS: usize = 8;

#[cfg(test)]
mod tests {
    use super::RawEntry;

    #[test]
    fn an_entry_keeps_its_text_and_has_its_kind_and_id() {
        let text = r#"{"uuid":"a","n":1.0,"n":12345678901234567890123,"type":"user"}"#;
        let entry = RawEntry::parse(text).unwrap();
        assert_eq!((entry.as_str(), entry.kind(), entry.uuid().unwrap().as_str()), (text, "user", "a"));
    }

    #[test]
    fn of_a_repeated_field_the_last_counts() {
        let entry = RawEntry::parse(r#"{"type":"user","uuid":"a","type":"system","uuid":"b"}"#).unwrap();
        assert_eq!((entry.kind(), entry.uuid().unwrap().as_str()), ("system", "b"));
        let entry = RawEntry::parse(r#"{"type":"user","uuid":"a","type":1,"uuid":null}"#).unwrap();
        assert_eq!((entry.kind(), entry.uuid()), ("", None));
    }

    #[test]
    fn an_entry_is_one_line() {
        let entry = RawEntry::parse("\n{\r\n \"type\": null,\n \"text\": \"a\\nb\"\n}\n").unwrap();
        assert_eq!(entry.as_str(), r#"{   "type": null,  "text": "a\nb" }"#);
        assert_eq!((entry.kind(), entry.uuid()), ("", None));
        let json = agentwire_protocol::decode::decode("{\n\"type\":\"user\",\r\n\"n\":1}").unwrap();
        assert_eq!(RawEntry::from_json(json).unwrap().as_str(), r#"{ "type":"user",  "n":1}"#);
    }

    #[test]
    fn only_objects_are_entries() {
        for text in ["", "1", "[]", r#"{"type":"user""#, r#"{} {}"#, "null", "{\"a\":\"x\ny\"}"] {
            assert!(RawEntry::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_may_have_half_of_a_surrogate_pair() {
        let json =
            agentwire_protocol::RawJson::parse(r#"{"\ud83d":1,"type":"a","type":"b","uuid":"c"}"#).unwrap();
        let entry = RawEntry::from_json(json.clone()).unwrap();
        assert_eq!((entry.as_json(), entry.kind(), entry.uuid().unwrap().as_str()), (&json, "b", "c"));
    }
}
