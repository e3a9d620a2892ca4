//! The recorded lines, indexed by the request or message to which they belong.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use agentwire::transport::ExitReport;
use bytes::Bytes;

use super::{
    super::play::{Answer, answer},
    handshakes::is_granted,
    is_message,
};
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role},
    replay::exit_report,
    transcript::Entry,
};

/// The recorded lines, indexed by the request or message to which they belong.
#[derive(Debug, Default)]
pub(super) struct Book {
    /// The first handshake that the host sent.
    pub(super) initialize: Option<Json>,
    /// The CLI's requests, in order, with their text.
    pub(super) requests: Vec<(Recorded, Bytes)>,
    /// The recorded answers to each request of the CLI's, by its id.
    answers: Mutex<HashMap<Box<str>, VecDeque<Answer>>>,
    /// The CLI's replies, by the recorded id of our call.
    replies: HashMap<Box<str>, (usize, Recorded)>,
    /// The messages with their lines in the file.
    pub(super) messages: Vec<(usize, Bytes)>,
    /// How the CLI ended, if that was recorded.
    pub(super) end: Option<(usize, ExitReport)>,
    /// Whether the handshake got no reply, or an error.
    pub(super) is_refused: bool,
}

impl Book {
    pub(super) fn new(entries: &[(usize, Entry)]) -> Self {
        let mut book = Self::default();
        let mut handshake = None;
        for (line, entry) in entries {
            match entry {
                Entry::Outbound(text) => book.ours(text, &mut handshake),
                Entry::Inbound(text) => book.theirs(*line, text),
                Entry::End(end) => book.end = Some((*line, exit_report(end))),
                _ => {}
            }
        }
        let reply = handshake.and_then(|id: Box<str>| book.replies.get(&id));
        book.is_refused = !reply.is_some_and(|(_, reply)| is_granted(reply));
        book
    }

    /// Returns the next recorded answer to this request, if any.
    pub(super) fn answer(&self, id: &str) -> Option<Answer> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id)?.pop_front()
    }

    /// Returns all recorded answers to requests of this subtype.
    pub(super) fn answers_to(&self, subtype: &str) -> Vec<Answer> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let of_subtype = self.requests.iter().filter_map(|(read, _)| match &read.role {
            Role::Request { id, subtype: asked } if **asked == *subtype => answers.get(id),
            _ => None,
        });
        of_subtype.flatten().cloned().collect()
    }

    /// Returns the CLI's reply to a call of ours, with its line in the file.
    pub(super) fn reply(&self, id: &str) -> Option<(usize, &Recorded)> {
        self.replies.get(id).map(|(line, read)| (*line, read))
    }

    fn ours(&mut self, text: &Bytes, handshake: &mut Option<Box<str>>) {
        let Some(read) = Recorded::read(text) else { return };
        match &read.role {
            Role::Response { id } => {
                let answers = self.answers.get_mut().unwrap_or_else(PoisonError::into_inner);
                answers.entry(id.clone()).or_default().push_back(answer(&read, text));
            }
            Role::Request { id, subtype } if **subtype == *"initialize" && handshake.is_none() => {
                *handshake = Some(id.clone());
                self.initialize = read.request().cloned();
            }
            _ => {}
        }
    }

    fn theirs(&mut self, line: usize, text: &Bytes) {
        let read = Recorded::read(text);
        if is_message(read.as_ref()) && !text.trim_ascii().is_empty() {
            self.messages.push((line, text.clone()));
        }
        let Some(read) = read else { return };
        match &read.role {
            Role::Request { .. } => self.requests.push((read, text.clone())),
            Role::Response { id } => {
                self.replies.entry(id.clone()).or_insert((line, read));
            }
            _ => {}
        }
    }
}
