//! The steps of a replay.
//!
//! Lines are kept as text and parsed again when they are due: a parsed line takes five times the memory, and a thousand
//! replays may be held at once.

use std::collections::{HashMap, HashSet};

use agentwire_transport::{ExitReport, Signal};
use bytes::Bytes;

use crate::{
    recorded::{Recorded, Role},
    signals,
    transcript::{End, Entry, Transcript},
};

/// The steps of a replay, in order.
#[derive(Debug)]
pub(crate) struct ReplaySteps {
    pub(super) steps: Vec<Step>,
    /// The step of each request of the CLI, by id.
    requests: HashMap<Box<str>, usize>,
    /// The ids of requests that the CLI cancelled.
    cancelled: HashSet<Box<str>>,
}

#[derive(Debug)]
pub(super) struct Step {
    /// The line of the transcript's file.
    pub(super) line: usize,
    pub(super) action: Action,
}

#[derive(Debug)]
pub(super) enum Action {
    /// A line that we must send.
    Ours(Ours),
    /// A line of the CLI.
    Theirs(Bytes),
    /// The line of the CLI before it has no line feed.
    Cut,
    Stderr(Bytes),
    /// We must end the input.
    EndOfInput,
    /// We must end the peer; `None` for a signal that a handle can't send.
    Signal(Option<Signal>),
    End(ExitReport),
}

#[derive(Debug)]
pub(super) struct Ours {
    pub(super) text: Bytes,
    /// Its role in the control protocol; `None` if it is not a JSON object.
    pub(super) role: Option<Role>,
    /// Whether it has arrived.
    pub(super) arrived: bool,
    /// Whether it need not come: an answer to a request that was cancelled before.
    pub(super) optional: bool,
}

impl ReplaySteps {
    pub(crate) fn new(transcript: &Transcript) -> Self {
        let entries = transcript.entries.iter().enumerate();
        Self::of(entries.map(|(index, entry)| (transcript.line_number(index), entry.clone())))
    }

    /// Entries with their lines in the file.
    pub(crate) fn of(entries: impl IntoIterator<Item = (usize, Entry)>) -> Self {
        let mut replay = Self { steps: Vec::new(), requests: HashMap::new(), cancelled: HashSet::new() };
        for (line, entry) in entries {
            if let Some(action) = replay.action(entry) {
                replay.steps.push(Step { line, action });
            }
        }
        replay
    }

    /// Returns the place of a request of the CLI.
    pub(super) fn request(&self, id: &str) -> Option<usize> {
        self.requests.get(id).copied()
    }

    /// Returns a decoded line of the CLI.
    pub(super) fn theirs(&self, step: usize) -> Option<Recorded> {
        match &self.steps.get(step)?.action {
            Action::Theirs(text) => Recorded::read(text),
            _ => None,
        }
    }

    /// Returns whether the CLI cancels a request later.
    pub(super) fn is_cancelled(&self, id: &str) -> bool {
        self.cancelled.contains(id)
    }

    /// Records requests and cancellations.
    fn note(&mut self, read: &Recorded) {
        match &read.role {
            Role::Request { id, .. } => {
                self.cancelled.extend(self.cancelled_call(read));
                self.requests.insert(id.clone(), self.steps.len());
            }
            Role::Cancel { id } => {
                self.cancelled.insert(id.clone());
            }
            Role::Response { .. } | Role::Message => {}
        }
    }

    /// Returns the id of the request that an MCP cancellation names.
    fn cancelled_call(&self, read: &Recorded) -> Option<Box<str>> {
        let server = |read: &Recorded| read.json.text_at(&["request", "server_name"]).map(str::to_owned);
        let call = read.json.at(&["request", "message", "params", "requestId"])?;
        if read.json.text_at(&["request", "message", "method"]) != Some("notifications/cancelled") {
            return None;
        }
        let asked = self.requests.iter().filter_map(|(id, index)| Some((id, self.theirs(*index)?)));
        let is_it = |asked: &Recorded| {
            let id = asked.json.at(&["request", "message", "id"]);
            server(asked) == server(read) && id.is_some_and(|id| id.same(call))
        };
        let mut found = asked.filter(|(_, asked)| is_it(asked));
        found.next().map(|(id, _)| id.clone())
    }

    fn action(&mut self, entry: Entry) -> Option<Action> {
        match entry {
            Entry::Outbound(text) => {
                let role = Recorded::read(&text).map(|read| read.role);
                let optional = matches!(&role, Some(Role::Response { id }) if self.cancelled.contains(id));
                Some(Action::Ours(Ours { text, role, arrived: false, optional }))
            }
            Entry::Inbound(text) => {
                if let Some(read) = Recorded::read(&text) {
                    self.note(&read);
                }
                Some(Action::Theirs(text))
            }
            Entry::Stderr(text) => Some(Action::Stderr(text)),
            Entry::EndOfInput => Some(Action::EndOfInput),
            Entry::Signal(name) => Some(Action::Signal(match &*name {
                "SIGTERM" => Some(Signal::Term),
                "SIGKILL" => Some(Signal::Kill),
                _ => None,
            })),
            Entry::End(end) => Some(Action::End(exit_report(&end))),
            Entry::Comment(text) if text == Entry::UNFINISHED => {
                let is_theirs = matches!(self.steps.last(), Some(Step { action: Action::Theirs(_), .. }));
                is_theirs.then_some(Action::Cut)
            }
            Entry::Delay { .. } | Entry::Comment(_) | Entry::Blank | Entry::Unknown(_) => None,
        }
    }
}

impl Action {
    /// Returns whether a later prompt, request or cancellation of ours may arrive before this, as in an MCP handshake.
    pub(super) fn is_passed(&self) -> bool {
        match self {
            Self::Ours(_) => true,
            Self::Theirs(line) => Recorded::read(line).is_some_and(|read| {
                let is_mcp =
                    matches!(&read.role, Role::Request { subtype, .. } if **subtype == *"mcp_message");
                let method = read.json.text_at(&["request", "message", "method"]);
                is_mcp && method.is_some_and(|method| method != "tools/call")
            }),
            _ => false,
        }
    }
}

impl Ours {
    /// Decodes the line.
    pub(super) fn read(&self) -> Option<Recorded> {
        Recorded::read(&self.text)
    }

    /// Returns the id of the request that it answers, if it is an answer.
    pub(super) fn answers(&self) -> Option<&str> {
        match &self.role {
            Some(Role::Response { id }) => Some(id),
            _ => None,
        }
    }
}

/// Returns the exit report of a transport for this end.
pub fn exit_report(end: &End) -> ExitReport {
    match end {
        End::Exit(code) => ExitReport::exited(*code),
        End::Signal(name) => ExitReport::signalled(signals::number(name)),
    }
}
