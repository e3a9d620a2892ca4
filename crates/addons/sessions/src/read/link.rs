//! The fields of an entry that determine its place in the conversation.

use agentwire_protocol::session_info::SessionMessageKind;
use agentwire_protocol::{RawJson, Uuid};
use serde_json::Value;

use crate::RawEntry;
use crate::entry::last;

/// An entry's links to others.
#[derive(Debug)]
pub(super) struct Link {
    /// The index in the order in which entries were written.
    pub(super) entry: usize,
    pub(super) uuid: Uuid,
    pub(super) kind: Kind,
    pub(super) parent: Option<Uuid>,
    pub(super) session: String,
    pub(super) sidechain: bool,
    pub(super) team: bool,
    pub(super) meta: bool,
    /// Whether the CLI generated it: it is `meta` without another sender, or it ends a turn without an answer.
    pub(super) generated: bool,
    pub(super) summary: bool,
    pub(super) agent: Option<String>,
    pub(super) timestamp: String,
    /// The entry of the tool use that this is the result of (`sourceToolAssistantUUID`).
    pub(super) source: Option<Uuid>,
    /// The id of the model's response that contains this block.
    pub(super) response: Option<String>,
    /// The ids of the tool calls in it.
    pub(super) calls: Vec<String>,
    /// The ids of the tool calls whose results it contains.
    pub(super) results: Vec<String>,
    /// Whether the user's text reports an interruption.
    pub(super) interrupts: bool,
    pub(super) attachment: Value,
    /// The messages that a compaction kept (`compactMetadata`).
    pub(super) kept: Value,
}

/// The kinds of entries that link to their parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Progress,
    System,
    Attachment,
}

impl Kind {
    pub(super) fn is_message(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }

    /// Returns the kind of the message.
    pub(super) fn of_message(self) -> SessionMessageKind {
        match self {
            Self::Assistant => SessionMessageKind::Assistant,
            Self::System => SessionMessageKind::System,
            Self::User | Self::Progress | Self::Attachment => SessionMessageKind::User,
        }
    }
}

impl Link {
    /// Returns the links of an entry; `None` if it is not part of the conversation.
    pub(super) fn of(at: usize, entry: &RawEntry) -> Option<Self> {
        let kind = match entry.kind() {
            "user" => Kind::User,
            "assistant" => Kind::Assistant,
            "progress" => Kind::Progress,
            "system" => Kind::System,
            "attachment" => Kind::Attachment,
            _ => return None,
        };
        let [parent, session, agent, timestamp, origin, source, message, attachment, kept, flags @ ..] =
            last(entry.as_json(), FIELDS)?;
        let [sidechain, team, meta, summary, quiet] = flags.map(|flag| is_true(&value(flag)));
        let message = message.as_ref().map(Message::of).unwrap_or_default();
        let response = message.id.filter(|id| kind == Kind::Assistant && !id.is_empty());
        Some(Self {
            entry: at,
            uuid: entry.uuid()?.clone(),
            kind,
            parent: text(parent).filter(|parent| !parent.is_empty()).map(Uuid::from),
            session: text(session).unwrap_or_default(),
            sidechain,
            team,
            meta,
            generated: meta && !is_sent(&value(origin)) || quiet && message.silent && kind == Kind::Assistant,
            summary,
            agent: text(agent),
            timestamp: text(timestamp).unwrap_or_default(),
            source: text(source).map(Uuid::from),
            response,
            calls: message.calls,
            results: message.results,
            interrupts: message.interrupts,
            attachment: value(attachment),
            kept: value(kept),
        })
    }

    /// Returns whether it is a tool result.
    pub(super) fn is_result(&self) -> bool {
        self.kind == Kind::User && self.parent.is_some() && !self.results.is_empty()
    }

    /// Returns whether it is an attachment of this kind.
    pub(super) fn attaches(&self, kind: &str) -> bool {
        self.kind == Kind::Attachment && self.attachment["type"] == kind
    }

