//! Remembers which recent entries are stored and which are not.

use std::{collections::VecDeque, sync::Arc};

use agentwire_sessions::RawEntry;
use serde_json::Value;

/// The outcomes of the most recent entries, by the ids of the entries and of their tool uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(VecDeque<(Box<str>, Outcome)>);

/// Whether an entry is stored, or why it is not.
type Outcome = Result<(), Arc<str>>;

impl Known {
    /// Adds ids with an outcome; the oldest ids beyond the limit are forgotten.
    pub(crate) fn add(&mut self, ids: impl IntoIterator<Item = Box<str>>, outcome: Outcome) {
        for id in ids {
            if self.0.len() >= MAX_IDS {
                self.0.pop_front();
            }
            self.0.push_back((id, outcome.clone()));
        }
    }

    /// Returns the last outcome of this id, if it is remembered.
    pub(super) fn outcome(&self, id: &str) -> Option<&Outcome> {
        self.0.iter().rev().find(|(known, _)| &**known == id).map(|(_, outcome)| outcome)
    }
}

/// Returns the id of an entry, and the ids of its tool uses or of the prompts in it.
pub(crate) fn ids(entry: &RawEntry) -> Vec<Box<str>> {
    let mut ids: Vec<Box<str>> = entry.uuid().map(|id| id.as_str().into()).into_iter().collect();
    // Most entries contain no other id, so skip decoding them.
    if OTHERS.iter().any(|(kind, name)| entry.kind() == *kind && entry.as_str().contains(name)) {
        let value = entry.to_value();
        ids.extend(others(entry.kind(), &value).into_iter().filter_map(Value::as_str).map(Into::into));
    }
    ids
}

/// Returns the values that may be other ids in an entry; a value that is not text is not an id.
fn others<'a>(kind: &str, entry: &'a Value) -> Vec<&'a Value> {
    let items = |list: &'a Value| list.as_array().into_iter().flatten();
    match kind {
        "assistant" => {
            let blocks = items(&entry["message"]["content"]);
            blocks.filter(|block| block["type"] == "tool_use").map(|block| &block["id"]).collect()
        }
        // A prompt that a running turn took.
        "attachment" => vec![&entry["attachment"]["source_uuid"]],
        // A prompt that the CLI stored under a new id, and prompts that it merged into this one.
        _ => [&entry["sentAsUuid"]].into_iter().chain(items(&entry["mergedSendUuids"])).collect(),
    }
}

/// The kinds of entries with other ids, and the names by which these are found.
const OTHERS: [(&str, &str); 4] = [
    ("assistant", "tool_use"),
    ("attachment", "source_uuid"),
    ("user", "sentAsUuid"),
    ("user", "mergedSendUuids"),
];

/// The number of ids remembered, at some 60 bytes each.
const MAX_IDS: usize = 4096;

#[cfg(test)]
mod tests {
    use agentwire_sessions::RawEntry;

    use super::{Known, MAX_IDS, ids};

    fn ids_of(entry: &str) -> Vec<Box<str>> {
        ids(&RawEntry::parse(entry).unwrap())
    }

    #[test]
    fn tool_uses_are_found_beside_blocks_of_any_shape() {
        let blocks = r#"[{"type":"text","text":"tool_use"},7,{"type":"tool_use"},{"type":"tool_use","id":"t1","input":{"id":"x"}},{"id":"t2","type":"tool_use"},{"type":"server_tool_use","id":"s"}]"#;
        let entry = format!(r#"{{"type":"assistant","uuid":"u","message":{{"content":{blocks}}}}}"#);
        assert_eq!(ids_of(&entry), ["u".into(), "t1".into(), Box::<str>::from("t2")]);
        assert_eq!(ids_of(&entry.replace("assistant", "user")), [Box::<str>::from("u")]);
        let none: [Box<str>; 0] = [];
        for text in [r#"{"type":"assistant","message":{"content":"tool_use"}}"#, r#"{"type":"mode"}"#] {
            assert_eq!(ids_of(text), none);
        }
    }

    #[test]
    fn tool_use_with_a_deep_input_is_found() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let block = format!(r#"{{"type":"tool_use","id":"t1","input":{{"x":{deep}}}}}"#);
        let entry = format!(r#"{{"type":"assistant","uuid":"u","message":{{"content":[{block}]}}}}"#);
        assert_eq!(ids_of(&entry), ["u".into(), Box::<str>::from("t1")]);
    }

    #[test]
    fn prompts_are_found_in_the_entry_of_the_turn_that_took_them() {
        let queued = |kind: &str| {
            format!(
                r#"{{"type":"{kind}","uuid":"u","attachment":{{"type":"queued_command","source_uuid":"p"}}}}"#
            )
        };
        assert_eq!(ids_of(&queued("attachment")), ["u".into(), Box::<str>::from("p")]);
        assert_eq!(ids_of(&queued("system")), [Box::<str>::from("u")]);
        let merged = r#"{"type":"user","uuid":"u","sentAsUuid":"p","mergedSendUuids":["q",7,"r"]}"#;
        assert_eq!(ids_of(merged), ["u".into(), "p".into(), "q".into(), Box::<str>::from("r")]);
        let malformed = r#"{"type":"user","uuid":"u","sentAsUuid":7,"mergedSendUuids":"q"}"#;
        assert_eq!(ids_of(malformed), [Box::<str>::from("u")]);
    }

    #[test]
    fn the_oldest_ids_are_forgotten() {
        let mut known = Known::default();
        known.add((0..=MAX_IDS).map(|id| id.to_string().into()), Ok(()));
        assert!(known.outcome("0").is_none());
        assert_eq!(known.outcome("1"), Some(&Ok(())));
        known.add(["1".into()], Err("lost".into()));
        assert_eq!(known.outcome("1"), Some(&Err("lost".into())));
    }
}
