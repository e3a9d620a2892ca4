//! Reads a transcript into items: requests, answers, and the frames of each.

mod control;
mod messages;
mod rpc;
mod stream;
mod system;

use std::collections::{BTreeMap, BTreeSet};

use agentwire_protocol::{Message, control::CallVisitor, control::ControlCall};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::facts::Facts;
use super::item::{Item, Kind, Outcome};
use super::part::{Look, Part, Place};
use agentwire_testkit::{End, Transcript, transcript::Entry};

/// The items and facts of a transcript.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) items: Vec<Item>,
    pub(super) turns: Vec<Turn>,
    pub(super) facts: Facts,
    /// Whether pauses were recorded, so that there are times.
    pub(super) timed: bool,
    /// Whether this is a stored session, which has no results.
    pub(super) stored: bool,
    /// The end of the page's measure: milliseconds, or entries.
    pub(super) end: u64,
}

/// The items up to a result; the first element of the list is the time before the first turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) from: u64,
    pub(super) to: u64,
    /// The line with which it began.
    pub(super) line: usize,
    /// Its result's item.
    pub(super) result: Option<usize>,
    /// The prompt of the turn, shortened.
    pub(super) about: String,
}

/// Reads the whole transcript.
pub(super) fn read(session: &Transcript) -> Reading {
    let timed = session.entries.iter().any(|entry| matches!(entry, Entry::Delay { .. }));
    let mut reader = Reader::new(session, timed);
    for (index, entry) in session.entries.iter().enumerate() {
        reader.begin(index);
        reader.entry(entry);
    }
    reader.finish()
}

/// Returns whether this is a stored session: without a start or a result of a turn, and without a process.
fn is_stored(session: &Transcript) -> bool {
    let is_of_process = |entry: &Entry| !matches!(entry, Entry::Inbound(_) | Entry::Outbound(_));
    if session.entries.iter().any(is_of_process) {
        return false;
    }
    #[derive(Deserialize)]
    struct Head {
        r#type: Option<String>,
        subtype: Option<String>,
    }
    !session.inbound().any(|line| {
        serde_json::from_slice::<Head>(line).is_ok_and(|head| match head.r#type.as_deref() {
            Some("system") => head.subtype.as_deref() == Some("init"),
            kind => kind == Some("result"),
        })
    })
}

/// Which side sent a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    In,
    Out,
}

impl Way {
    fn other(self) -> Self {
        match self {
            Self::In => Self::Out,
            Self::Out => Self::In,
        }
    }
}

/// The state of the reader.
struct Reader<'a> {
    session: &'a Transcript,
    /// The line of the first entry.
    first_line: usize,
    timed: bool,
    stored: bool,
    items: Vec<Item>,
    turns: Vec<Turn>,
    /// Whether the last turn waits for its result.
    in_turn: bool,
    facts: Facts,
    /// The entry that is being read, its line and its time.
    entry: usize,
    line: usize,
    now: u64,
    elapsed: u64,
    /// Requests by direction and id.
    asked: BTreeMap<(Way, String), usize>,
    /// JSON-RPC requests by direction, server and id.
    called: BTreeMap<(Way, String, String), usize>,
    /// Tool uses by id, with their input.
    tools: BTreeMap<String, (usize, Value)>,
    /// The tool use that started an agent, by the agent's id.
    agents: BTreeMap<String, String>,
    /// Streams and messages by the id of their message.
    streams: BTreeMap<String, usize>,
    /// The message that streams, by the tool use of its agent.
    streaming: BTreeMap<Option<String>, String>,
    /// The requests of ours that have a type.
    calls: BTreeSet<&'static str>,
}

impl<'a> Reader<'a> {
    fn new(session: &'a Transcript, timed: bool) -> Self {
        let mut calls = Calls::default();
        agentwire_protocol::control::visit_calls(&mut calls);
        Self {
            session,
            first_line: session.line_number(0),
            timed,
            stored: is_stored(session),
            items: Vec::new(),
            turns: vec![Turn::default()],
            in_turn: false,
            facts: Facts::of_header(session),
            entry: 0,
            line: 0,
            now: 0,
            elapsed: 0,
            asked: BTreeMap::new(),
            called: BTreeMap::new(),
            tools: BTreeMap::new(),
            agents: BTreeMap::new(),
            streams: BTreeMap::new(),
            streaming: BTreeMap::new(),
            calls: calls.0,
        }
    }

