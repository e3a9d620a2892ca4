//! Summaries of sessions, folded from the entries of each append.

mod info;

use std::collections::BTreeMap;

use agentwire_protocol::{DecodeError, RawJson, SessionId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::RawEntry;
use crate::change::ARCHIVED;
use crate::entry::last;
use crate::info::{Prompt, has_block, media, prompt_text, prompted_at, texts};
use crate::time::parse_ms;

/// A summary of a session, which a store keeps beside the entries and updates in each append ([`fold_summary`]).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The session.
    pub session_id: SessionId,
    /// The time of the last update in milliseconds since the Unix epoch, by the same clock as
    /// [`StoredSession::modified_ms`](crate::StoredSession::modified_ms).
    pub modified_ms: u64,
    /// The data, which is opaque to a store.
    pub data: RawJson,
}

impl SessionSummary {
    /// Returns a summary as it was stored.
    pub fn new(session_id: SessionId, modified_ms: u64, data: RawJson) -> Self {
        Self { session_id, modified_ms, data }
    }
}

/// Updates the data of a summary with appended entries; `None` for the first append.
///
/// A store calls it in each append to a session, not to a subpath, with the stored data, and stores the result.
/// Folding batches one after another is the same as folding all entries at once.
///
/// The data is the object of the reference SDK for Python (`fold_session_summary`) with three more fields (`archived`,
/// `archived_at` and `media_fallback`), so either can continue the other's summaries. Those of the SDK for TypeScript
/// are continued here; it does not read ours.
/// `created_at`, `cwd`, `is_sidechain`, `first_prompt` and the fallbacks keep their first value; if the CLI moves the
/// session to another folder, `cwd` becomes that one, as in the SDK for TypeScript.
/// The other fields keep the last.
/// Unknown fields are kept.
///
/// # Errors
///
/// If the data is not an object.
pub fn fold_summary(data: Option<&RawJson>, entries: &[RawEntry]) -> Result<RawJson, DecodeError> {
    let fields = data.map(RawJson::decode).transpose()?.unwrap_or_default();
    let mut summary = Folded { fields: in_snake_case(fields) };
    for entry in entries {
        summary.add(entry);
    }
    Ok(summary.into_data())
}

/// Renames the fields of a summary of the TypeScript SDK, which are in camel case.
fn in_snake_case(mut fields: BTreeMap<String, RawJson>) -> BTreeMap<String, RawJson> {
    for (camel, snake) in CAMEL_CASE {
        if let Some(value) = fields.remove(camel) {
            fields.entry(snake.to_owned()).or_insert(value);
        }
    }
    fields
}

const CAMEL_CASE: [(&str, &str); 10] = [
    ("isSidechain", "is_sidechain"),
    ("createdAt", "created_at"),
    ("firstPrompt", "first_prompt"),
    ("firstPromptLocked", "first_prompt_locked"),
    ("commandFallback", "command_fallback"),
    ("customTitle", "custom_title"),
    ("aiTitle", "ai_title"),
    ("lastPrompt", "last_prompt"),
    ("summaryHint", "summary_hint"),
    ("gitBranch", "git_branch"),
];

/// Returns the last time in the entries, in milliseconds since the Unix epoch; 0 if there is none.
pub(super) fn last_time(entries: &[RawEntry]) -> u64 {
    let time = |entry: &RawEntry| last(entry.as_json(), ["timestamp"]).and_then(|[time]| parsed(time));
    entries.iter().rev().find_map(time).unwrap_or_default()
}

/// The data of a summary during an update.
#[derive(Default)]
pub(super) struct Folded {
    fields: BTreeMap<String, RawJson>,
}

impl Folded {
    pub(super) fn into_data(self) -> RawJson {
        // The map has string keys and JSON values, so encoding can't fail.
        RawJson::encode(&self.fields).unwrap_or_else(|_| RawJson::empty_object())
    }

