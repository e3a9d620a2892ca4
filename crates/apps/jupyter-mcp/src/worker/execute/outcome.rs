//! The result of a call: its output, and how it ended.

use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock};

use super::{Call, End, Stop};
use crate::kernel::last_words;

impl Call {
    pub(super) fn outcome(mut self, end: &End) -> CallToolResult {
        let is_wanted = match end {
            End::Finished => self.reply.is_some(),
            End::Quit => true,
            End::Died(_) => self.quits,
            _ => false,
        };
        // Before `show_reply`, which takes the reply.
        let ending = self.ending(end);
        self.show_reply();
        let is_error = self.is_error || self.stop.is_some() || !is_wanted;
        let mut notes = Vec::new();
        if self.unreadable > 0 {
            notes.push(format!("[{} messages of the kernel could not be read.]", self.unreadable));
        }
        notes.extend(ending);
        let mut content = self.output.into_content(&notes);
        if content.is_empty() {
            content.push(ContentBlock::text("(no output)"));
        }
        if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
    }

    fn ending(&self, end: &End) -> Option<String> {
        let why = match self.stop {
            Some(Stop::TimedOut) => format!("not finished within {}", seconds(self.limit)),
            Some(Stop::Cancelled) => "the call was cancelled".to_owned(),
            Some(Stop::Asked) => "interrupt_kernel was called".to_owned(),
            None => String::new(),
        };
        Some(match end {
            End::Finished if self.stop.is_none() && self.reply.is_some() => return None,
            End::Finished if self.stop.is_none() => UNREPORTED.to_owned(),
            End::Finished => format!("[Interrupted: {why}. What was computed before is kept.]"),
            End::Quit => format!("[The code ended the kernel.\n{LOST}]"),
            End::Died(_) if self.quits => format!("[The code ended the kernel.\n{LOST}]"),
            End::Died(report) => {
                let mut words = last_words(report);
                if self.stop.is_some() {
                    words = format!("after an interrupt: {why}; {words}");
                }
                format!("[The kernel ended while this ran ({words}).\n{LOST}]")
            }
            End::Deaf => {
                let grace = seconds(self.grace);
                format!(
                    "[The kernel was ended: {why}, and an interrupt was not heeded within {grace}.\n{LOST}]"
                )
            }
            End::Restarted => "[The kernel was restarted while this ran.]".to_owned(),
            End::Closed => "[The server was ended while this ran.]".to_owned(),
            End::Lost(error) => {
                format!("[The kernel was ended: the connection to it failed ({error}).\n{LOST}]")
            }
        })
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

const UNREPORTED: &str = "[The kernel did not report how the code ended.]";
const LOST: &str = "The next call starts a new one, without anything that was computed.";
