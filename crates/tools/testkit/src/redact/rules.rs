//! Fields of the CLI's frames that are replaced because of their position, as a table.

use super::{
    json::{self, Token},
    prose::{PROSE, Prose},
};

/// Replaces everything in a line that is in the table, and all prose. A piece of an input stays: all pieces have been
/// replaced as one text.
pub(super) fn apply(prose: &Prose, line: &str, is_piece: bool) -> String {
    // The input of a hook is the CLI's own; every other input is the model's or ours.
    let of_hook = line.contains(r#""subtype":"hook_callback""#);
    json::rewrite(line, |token| {
        let stays = is_piece && token.key() == "partial_json";
        (!stays).then(|| replace(prose, token, of_hook)).flatten()
    })
}

fn replace(prose: &Prose, token: Token<'_>, of_hook: bool) -> Option<String> {
    let is_foreign = |key: &&str| FOREIGN.contains(key) || (*key == "input" && !of_hook);
    if token.keys.iter().any(is_foreign) {
        return token.is_string.then(|| prose.replace(token.raw)).flatten();
    }
    if !token.is_string {
        let number = NUMBERS.iter().find(|(key, _)| *key == token.key())?.1;
        // A fraction is kept, because it matters to decoders.
        let fraction = if token.raw.contains('.') { ".25" } else { "" };
        return Some(format!("{number}{fraction}"));
    }
    if describes(token.keys) && !token.raw.is_empty() && !prose.is_own(token.raw) {
        return Some(PROSE.to_owned());
    }
    prose.replace(token.raw)
}

/// Returns the ids in a line that the CLI generates and that are not UUIDs, in their order.
///
/// An id is recognized by its field and its shape: `task_id` may also be the `1` of a to-do list item.
pub(super) fn made_up_ids(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    json::walk(line, |token, _| {
        let foreign = token.keys.iter().any(|key| FOREIGN.contains(key) || *key == "input");
        let is_field = IDS.contains(&token.key());
        let is_of_hook = matches!(token.keys, ["request", "input", _]);
        if token.is_string
            && !token.is_key
            && is_field
            && looks_made_up(token.raw)
            && (!foreign || is_of_hook)
        {
            found.push(token.raw.to_owned());
        }
    });
    found
}

fn looks_made_up(id: &str) -> bool {
    let word = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    word && id.len() >= SHORTEST_ID && id.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns whether a text under these keys is a description, or a part of one.
fn describes(keys: &[&str]) -> bool {
    let is_summary = keys.last() == Some(&"summary");
    keys.iter().any(|key| DESCRIPTIONS.contains(key) || (is_summary && CATALOGUES.contains(key)))
}

/// Numbers that differ between runs, and their replacements.
#[rustfmt::skip]
const NUMBERS: &[(&str, &str)] = &[
    ("pid", "4242"), ("duration_ms", "1200"), ("duration_api_ms", "800"),
    ("ttft_ms", "300"), ("ttft_stream_ms", "300"), ("first_content_frame_ms", "300"),
    ("time_to_request_ms", "100"), ("retry_delay_ms", "500"), ("thinking_duration_ms", "50"),
    ("durationMs", "1200"), ("totalDurationMs", "1200"), ("end_time", "1767225600000"),
    ("total_duration_ms", "1200"), ("total_api_duration_ms", "800"), ("set_at", "1767225600000"),
];

/// Below these keys, fields are content of the model or of our side and are not interpreted.
const FOREIGN: &[&str] = &["tool_input", "updatedInput", "arguments", "structuredContent"];

/// Texts of the vendor's, however short.
const DESCRIPTIONS: &[&str] = &["description", "argumentHint", "whenToUse", "contentLabel"];

/// Lists of the vendor's items, with descriptions in `summary`.
const CATALOGUES: &[&str] = &["events", "eventCatalog"];

/// Ids that the CLI makes up and that are not UUIDs.
const IDS: &[&str] = &["agent_id", "agentId", "task_id", "taskId", "backgroundTaskId", "run_id"];

const SHORTEST_ID: usize = 8;
