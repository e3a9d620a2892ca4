//! The effect of each kernel message on a call.

use std::time::Duration;

use jupyter_protocol::{
    CommClose, CommMsg, ExecuteReply, ExecutionState, JupyterMessageContent, Payload, ReplyError,
    ReplyStatus, Stdio,
};
use jupyter_zmq_client::RuntimeError;

use super::{Call, Phase, after};
use crate::output::plain;

impl Call {
    pub(super) fn take(&mut self, content: JupyterMessageContent) {
        // Kernels report `busy` before they handle interrupts.
        self.begun |= !matches!(content, JupyterMessageContent::Status(_));
        match content {
            JupyterMessageContent::StreamContent(stream) => {
                let seen =
                    self.output.print(usize::from(!matches!(stream.name, Stdio::Stdout)), &stream.text);
                if !seen.is_empty() {
                    let skipped = seen.chars().count().saturating_sub(REPORTED_CHARS);
                    // If the channel is full, the text is only in the result.
                    let _full = self.printed.try_send(seen.chars().skip(skipped).collect());
                }
            }
            JupyterMessageContent::DisplayData(shown) => {
                self.output.show(shown.transient.and_then(|transient| transient.display_id), &shown.data);
            }
            JupyterMessageContent::ExecuteResult(result) => {
                self.output.show(result.transient.and_then(|transient| transient.display_id), &result.data);
            }
            JupyterMessageContent::UpdateDisplayData(update) => {
                self.output.update(&update.transient.display_id.unwrap_or_default(), &update.data);
            }
            JupyterMessageContent::CommMsg(message) => self.note_capture(message),
            JupyterMessageContent::CommClose(CommClose { comm_id, .. }) => {
                self.capturing.remove(&comm_id);
            }
            JupyterMessageContent::ClearOutput(clear) if self.capturing.is_empty() => {
                self.output.clear(clear.wait);
            }
            JupyterMessageContent::ErrorOutput(error) => {
                self.error(&error.ename, &error.evalue, &error.traceback);
            }
            JupyterMessageContent::Status(status) => {
                self.idle |= status.execution_state == ExecutionState::Idle;
            }
            JupyterMessageContent::ExecuteReply(reply) => self.replied(reply),
            // The input echo, and an output widget that clears its own part, which is not known here.
            _ => {}
        }
        if self.reply.is_some() || self.idle {
            self.settle();
        }
    }

    /// Notes whether a widget captures the output: an `Output` of ipywidgets does while its `msg_id` is the request's id.
    fn note_capture(&mut self, message: CommMsg) {
        match message.data.get("state").and_then(|state| state["msg_id"].as_str()) {
            Some(id) if id == self.id => {
                self.capturing.insert(message.comm_id);
            }
            Some(_other) => {
                self.capturing.remove(&message.comm_id);
            }
            None => {}
        }
    }

    /// Starts the last phase; messages from background threads extend it only up to a limit.
    fn settle(&mut self) {
        // Ended code is not interrupted, because some kernels exit on an interrupt while idle.
        self.held = None;
        let latest = match self.phase {
            Phase::Settling { latest } => latest,
            _ => after(LONGEST_SETTLING),
        };
        self.phase = Phase::Settling { latest };
        self.until = after(SETTLE_LIMIT).min(latest);
    }

    /// Handles a message that can't be decoded.
    pub(super) fn unreadable(&mut self, error: &RuntimeError) {
        match error {
            // A late reply to the handshake.
            RuntimeError::ParseError { msg_type, .. } if msg_type == "kernel_info_reply" => return,
            RuntimeError::ParseError { msg_type, .. } => self.begun |= msg_type != "status",
            _ => {}
        }
        self.unreadable += 1;
    }

    fn replied(&mut self, reply: ExecuteReply) {
        // The code has called `quit()`, and the kernel expects its client to shut it down.
        let asks_exit = |payload: &Payload| matches!(payload, Payload::AskExit { keepkernel: false });
        self.quits |= reply.payload.iter().any(asks_exit);
        self.reply = Some(reply);
    }

    /// Shows the pages of the reply, and its error unless that was also sent as an output.
    pub(super) fn show_reply(&mut self) {
        let Some(reply) = self.reply.take() else { return };
        for payload in &reply.payload {
            if let Payload::Page { data, .. } = payload {
                self.output.show(None, data);
            }
        }
        if self.is_error || reply.status == ReplyStatus::Ok {
            return;
        }
        match reply.error.map(|error| *error) {
            Some(ReplyError { ename, evalue, traceback }) => self.error(&ename, &evalue, &traceback),
            // IRkernel answers an interrupt without an error.
            None if self.stop.is_some() && reply.status == ReplyStatus::Error => self.is_error = true,
            None => self.error("", "the kernel did not run the code", &[]),
        }
    }

    fn error(&mut self, name: &str, value: &str, traceback: &[String]) {
        self.is_error = true;
        let text = plain(&traceback.join("\n"));
        if text.trim().is_empty() {
            let both: Vec<_> = [name, value].into_iter().filter(|text| !text.is_empty()).collect();
            self.output.say(&both.join(": "));
        } else {
            self.output.say(&text);
        }
    }
}

/// The maximum time between messages after the code has ended.
const SETTLE_LIMIT: Duration = Duration::from_secs(5);
const LONGEST_SETTLING: Duration = Duration::from_secs(60);
/// The maximum length of one progress message, in characters.
const REPORTED_CHARS: usize = 2_000;