    pub(super) fn add(&mut self, entry: &RawEntry) {
        let Some([time, sidechain, meta, compaction, cwd, relocated, tag, archived, texts @ ..]) =
            last(entry.as_json(), FIELDS)
        else {
            return;
        };
        let time = parsed(time);
        self.first("is_sidechain", Some(read(sidechain) == Some(true)));
        self.first("created_at", time);
        let filled = |cwd: &String| !cwd.is_empty();
        self.first("cwd", read(cwd).filter(filled));
        if entry.kind() == "relocated" {
            self.last("cwd", read(relocated).filter(filled));
        }
        let is_generated = [meta, compaction].into_iter().any(|flag| read(flag) == Some(true));
        if entry.kind() == "user" && !is_generated && !self.is_true("first_prompt_locked") {
            self.prompt(entry);
        }
        self.archive(entry, time, read(archived));
        for (name, text) in TEXTS.into_iter().zip(texts) {
            self.last(name, read::<String>(text));
        }
        if entry.kind() == "tag" {
            match read::<String>(tag).filter(|tag| !tag.is_empty()) {
                None => _ = self.fields.remove("tag"),
                tag => self.last("tag", tag),
            }
        }
    }

    /// A later message of the user cancels the mark; a mark that is older than the current one is ignored.
    fn archive(&mut self, entry: &RawEntry, time: Option<u64>, archived: Option<bool>) {
        let since = self.fields.get("archived_at").and_then(|at| at.decode::<u64>().ok());
        let (archived, at) = if entry.kind() == ARCHIVED {
            (archived, time)
        } else if self.is_true("archived") {
            (Some(false), prompted_at(entry.as_str().as_bytes()).filter(|prompted| Some(*prompted) > since))
        } else {
            return;
        };
        if let (Some(archived), Some(at)) = (archived, at)
            && Some(at) >= since
        {
            self.last("archived", Some(archived));
            self.last("archived_at", Some(at));
        }
    }

    fn prompt(&mut self, entry: &RawEntry) {
        let entry: Value = entry.decode().unwrap_or_default();
        let content = &entry["message"]["content"];
        if has_block(content, "tool_result") {
            return;
        }
        for text in texts(content) {
            match prompt_text(text) {
                Prompt::Command(name) if !self.has_text("command_fallback") => {
                    self.last("command_fallback", Some(&name));
                }
                Prompt::Command(_) | Prompt::Nothing => {}
                Prompt::Words(words) => {
                    self.last("first_prompt", Some(&words));
                    self.last("first_prompt_locked", Some(true));
                    return;
                }
            }
        }
        if !self.has_text("media_fallback") {
            self.last("media_fallback", media(content));
        }
    }

    /// Sets a field that has no value yet.
    fn first<T: Serialize>(&mut self, name: &str, value: Option<T>) {
        if !self.fields.contains_key(name) {
            self.last(name, value);
        }
    }

    /// Sets a field.
    fn last<T: Serialize>(&mut self, name: &str, value: Option<T>) {
        if let Some(Ok(value)) = value.map(|value| RawJson::encode(&value)) {
            self.fields.insert(name.to_owned(), value);
        }
    }

    fn is_true(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| value.as_str() == "true")
    }

    fn has_text(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| !matches!(value.as_str(), "null" | "\"\""))
    }
}

/// Decodes a field; one of an unexpected type is ignored.
fn read<T: DeserializeOwned>(field: Option<RawJson>) -> Option<T> {
    field?.decode().ok()
}

fn parsed(time: Option<RawJson>) -> Option<u64> {
    parse_ms(&read::<String>(time)?)
}

/// In the order in which [`Folded::add`] destructures them.
const FIELDS: [&str; 13] = [
    "timestamp",
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "cwd",
    "relocatedCwd",
    "tag",
    "archived",
    "customTitle",
    "aiTitle",
    "lastPrompt",
    "summary",
    "gitBranch",
];

/// The names that the last five have in a summary.
const TEXTS: [&str; 5] = ["custom_title", "ai_title", "last_prompt", "summary_hint", "git_branch"];

#[cfg(test)]
mod tests {
    use super::fold_summary;
    use crate::RawEntry;

    fn fold(texts: &[&str]) -> String {
        let entries: Vec<_> = texts.iter().map(|text| RawEntry::parse(*text).unwrap()).collect();
        let at_once = fold_summary(None, &entries).unwrap();
        let mut one_by_one = fold_summary(None, &[]).unwrap();
        for entry in entries.chunks(1) {
            one_by_one = fold_summary(Some(&one_by_one), entry).unwrap();
        }
        assert_eq!(one_by_one, at_once);
        at_once.as_str().to_owned()
    }

