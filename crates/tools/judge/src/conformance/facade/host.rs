//! The user of the session: sends each line when it is due.

use std::{collections::HashMap, panic::resume_unwind};

use agentwire::{Control, ControlError, RawJson};
use bytes::Bytes;
use tokio::task::JoinHandle;

use super::super::play::{self, raw};
use agentwire_testkit::{
    ReplayHandle,
    recorded::{Recorded, Role},
    replay::Due,
};

/// The user of the session.
pub(super) struct Host {
    control: Control,
    replay: ReplayHandle,
    /// Our calls, by their recorded ids.
    calls: HashMap<Box<str>, JoinHandle<Result<RawJson, ControlError>>>,
}

impl Host {
    pub(super) fn new(control: Control, replay: ReplayHandle) -> Self {
        Self { control, replay, calls: HashMap::new() }
    }

    /// Sends lines until none is due, and returns the outcomes of the calls by their recorded ids.
    pub(super) async fn run(mut self) -> Vec<(Box<str>, Result<RawJson, ControlError>)> {
        loop {
            match self.replay.due().await {
                Due::Line(line) => self.send(&line).await,
                Due::EndOfInput => self.control.end_input(),
                Due::Over => break,
            }
        }
        let mut replies = Vec::new();
        for (id, call) in self.calls {
            // A cancelled call was removed, so only a panic is left.
            replies.push((id, call.await.unwrap_or_else(|error| resume_unwind(error.into_panic()))));
        }
        replies
    }

    async fn send(&mut self, line: &Bytes) {
        let read = Recorded::read(line);
        match read.as_ref().map(|read| (read, &read.role)) {
            Some((read, Role::Request { id, subtype })) => {
                if let Some(request) = read.request().and_then(|request| raw(request, line)) {
                    self.call(id, subtype, request);
                }
            }
            Some((_, Role::Cancel { id })) if self.calls.contains_key(id) => {
                // Dropping a call's future cancels the call.
                self.calls.remove(id).into_iter().for_each(|call| call.abort());
            }
            read => self.say(line, read.map(|(read, _)| read)).await,
        }
    }

    /// Sends a prompt as a prompt if that produces the recorded line, and as a line otherwise.
    async fn say(&self, line: &Bytes, read: Option<&Recorded>) {
        let sent = match read.and_then(|read| play::prompt(read, line)) {
            Some(prompt) => self.control.send(&prompt).await,
            None => self.control.send_line([line.as_ref(), b"\n"].concat().into()).await,
        };
        // The replay reports a missing line.
        drop(sent);
    }

    fn call(&mut self, id: &str, subtype: &str, request: RawJson) {
        let (control, subtype) = (self.control.clone(), subtype.to_owned());
        let call = tokio::spawn(async move { control.call_raw(&subtype, &request).await });
        self.calls.insert(id.into(), call);
    }
}