    fn begin(&mut self, entry: usize) {
        self.entry = entry;
        self.line = self.first_line + entry;
        self.now = if self.timed { self.elapsed } else { entry as u64 };
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.result.is_none()) {
            turn.to = self.now;
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Inbound(line) => self.frame(Way::In, line),
            Entry::Outbound(line) => self.frame(Way::Out, line),
            Entry::Delay { millis } => self.elapsed = self.elapsed.saturating_add(*millis).min(LONGEST),
            Entry::Blank => {}
            Entry::Stderr(line) => {
                let item = self.repeated(Kind::Process, "stderr", None);
                if self.items[item].parts.len() < STDERR {
                    let text = String::from_utf8_lossy(line);
                    self.part(item, Part::new(Look::Code, "", &text, Place::new(self.line, "")));
                }
            }
            Entry::EndOfInput => self.note(Kind::Process, "end of input"),
            Entry::Signal(name) => self.note(Kind::Process, format!("we sent {name}")),
            Entry::End(End::Exit(code)) => self.note(Kind::Process, format!("the CLI exited with {code}")),
            Entry::End(End::Signal(name)) => self.note(Kind::Process, format!("{name} ended the CLI")),
            Entry::Comment(text) => self.note(Kind::Process, String::from_utf8_lossy(text)),
            _ => {
                let item = self.push(Kind::Unknown, "a newer kind of entry");
                self.items[item].badges.push(UNKNOWN);
            }
        }
    }

    fn frame(&mut self, way: Way, line: &Bytes) {
        let message = match Message::from_bytes(line) {
            Ok(message) => message,
            Err(error) => return self.undecodable(way, line, &error.to_string()),
        };
        // Some SDKs send `default` as the session's id.
        if way == Way::In {
            self.facts.take_ids(&message);
        }
        match message {
            Message::ControlRequest(asked) => self.request(way, &asked),
            Message::ControlResponse(answer) => self.response(way, &answer),
            Message::ControlCancelRequest(cancel) => self.cancel(way, cancel.request_id.as_str()),
            Message::User(user) => self.user(way, &user),
            Message::Assistant(message) => self.assistant(&message),
            Message::StreamEvent(event) => self.stream_event(&event),
            Message::Result(result) => self.result(&result),
            Message::System(system) => self.system(&system),
            Message::Unknown(unknown) => {
                let kind = unknown.kind.as_deref().unwrap_or("without a type");
                self.unknown(kind, &unknown.raw);
            }
            Message::ToolProgress(progress) => {
                let about = progress.parent_tool_use_id.as_ref().map(|id| id.to_string());
                self.repeated(Kind::System, "tool_progress", about);
            }
            other => {
                self.repeated(Kind::System, other.kind(), None);
            }
        }
    }

    fn undecodable(&mut self, way: Way, line: &Bytes, why: &str) {
        if line.trim_ascii().is_empty() {
            return self.note(Kind::Process, "a blank line");
        }
        let from = if way == Way::In { "from the CLI" } else { "from us" };
        let item = self.push(Kind::Unknown, "cannot be decoded");
        self.items[item].note = from.to_owned();
        self.items[item].badges.push(UNDECODABLE);
        self.items[item].outcome = Some(Outcome::bad(why));
    }

    fn unknown(&mut self, kind: &str, raw: &agentwire_protocol::RawJson) {
        let place = Place::new(self.line, "");
        let item = self.push(Kind::Unknown, kind);
        self.items[item].badges.push(UNKNOWN);
        let mut value = control::value(raw);
        if let Value::Object(fields) = &mut value {
            fields.remove("type");
        }
        self.items[item].parts = Part::of_value("", &value, &place);
    }

    /// Adds an item that shows the current entry.
    fn push(&mut self, kind: Kind, title: impl Into<String>) -> usize {
        let item = self.push_without(kind, title);
        self.items[item].entries.push(self.entry);
        item
    }

    /// Adds an item that only mentions the current entry, which another item shows.
    fn push_without(&mut self, kind: Kind, title: impl Into<String>) -> usize {
        self.items.push(Item {
            kind,
            title: title.into(),
            note: String::new(),
            outcome: None,
            badges: Vec::new(),
            parts: Vec::new(),
            entries: Vec::new(),
            streamed: Vec::new(),
            mentions: Vec::new(),
            from: self.now,
            to: self.now,
            turn: self.turns.len() - 1,
            about: None,
            agent: None,
            parent: None,
            gone: false,
        });
        self.items.len() - 1
    }

    fn note(&mut self, kind: Kind, title: impl Into<String>) {
        self.push(kind, title);
    }

    /// Frames of one kind that come in a row are one item.
    fn repeated(&mut self, kind: Kind, title: &str, about: Option<String>) -> usize {
        let last = self.items.len().checked_sub(1);
        let same = last.filter(|last| {
            let item = &self.items[*last];
            item.kind == kind
                && item.title == title
                && item.about == about
                && item.turn == self.turns.len() - 1
        });
        match same {
            Some(item) => {
                self.add(item);
                item
            }
            None => {
                let item = self.push(kind, title);
                self.items[item].about = about;
                item
            }
        }
    }

    /// Shows the current entry with an existing item.
    fn add(&mut self, item: usize) {
        self.items[item].entries.push(self.entry);
        self.items[item].to = self.now;
    }

    /// Mentions the current line in an existing item.
    fn mention(&mut self, item: usize) {
        if self.items[item].mentions.last() != Some(&self.line) {
            self.items[item].mentions.push(self.line);
        }
        self.items[item].to = self.now;
    }

    /// Opens a turn, unless one waits for its result.
    fn open_turn(&mut self, about: &str) {
        if self.in_turn {
            return;
        }
        self.in_turn = true;
        let about = about.lines().next().unwrap_or_default();
        self.turns.push(Turn {
            from: self.now,
            to: self.now,
            line: self.line,
            result: None,
            about: super::escape::beginning(about, 160).to_owned(),
        });
    }

    fn finish(self) -> Reading {
        let end = if self.timed { self.elapsed } else { self.session.entries.len() as u64 };
        let Self { items, turns, facts, timed, stored, tools, agents, .. } = self;
        let mut reading = Reading { items, turns, facts, timed, stored, end };
        super::nest::nest(&mut reading.items, &tools, &agents);
        reading
    }
}

#[derive(Default)]
struct Calls(BTreeSet<&'static str>);

impl CallVisitor for Calls {
    fn call<C>(&mut self)
    where
        C: ControlCall + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug + 'static,
        C::Reply: serde::Serialize + PartialEq + std::fmt::Debug,
    {
        self.0.insert(C::SUBTYPE);
    }
}

/// The number of lines of stderr in a row that are shown; the others are with the frames.
const STDERR: usize = 8;
/// In milliseconds: longer than any session, and short enough to be drawn without an overflow.
const LONGEST: u64 = 1 << 48;
pub(super) const UNKNOWN: &str = "unknown";
pub(super) const UNDECODABLE: &str = "undecodable";