    #[test]
    fn fields_keep_their_first_or_last_value() {
        let data = fold(&[
            r#"{"type":"mode","isSidechain":false,"timestamp":"bad","cwd":""}"#,
            r#"{"type":"user","isSidechain":true,"timestamp":"1970-01-01T00:00:01Z","cwd":"/a","gitBranch":"one"}"#,
            r#"{"type":"x","timestamp":"1970-01-01T00:00:02Z","cwd":"/b","gitBranch":"","customTitle":"t","aiTitle":"a"}"#,
            r#"{"type":"x","gitBranch":7,"lastPrompt":"p","summary":"s","customTitle":"u"}"#,
        ]);
        assert_eq!(
            data,
            concat!(
                r#"{"ai_title":"a","created_at":1000,"custom_title":"u","cwd":"/a","git_branch":"","#,
                r#""is_sidechain":false,"last_prompt":"p","summary_hint":"s"}"#
            )
        );
    }

    #[test]
    fn folder_is_the_first_until_the_session_is_moved() {
        let first = r#"{"type":"user","cwd":"/a"}"#;
        let moved = r#"{"type":"relocated","relocatedCwd":"/b"}"#;
        for (texts, cwd) in [
            (&[first, moved, r#"{"type":"user","cwd":"/c"}"#][..], "/b"),
            (&[first, r#"{"type":"relocated","relocatedCwd":""}"#][..], "/a"),
            (&[first, r#"{"type":"user","relocatedCwd":"/b"}"#][..], "/a"),
        ] {
            assert_eq!(fold(texts), format!(r#"{{"cwd":"{cwd}","is_sidechain":false}}"#));
        }
    }

    #[test]
    fn a_tag_is_the_last_one_and_goes_with_an_empty_one() {
        let of = |tags: &[&str]| {
            let entries: Vec<_> = tags.iter().map(|tag| format!(r#"{{"type":"tag"{tag}}}"#)).collect();
            fold(&entries.iter().map(String::as_str).collect::<Vec<_>>())
                .replace(r#""is_sidechain":false"#, "")
        };
        assert_eq!(of(&[r#","tag":"a""#, r#","tag":"b""#]), r#"{,"tag":"b"}"#);
        for gone in [r#","tag":"""#, "", r#","tag":null"#] {
            assert_eq!(of(&[r#","tag":"a""#, gone]), "{}");
        }
        assert!(!fold(&[r#"{"type":"user","tag":"a"}"#]).contains("tag"));
    }

    #[test]
    fn a_session_is_archived_until_a_later_message_of_the_user() {
        let mark = |archived: bool, second: u8| {
            format!(
                r#"{{"type":"archived","archived":{archived},"timestamp":"1970-01-01T00:00:0{second}Z"}}"#
            )
        };
        let message = |kind: &str, second: u8| {
            format!(
                r#"{{"type":"{kind}","message":{{"content":"words"}},"timestamp":"1970-01-01T00:00:0{second}Z"}}"#
            )
        };
        let of = |entries: &[String]| {
            let data = fold(&entries.iter().map(String::as_str).collect::<Vec<_>>());
            let all: serde_json::Value = serde_json::from_str(&data).unwrap();
            all.get("archived").and_then(serde_json::Value::as_bool)
        };
        assert_eq!(of(&[message("user", 1)]), None);
        assert_eq!(of(&[message("user", 1), mark(true, 2)]), Some(true));
        assert_eq!(of(&[message("user", 1), mark(true, 2), message("assistant", 3)]), Some(true));
        assert_eq!(of(&[message("user", 1), mark(true, 2), message("user", 3)]), Some(false));
        // A mirror may append an earlier message after the mark.
        assert_eq!(of(&[mark(true, 2), message("user", 1)]), Some(true));
        assert_eq!(of(&[mark(true, 2), mark(false, 3)]), Some(false));
        assert_eq!(of(&[mark(false, 2), mark(true, 3)]), Some(true));
        assert_eq!(of(&[mark(true, 2).replace("1970", "soon")]), None);
        // A repeated import changes nothing.
        assert_eq!(of(&[mark(true, 2), message("user", 3), mark(true, 2)]), Some(false));
        assert_eq!(of(&[mark(false, 2), mark(true, 3), mark(false, 2)]), Some(true));
    }

    #[test]
    fn the_first_prompt_is_the_first_words_of_the_user() {
        let user = |content: &str| format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#);
        let skipped = [
            r#"{"type":"user","isMeta":true,"message":{"content":"meta"}}"#.to_owned(),
            r#"{"type":"user","isCompactSummary":true,"message":{"content":"compacted"}}"#.to_owned(),
            r#"{"type":"assistant","message":{"content":"answer"}}"#.to_owned(),
            r#"{"type":"user","message":"words"}"#.to_owned(),
            user(r#"[{"type":"text","text":"beside"},{"type":"tool_result","content":"x"}]"#),
            user(r#""<local-command-stdout>x""#),
            user(r#"" [Request interrupted by user for tool use]""#),
            user(r#""<ide_opened_file>a\nb</ide_opened_file> ""#),
            user(r#"" \n ""#),
            user(r#"[7,{"type":"image"},{"type":"text","text":5}]"#),
        ];
        let all = |more: &[String]| {
            let texts: Vec<_> = skipped.iter().chain(more).map(String::as_str).collect();
            fold(&texts)
        };
        assert_eq!(all(&[]), r#"{"is_sidechain":false,"media_fallback":"Image"}"#);
        let command = user(r#""<command-name>/one</command-name> x""#);
        let other = user(r#""<command-name>/two</command-name>""#);
        assert_eq!(
            all(&[command.clone(), other]),
            r#"{"command_fallback":"/one","is_sidechain":false,"media_fallback":"Image"}"#
        );
        let words = user(r#"[{"type":"text","text":" one\ntwo "},{"type":"text","text":"three"}]"#);
        let data = all(&[words, command, user(r#""later""#)]);
        assert_eq!(
            data,
            concat!(
                r#"{"first_prompt":"one two","first_prompt_locked":true,"is_sidechain":false,"#,
                r#""media_fallback":"Image"}"#
            )
        );
        let spaced = r#"{ "type" : "user", "message" : {"content" : "words"} }"#;
        assert!(fold(&[spaced]).contains(r#""first_prompt":"words""#));
        let spaced = r#"{ "type" : "user", "message" : {"content" : [{"type" : "document"}]} }"#;
        assert!(fold(&[spaced]).contains(r#""media_fallback":"Document""#));
        let long = format!("{}  {}", "é".repeat(199), "z".repeat(9));
        assert!(all(&[user(&format!("{long:?}"))]).contains(&format!(r#""{}…""#, "é".repeat(199))));
    }

    #[test]
    fn summaries_of_the_typescript_sdk_are_read_and_continued() {
        let text = r#"{"isSidechain":false,"createdAt":5,"firstPrompt":"hi","firstPromptLocked":true,"customTitle":"T"}"#;
        let data = agentwire_protocol::RawJson::parse(text).unwrap();
        let entry = RawEntry::parse(r#"{"timestamp":"2024-01-01T00:00:00Z"}"#).unwrap();
        let continued = fold_summary(Some(&data), &[entry]).unwrap();
        for data in [data, continued] {
            let info = super::SessionSummary::new("s".into(), 1, data).info().unwrap();
            assert_eq!((info.summary.as_str(), info.created_at), ("T", Some(5)));
            assert_eq!(info.first_prompt.as_deref(), Some("hi"));
        }
    }

    #[test]
    fn unknown_fields_are_kept_and_invalid_data_is_refused() {
        let data =
            agentwire_protocol::RawJson::parse(r#"{"n":12345678901234567890123,"created_at":5}"#).unwrap();
        let entry = RawEntry::parse(r#"{"timestamp":"2024-01-01T00:00:00Z"}"#).unwrap();
        let data = fold_summary(Some(&data), &[entry]).unwrap();
        assert_eq!(data.as_str(), r#"{"created_at":5,"is_sidechain":false,"n":12345678901234567890123}"#);
        assert!(fold_summary(Some(&agentwire_protocol::RawJson::parse("[]").unwrap()), &[]).is_err());
    }
}
