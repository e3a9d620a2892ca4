//! Remembers which recent entries are stored and which are lost.

use std::{collections::VecDeque, sync::Arc};

use agentwire_sessions::RawEntry;
use serde_json::Value;

/// The outcomes of the most recent entries, by the ids of the entries and of their tool uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(VecDeque<(Box<str>, Outcome)>);

/// The reason why an entry is lost; `None` if it is stored.
type Outcome = Option<Arc<str>>;

impl Known {
    /// Adds ids with an outcome; the oldest ids beyond the limit are forgotten.
    pub(crate) fn add(&mut self, ids: impl IntoIterator<Item = Box<str>>, outcome: Outcome) {
        for id in ids {
            if self.0.len() >= MOST {
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

/// Returns the id of an entry and the ids of its tool uses.
pub(crate) fn ids(entry: &RawEntry) -> Vec<Box<str>> {
    let mut ids: Vec<Box<str>> = entry.uuid().map(|id| id.as_str().into()).into_iter().collect();
    // Most entries contain no tool use, so skip decoding them.
    if entry.kind() == "assistant"
        && entry.as_str().contains(TOOL_USE)
        && let Ok(entry) = entry.decode::<Value>()
    {
        let blocks = entry["message"]["content"].as_array().into_iter().flatten();
        let tool_uses = blocks.filter(|block| block["type"] == TOOL_USE);
        ids.extend(tool_uses.filter_map(|block| block["id"].as_str()).map(Into::into));
    }
    ids
}

const TOOL_USE: &str = "tool_use";
/// The number of ids remembered, at some 60 bytes each.
const MOST: usize = 4096;

#[cfg(test)]
mod tests {
    use agentwire_sessions::RawEntry;

    use super::{Known, MOST, ids};

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
    fn the_oldest_ids_are_forgotten() {
        let mut known = Known::default();
        known.add((0..=MOST).map(|id| id.to_string().into()), None);
        assert!(known.outcome("0").is_none());
        assert_eq!(known.outcome("1"), Some(&None));
        known.add(["1".into()], Some("lost".into()));
        assert_eq!(known.outcome("1"), Some(&Some("lost".into())));
    }
}
