//! Sessions that the CLI continued in another one, such as when a conversation moves to the background.

use memchr::memmem;
use serde_json::Value;

use crate::ends::Ends;
use crate::ids::is_uuid;
use crate::info::prompted_at;
use crate::sessions::{Inside, SessionFile};

/// Returns whether the CLI continued the session in another one that has a message.
pub(super) fn is_continued(inside: &Inside, file: &SessionFile, ends: &Ends) -> bool {
    let Some(other) = continued_in(ends.tail()) else { return false };
    let path = inside.file(file.path.with_file_name(format!("{other}.jsonl")));
    let ends = path.and_then(|path| Ends::read(&path).ok().flatten());
    let has_message = |text: &[u8]| memmem::find(text, b"\"parentUuid\":").is_some();
    ends.is_some_and(|ends| has_message(&ends.head) || has_message(ends.tail()))
}

/// Returns the id of the other session; `None` if the conversation went on in this one.
fn continued_in(tail: &[u8]) -> Option<String> {
    memmem::find(tail, MARK)?;
    for line in tail.rsplit(|&byte| byte == b'\n') {
        let entry = decode(line);
        if entry["type"] == "continued-in" {
            return entry["continuedInSessionId"].as_str().filter(|id| is_uuid(id)).map(str::to_owned);
        }
        if is_answer(&entry) || prompted_at(line).is_some() {
            return None;
        }
    }
    None
}

/// Returns whether the entry completes an answer of the model.
fn is_answer(entry: &Value) -> bool {
    entry["type"] == "assistant"
        && entry["message"]["stop_reason"].is_string()
        && entry["isApiErrorMessage"] != true
}

/// Decodes a line; returns null for one that is incomplete.
fn decode(line: &[u8]) -> Value {
    agentwire_protocol::decode::decode(&String::from_utf8_lossy(line)).unwrap_or_default()
}

const MARK: &[u8] = br#""type":"continued-in""#;
