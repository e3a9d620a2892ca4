//! The first prompt of a session, as lists show it.

use std::iter;

use memchr::memmem;
use serde_json::Value;

use super::pasted;

/// Returns the first prompt with text, on one line, truncated to 200 characters and `…`.
///
/// Skips text that the CLI or a program generated, and the tags around pasted text; a command of the shell mode starts
/// with `! `.
/// A command is used only if there is no other prompt.
pub(super) fn first_prompt(head: &[u8]) -> Option<String> {
    let mut command = None;
    for prompt in prompts(head) {
        match prompt {
            Prompt::Words(words) => return Some(words),
            Prompt::Command(name) => command = command.or(Some(name).filter(|name| !name.is_empty())),
            Prompt::Nothing => {}
        }
    }
    command
}

/// Returns the prompts in the user's messages, except those with tool results.
fn prompts(head: &[u8]) -> impl Iterator<Item = Prompt> {
    prompt_lines(head).flat_map(|line| {
        let entry = agentwire_protocol::decode::decode::<Value>(&String::from_utf8_lossy(line));
        let entry = entry.ok().filter(|entry| entry["type"] == "user").unwrap_or_default();
        texts(&entry["message"]["content"]).into_iter().map(prompt_text).collect::<Vec<_>>()
    })
}

/// Returns `Image` or `Document` for the first prompt with a picture or a document.
///
/// Finds it in an incomplete line too, because such a prompt is often longer than the head of the file.
pub(super) fn first_media(head: &[u8]) -> Option<&'static str> {
    prompt_lines(head).find_map(|line| {
        let has = |mark: &&str| memmem::find(line, mark.as_bytes()).is_some();
        MEDIA.iter().find(|(.., marks)| marks.iter().any(has)).map(|(name, ..)| *name)
    })
}

/// Returns `Image` or `Document` if a message with this content has a picture or a document.
pub(crate) fn media(content: &Value) -> Option<&'static str> {
    MEDIA.iter().find(|(_, kind, _)| has_block(content, kind)).map(|(name, ..)| *name)
}

/// Returns whether a message with this content has a block of this kind.
pub(crate) fn has_block(content: &Value, kind: &str) -> bool {
    content.as_array().is_some_and(|blocks| blocks.iter().any(|block| block["type"] == kind))
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
    let text = pasted::without_tags(text).replace('\n', " ");
    let text = text.trim();
    if let Some(name) =
        text.split_once("<command-name>").and_then(|(_, rest)| rest.split_once("</command-name>"))
    {
        return Prompt::Command(name.0.to_owned());
    }
    let shell = text.strip_prefix("<bash-input>").and_then(|rest| rest.split_once("</bash-input>"));
    let text = match shell {
        Some((command, _)) => format!("! {}", command.trim()),
        None if text.is_empty() || is_made(text) => return Prompt::Nothing,
        None => text.to_owned(),
    };
    Prompt::Words(match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}\u{2026}", text[..end].trim_end()),
        None => text,
    })
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
pub(crate) fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => {
            let blocks = blocks.iter().filter(|block| block["type"] == "text");
            blocks.filter_map(|block| block["text"].as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the lines that may contain the user's prompts.
fn prompt_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    user_lines(head).filter(|line| PASSED.iter().all(|mark| memmem::find(line, mark).is_none()))
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
const PASSED: [&[u8]; 5] = [
    br#""tool_result""#,
    br#""isMeta":true"#,
    br#""isMeta": true"#,
    br#""isCompactSummary":true"#,
    br#""isCompactSummary": true"#,
];

/// Prefixes of generated texts.
const MADE: [&str; 5] = ["<local-command-std", "<bash-std", "<session-start-hook>", "<tick>", "<goal>"];

/// The word that stands for a prompt without text, the kind of its blocks, and their markers in a line.
const MEDIA: [(&str, &str, [&str; 2]); 2] = [
    ("Image", "image", [r#""type":"image""#, r#""type": "image""#]),
    ("Document", "document", [r#""type":"document""#, r#""type": "document""#]),
];

/// The maximum length of a shown prompt or title, in characters.
pub(super) const MAX_CHARS: usize = 200;

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
    fn a_shell_command_is_shown_as_it_was_typed() {
        let words = |text: &str| Prompt::Words(text.to_owned());
        assert_eq!(prompt_text("<bash-input> ls -l\n</bash-input>"), words("! ls -l"));
        assert_eq!(prompt_text("<bash-input>ls"), words("<bash-input>ls"));
    }

    #[test]
    fn generated_text_is_not_a_prompt() {
        for text in [
            "<bash-stdout>x</bash-stdout>",
            "<bash-stderr>x",
            "<local-command-stderr>x",
            "<tick>1",
            "[Request interrupted by user for tool use]",
            "<ide_selection>x</ide_selection>",
            " ",
        ] {
            assert_eq!(prompt_text(text), Prompt::Nothing, "{text}");
        }
        assert_eq!(prompt_text(&"\u{e9}".repeat(201)), Prompt::Words("\u{e9}".repeat(200) + "\u{2026}"));
    }
}
