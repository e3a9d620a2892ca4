//! The first prompt of a session, as lists show it.

use std::iter;

use memchr::memmem;
use serde_json::Value;

/// Returns the first prompt with text, on one line, truncated to 200 characters and `…`.
///
/// Skips text that the CLI or a program generated.
/// A command is used only if there is no other prompt.
pub(crate) fn first_prompt(head: &[u8]) -> Option<String> {
    let mut command = None;
    for line in user_lines(head) {
        let has = |mark: &[u8]| memmem::find(line, mark).is_some();
        if has(b"\"tool_result\"") || PASSED.iter().any(|mark| has(mark)) {
            continue;
        }
        let entry = agentwire_protocol::decode::decode::<Value>(&String::from_utf8_lossy(line));
        let Some(entry) = entry.ok().filter(|entry| entry["type"] == "user") else { continue };
        for text in texts(&entry["message"]["content"]) {
            match prompt_text(text) {
                Prompt::Words(words) => return Some(words),
                Prompt::Command(name) => command = command.or(Some(name).filter(|name| !name.is_empty())),
                Prompt::Nothing => {}
            }
        }
    }
    command
}

/// A text in a user message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Prompt {
    Words(String),
    Command(String),
    Nothing,
}

/// Returns the part of a text that is shown.
pub(crate) fn prompt_text(text: &str) -> Prompt {
    let text = text.replace('\n', " ");
    let text = text.trim();
    if let Some(name) =
        text.split_once("<command-name>").and_then(|(_, rest)| rest.split_once("</command-name>"))
    {
        return Prompt::Command(name.0.to_owned());
    }
    if text.is_empty() || is_made(text) {
        return Prompt::Nothing;
    }
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Prompt::Words(format!("{}\u{2026}", text[..end].trim_end())),
        None => Prompt::Words(text.to_owned()),
    }
}

/// Returns whether a program generated the text.
fn is_made(text: &str) -> bool {
    let interrupted =
        text.strip_prefix("[Request interrupted by user").is_some_and(|rest| rest.contains(']'));
    let whole = |start: &str, end: &str| text.strip_prefix(start).is_some_and(|rest| rest.ends_with(end));
    interrupted
        || MADE.iter().any(|mark| text.starts_with(mark))
        || whole("<ide_opened_file>", "</ide_opened_file>")
        || whole("<ide_selection>", "</ide_selection>")
}

/// Returns the texts of a message.
pub(super) fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => {
            let blocks = blocks.iter().filter(|block| block["type"] == "text");
            blocks.filter_map(|block| block["text"].as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the lines that may contain the user's messages.
fn user_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    iter::from_fn(move || {
        loop {
            let at = from + memmem::find(&head[from..], b"\"user\"")?;
            from = at + 1;
            if [&b"\"type\":"[..], b"\"type\": "].iter().any(|before| head[..at].ends_with(before)) {
                let start = memchr::memrchr(b'\n', &head[..at]).map_or(0, |at| at + 1);
                from = memchr::memchr(b'\n', &head[at..]).map_or(head.len(), |end| at + end);
                return Some(&head[start..from]);
            }
        }
    })
}

/// Markers of messages that the user did not write.
const PASSED: [&[u8]; 4] = [
    br#""isMeta":true"#,
    br#""isMeta": true"#,
    br#""isCompactSummary":true"#,
    br#""isCompactSummary": true"#,
];

/// Prefixes of generated texts.
const MADE: [&str; 4] = ["<local-command-stdout>", "<session-start-hook>", "<tick>", "<goal>"];

/// The maximum length of a shown prompt, in characters.
const MAX_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::{Prompt, first_prompt, prompt_text};

    #[test]
    fn the_first_words_of_the_user_are_found() {
        let head = concat!(
            "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"meta\"}}\n",
            "{\"type\":\"user\",\"message\":{\"content\":\"<command-name>/init</command-name>\"}}\n",
            "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\"}]}}\n",
            "{\"type\":\"user\", broken\n",
            "{\"type\": \"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\" a\\nb \"}]}}\n",
        );
        assert_eq!(first_prompt(head.as_bytes()).unwrap(), "a b");
        let without = head.lines().take(4).collect::<Vec<_>>().join("\n");
        assert_eq!(first_prompt(without.as_bytes()).unwrap(), "/init");
        assert_eq!(first_prompt(b"{}\n"), None);
    }

    #[test]
    fn generated_text_is_not_a_prompt() {
        for text in
            ["<tick>1", "[Request interrupted by user for tool use]", "<ide_selection>x</ide_selection>", " "]
        {
            assert_eq!(prompt_text(text), Prompt::Nothing, "{text}");
        }
        assert_eq!(prompt_text(&"\u{e9}".repeat(201)), Prompt::Words("\u{e9}".repeat(200) + "\u{2026}"));
    }
}
