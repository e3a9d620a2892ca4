//! Reads the mark of an archived session, which a later message of the user cancels.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::first_prompt::{Prompt, media, prompt_text, texts};
use crate::ends::Ends;
use crate::sessions::SessionFile;
use crate::stream::{Line, Lines};
use crate::time::parse_ms;

/// Returns whether the session is archived; `None` if it never was, or its mark can't be read.
pub(super) fn archived(file: &SessionFile, ends: &Ends) -> Option<bool> {
    let mark = mark_of(file)?;
    let at = parse_ms(&mark.at)?;
    let later = |text: &[u8]| has_prompt_after(text, at);
    // If a turn is longer than the ends, the message is between them.
    let in_the_middle =
        || ends.is_cut() && ends.known.modified_ms > at && file_has_prompt_after(&file.path, at);
    Some(mark.archived && !later(&ends.head) && !later(ends.tail()) && !in_the_middle())
}

/// Returns the session's mark, if it has a readable one.
pub(crate) fn mark_of(file: &SessionFile) -> Option<Mark> {
    in_folder(file, "archived.json")
}

/// The content of the mark, which also has the field `by`.
#[derive(Deserialize)]
pub(crate) struct Mark {
    archived: bool,
    /// The time of the mark.
    pub(crate) at: String,
}

/// Reads a small JSON file in the session's folder. Links are not followed.
pub(super) fn in_folder<T: DeserializeOwned>(file: &SessionFile, name: &str) -> Option<T> {
    let folder = file.folder();
    if !fs::symlink_metadata(&folder).ok()?.is_dir() {
        return None;
    }
    let path = folder.join(name);
    let metadata = fs::symlink_metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_SIZE {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Returns whether the user sent a message after this time.
fn has_prompt_after(text: &[u8], at: u64) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| prompted_at(line).is_some_and(|prompted| prompted > at))
}

/// Searches the whole file; an unreadable rest is ignored.
fn file_has_prompt_after(path: &Path, at: u64) -> bool {
    let Ok(mut lines) = Lines::open(path) else { return false };
    while let Ok(Some(line)) = lines.next() {
        if let Line::Whole(line) = line
            && prompted_at(line).is_some_and(|prompted| prompted > at)
        {
            return true;
        }
    }
    false
}

/// Returns the time of the user's message in this line, if it contains one.
pub(crate) fn prompted_at(line: &[u8]) -> Option<u64> {
    let has = |mark: &str| memchr::memmem::find(line, mark.as_bytes()).is_some();
    if !(has("\"user\"") || has("\"queued_command\"")) || has("\"tool_result\"") {
        return None;
    }
    let entry: Value = agentwire_protocol::decode::decode(&String::from_utf8_lossy(line)).ok()?;
    let queued = &entry["attachment"];
    let (prompt, content) = match entry["type"].as_str()? {
        "user" => (&entry, &entry["message"]["content"]),
        "attachment" if queued["type"] == "queued_command" => (queued, &queued["prompt"]),
        _ => return None,
    };
    let set = |name: &str| !matches!(prompt[name], Value::Null | Value::Bool(false));
    let origin = &prompt["origin"]["kind"];
    let is_one_of =
        |name: &str, values: &[&str]| prompt[name].as_str().is_none_or(|value| values.contains(&value));
    let by_a_user = (origin.is_null() || origin == "human")
        && is_one_of("turnOrigin", &["human", "sdk", "unknown"])
        && is_one_of("commandMode", &["prompt", "bash"]);
    if !by_a_user || NOT_A_PROMPT.iter().any(|name| set(name)) || entry["isSidechain"] == true {
        return None;
    }
    let has_prompt =
        texts(content).into_iter().any(|text| is_prompt(text, origin == "human")) || media(content).is_some();
    has_prompt.then(|| parse_ms(entry["timestamp"].as_str()?))?
}

/// Returns whether the text is for the model; local commands, such as `/cost`, are not.
///
/// As in the reference SDK for TypeScript, a text with a tag at its start counts only if a human is known to be its
/// origin.
fn is_prompt(text: &str, by_human: bool) -> bool {
    match prompt_text(text) {
        Prompt::Words(words) => by_human || !starts_with_tag(&words),
        Prompt::Command(_) => text.trim_start().starts_with("<command-message>"),
        Prompt::Nothing => false,
    }
}

/// Returns whether the text starts with a tag, as notifications of tasks and messages of teammates do.
fn starts_with_tag(text: &str) -> bool {
    let rest = text.strip_prefix('<').filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    rest.is_some_and(|rest| {
        rest.trim_start_matches(in_name).starts_with(|c: char| c == '>' || c.is_whitespace())
    })
}

/// Fields that mark messages which the user did not write.
const NOT_A_PROMPT: [&str; 11] = [
    "isMeta",
    "isCompactSummary",
    "isVirtual",
    "isVisibleInTranscriptOnly",
    "textNotTyped",
    "handedOff",
    "queueSkipAttachments",
    "toolUseResult",
    "wakeupSource",
    "scheduledTaskId",
    "persist",
];

/// The longest file that is read, in bytes.
const MAX_SIZE: u64 = 4096;