    /// Returns whether the same agent, or the main conversation, wrote both.
    pub(super) fn same_writer(&self, other: &Self) -> bool {
        self.sidechain == other.sidechain && self.agent == other.agent
    }
}

/// Returns the message of an entry, with its exact text.
pub(super) fn message(entry: &RawEntry) -> Option<RawJson> {
    let [message] = last(entry.as_json(), ["message"])?;
    message
}

/// Decodes a value; returns null if it is too deep or a number is too big, so that the rest of the entry stays usable.
fn value(raw: Option<RawJson>) -> Value {
    raw.and_then(|raw| raw.decode().ok()).unwrap_or_default()
}

fn text(raw: Option<RawJson>) -> Option<String> {
    raw?.decode().ok()
}

/// Returns whether a message with this origin was sent to the session, although the CLI marks it as its own (`isMeta`).
pub(crate) fn is_sent(origin: &Value) -> bool {
    SENDERS.iter().any(|sender| origin["kind"] == *sender)
}

/// Returns whether JavaScript and Python treat the value as true.
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}

/// The relevant fields of a message.
#[derive(Default)]
struct Message {
    id: Option<String>,
    calls: Vec<String>,
    results: Vec<String>,
    interrupts: bool,
    /// Whether its only block is a text that stands for no answer.
    silent: bool,
}

impl Message {
    fn of(raw: &RawJson) -> Self {
        let Some([id, content]) = last(raw, ["id", "content"]) else { return Self::default() };
        let texts = content.as_ref().and_then(|content| content.decode::<String>().ok());
        let blocks = content.and_then(|content| content.decode::<Vec<RawJson>>().ok()).unwrap_or_default();
        let block = |raw| last(raw, ["type", "id", "tool_use_id", "text"]).unwrap_or_default();
        let blocks: Vec<Block> = blocks.iter().map(block).collect();
        let ids = |kind: &str, id: fn(&Block) -> Option<&RawJson>| {
            let blocks = blocks.iter().filter(|[tag, ..]| tag.as_ref().is_some_and(|tag| is_text(tag, kind)));
            blocks.filter_map(|block| id(block)?.decode().ok()).collect()
        };
        let first = || blocks.first().and_then(|[.., words]| text(words.clone()));
        let start = texts.or_else(first).unwrap_or_default();
        let is_text_alone = matches!(&blocks[..], [[Some(kind), ..]] if is_text(kind, "text"));
        Self {
            id: text(id),
            calls: ids("tool_use", |[_, id, ..]| id.as_ref()),
            results: ids("tool_result", |[.., id, _]| id.as_ref()),
            interrupts: start.starts_with("[Request interrupted by user"),
            silent: is_text_alone && NO_ANSWER.contains(&start.as_str()),
        }
    }
}

/// The type, id, `tool_use_id` and text of a block; a model may have produced any content in the other fields.
type Block = [Option<RawJson>; 4];

fn is_text(raw: &RawJson, text: &str) -> bool {
    raw.decode::<String>().is_ok_and(|value| value == text)
}

/// The kinds of senders (`origin.kind`) whose messages are marked as the CLI's own.
const SENDERS: [&str; 6] = ["channel", "peer", "slack-ping", "voice-call", "observer", "observer-activity"];

/// The texts with which the CLI ends a turn without an answer (`closesQuietTurn`).
const NO_ANSWER: [&str; 2] = ["", "No response requested."];

/// In the order in which [`Link::of`] destructures them.
const FIELDS: [&str; 14] = [
    "parentUuid",
    "sessionId",
    "agentId",
    "timestamp",
    "origin",
    "sourceToolAssistantUUID",
    "message",
    "attachment",
    "compactMetadata",
    "isSidechain",
    "teamName",
    "isMeta",
    "isCompactSummary",
    "closesQuietTurn",
];
