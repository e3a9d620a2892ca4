//! Checks that each message comes once, by its `uuid`.

use std::collections::HashMap;

use super::super::facts::is_replay;
use super::Report;
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role},
};

/// The messages so far, by their `uuid`.
#[derive(Debug, Default)]
pub(super) struct Once {
    messages: HashMap<Box<str>, Message>,
    /// The line of the last `compact_boundary`.
    compacted: usize,
}

#[derive(Debug)]
struct Message {
    line: usize,
    /// The local command that the message answers.
    command: Option<Json>,
}

impl Once {
    /// Checks that no other message has the id. The echo of a prompt is not another message, and a compaction may
    /// repeat the answers to local commands that came before it.
    pub(super) fn see(&mut self, line: usize, read: &Recorded, report: &mut Report) {
        if read.role != Role::Message || is_replay(read) {
            return;
        }
        if (read.kind(), read.subtype()) == ("system", "compact_boundary") {
            self.compacted = line;
        }
        let Some(id) = read.json.text_at(&["uuid"]) else { return };
        let command = read.json.field("local_command_run").filter(|_| read.kind() == "assistant").cloned();
        let message = Message { line, command: command.clone() };
        let Some(first) = self.messages.insert(id.into(), message) else { return };
        let is_same_command = first.command.zip(command).is_some_and(|(first, second)| first.same(&second));
        if !is_same_command || first.line > self.compacted {
            report.find(line, format!("the message has the `uuid` of that of line {}", first.line));
        }
    }
}
