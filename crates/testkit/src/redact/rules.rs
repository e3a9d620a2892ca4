//! What is replaced for the place where it stands: fields of the CLI's frames, as a table.

use super::{
    ids::Numbers,
    json::{self, Token},
    prose::{PROSE, Prose},
};

/// Applies the table to the lines of one session.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    prose: &'a Prose,
    ids: Numbers,
}

impl<'a> Rules<'a> {
    pub(super) fn new(prose: &'a Prose) -> Self {
        Self { prose, ids: Numbers::default() }
    }

    /// The line with everything replaced that the table names, and all prose.
    pub(super) fn apply(&mut self, line: &str) -> String {
        json::rewrite(line, |token| self.replace(token))
    }

    fn replace(&mut self, token: Token<'_>) -> Option<String> {
        if token.keys.iter().any(|key| FOREIGN.contains(key)) {
            return token.is_string.then(|| self.prose.replace(token.raw)).flatten();
        }
        if !token.is_string {
            let number = NUMBERS.iter().find(|(key, _)| *key == token.key())?.1;
            return Some(number.to_owned());
        }
        if DESCRIPTIONS.contains(&token.key()) && !token.raw.is_empty() && !self.prose.is_own(token.raw) {
            return Some(PROSE.to_owned());
        }
        if IDS.contains(&token.key()) && !self.prose.is_own(token.raw) {
            return Some(format!("id{:07}", self.ids.of(token.raw)));
        }
        self.prose.replace(token.raw)
    }
}

/// Numbers that differ from run to run, and what they become.
const NUMBERS: &[(&str, &str)] = &[
    ("pid", "4242"),
    ("duration_ms", "1200"),
    ("duration_api_ms", "800"),
    ("ttft_ms", "300"),
    ("ttft_stream_ms", "300"),
    ("first_content_frame_ms", "300"),
    ("time_to_request_ms", "100"),
    ("retry_delay_ms", "500"),
    ("durationMs", "1200"),
];

/// Below these, a field is what the model or our side made it, whatever its name.
const FOREIGN: &[&str] = &["input", "tool_input", "updatedInput", "arguments", "structuredContent"];

/// Texts of the vendor's, however short.
const DESCRIPTIONS: &[&str] = &["description", "argumentHint", "whenToUse"];

/// Ids that the CLI makes up and that are no UUIDs.
const IDS: &[&str] = &["agent_id", "task_id", "run_id"];
