//! Checks that each message comes once, by its `uuid`.

use std::collections::HashMap;

use super::super::facts::is_replay;
use super::Report;
use agentwire_testkit::recorded::{Recorded, Role};

/// The line on which each message came, by its `uuid`.
#[derive(Debug, Default)]
pub(super) struct Once(HashMap<Box<str>, usize>);

impl Once {
    /// Checks that no other message has the id. The echo of a prompt is not another message.
    pub(super) fn see(&mut self, line: usize, read: &Recorded, report: &mut Report) {
        if read.role != Role::Message || is_replay(read) {
            return;
        }
        let Some(id) = read.json.text_at(&["uuid"]) else { return };
        if let Some(first) = self.0.insert(id.into(), line) {
            report.find(line, format!("the message has the `uuid` of that of line {first}"));
        }
    }
}
