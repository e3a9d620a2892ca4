//! The result of a turn contains the last text of the model.

use super::super::facts::{Facts, content, is_main, is_plain_success};
use super::Report;
use agentwire_testkit::{json::Json, recorded::Recorded};

/// The words that a result must repeat.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The text of the last block of the main conversation; empty if it is not text.
    last: Box<str>,
    /// The last text, even if other blocks follow it.
    text: Box<str>,
}

impl Outcome {
    pub(super) fn see(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        match read.kind() {
            "assistant" if is_main(read) => {
                let last = content(read).last().and_then(|block| block.text_at(&["text"]));
                self.last = last.unwrap_or_default().into();
                if let Some(text) = last {
                    self.text = text.into();
                }
            }
            "result" => {
                let turn = std::mem::take(self);
                if !facts.tasks && is_plain_success(read) && !turn.is_reported_by(read) {
                    report.find(line, "the result is not the last text of its turn");
                }
            }
            "conversation_reset" => *self = Self::default(),
            _ => {}
        }
    }

    fn is_reported_by(&self, result: &Recorded) -> bool {
        let Some(text) = result.json.text_at(&["result"]) else { return true };
        let is_structured =
            result.json.field("structured_output").is_some_and(|output| !Json::is_null(output));
        is_structured || text.trim() == self.last.trim() || text.trim() == self.text.trim()
    }
}
