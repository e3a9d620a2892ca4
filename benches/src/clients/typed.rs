//! What a program without an SDK makes of a line: types written by hand, with the fields that a user reads.
//!
//! They are what a good programmer writes who wants speed: no derived tagging, which buffers; the `type` of a line is looked
//! at first, and each kind is one flat struct, read in one pass.
//! `S` and `R` are what texts and free JSON are kept as: borrowed from the line ([`Borrowed`]), or owned ([`Owned`]).

#![expect(dead_code, reason = "all is read to be there, as by any program that keeps its messages")]

mod content;
mod text;

use std::borrow::{Borrow, Cow};

use agentwire_testkit::bench::Tally;
use serde::Deserialize;
use serde_json::{Deserializer, de::Read, value::RawValue};

pub(super) use content::Content;
pub(super) use text::Text;

/// A message that lives no longer than its line.
pub(super) type Borrowed<'a> = Message<Text<'a>, &'a RawValue>;
/// A message of its own.
pub(super) type Owned = Message<String, Box<RawValue>>;

#[derive(Debug)]
pub(super) enum Message<S, R> {
    StreamEvent(StreamEvent<S>),
    Assistant(Box<Spoken<S, R>>),
    User(Box<Spoken<S, R>>),
    System(Box<System<S>>),
    Result(Box<TurnResult<S>>),
    ControlRequest(Box<ControlRequest<S, R>>),
    ControlResponse(Box<ControlResponse<S, R>>),
    Other(Box<System<S>>),
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamEvent<S> {
    uuid: Option<S>,
    session_id: Option<S>,
    parent_tool_use_id: Option<S>,
    event: Event<S>,
}

#[derive(Debug, Deserialize)]
struct Event<S> {
    #[serde(rename = "type")]
    kind: EventKind,
    index: Option<u32>,
    delta: Option<Delta<S>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EventKind {
    MessageStart,
    ContentBlockStart,
    ContentBlockDelta,
    ContentBlockStop,
    MessageDelta,
    MessageStop,
    Ping,
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Delta<S> {
    #[serde(rename = "type")]
    kind: Option<DeltaKind>,
    #[serde(alias = "thinking", alias = "signature", alias = "partial_json")]
    text: Option<S>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DeltaKind {
    TextDelta,
    ThinkingDelta,
    SignatureDelta,
    InputJsonDelta,
    #[serde(other)]
    Other,
}

/// `assistant` and `user`.
#[derive(Debug, Deserialize)]
pub(super) struct Spoken<S, R> {
    uuid: Option<S>,
    session_id: Option<S>,
    parent_tool_use_id: Option<S>,
    message: ApiMessage<S, R>,
}

#[derive(Debug, Deserialize)]
struct ApiMessage<S, R> {
    id: Option<S>,
    model: Option<S>,
    stop_reason: Option<S>,
    content: Content<S, R>,
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct System<S> {
    subtype: Option<S>,
    uuid: Option<S>,
    session_id: Option<S>,
    status: Option<S>,
    cwd: Option<S>,
    model: Option<S>,
    tools: Option<Vec<S>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TurnResult<S> {
    uuid: Option<S>,
    session_id: Option<S>,
    subtype: S,
    is_error: bool,
    result: Option<S>,
    num_turns: Option<u64>,
    duration_ms: Option<u64>,
    duration_api_ms: Option<u64>,
    total_cost_usd: Option<f64>,
    stop_reason: Option<S>,
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ControlRequest<S, R> {
    pub(super) request_id: S,
    pub(super) request: Request<S, R>,
}

/// The requests of the three callbacks; what they are about is read by who answers.
#[derive(Debug, Deserialize)]
pub(super) struct Request<S, R> {
    pub(super) subtype: S,
    pub(super) callback_id: Option<S>,
    pub(super) tool_name: Option<S>,
    pub(super) tool_use_id: Option<S>,
    pub(super) input: Option<R>,
    pub(super) server_name: Option<S>,
    pub(super) message: Option<R>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ControlResponse<S, R> {
    response: Response<S, R>,
}

#[derive(Debug, Deserialize)]
struct Response<S, R> {
    subtype: S,
    request_id: S,
    response: Option<R>,
}

impl<'a, S: Deserialize<'a>, R: Deserialize<'a>> Message<S, R> {
    /// Reads a line.
    pub(super) fn read(line: &'a [u8]) -> serde_json::Result<Self> {
        let mut reader = Deserializer::from_slice(line);
        let message = Self::read_next(line, &mut reader)?;
        reader.end()?;
        Ok(message)
    }

    /// Reads a line that is the next that the reader has.
    pub(super) fn read_next<I: Read<'a>>(
        line: &[u8],
        reader: &mut Deserializer<I>,
    ) -> serde_json::Result<Self> {
        Ok(match &*kind(line)? {
            "stream_event" => Self::StreamEvent(StreamEvent::deserialize(reader)?),
            "assistant" => Self::Assistant(Box::deserialize(reader)?),
            "user" => Self::User(Box::deserialize(reader)?),
            "system" => Self::System(Box::deserialize(reader)?),
            "result" => Self::Result(Box::deserialize(reader)?),
            "control_request" => Self::ControlRequest(Box::deserialize(reader)?),
            "control_response" => Self::ControlResponse(Box::deserialize(reader)?),
            _ => Self::Other(Box::deserialize(reader)?),
        })
    }
}

impl<S: AsRef<str>, R: Borrow<RawValue>> Message<S, R> {
    /// Adds up what it says.
    pub(super) fn add_to(&self, tally: &mut Tally) {
        let mut say = |text: &Option<S>| text.iter().for_each(|text| tally.says(text.as_ref()));
        match self {
            Self::StreamEvent(message) => {
                say(&message.uuid);
                message.event.delta.iter().for_each(|delta| say(&delta.text));
            }
            Self::Assistant(message) | Self::User(message) => {
                say(&message.uuid);
                message.message.content.add_to(tally);
            }
            Self::Result(message) => {
                say(&message.uuid);
                say(&message.result);
            }
            Self::System(message) | Self::Other(message) => say(&message.uuid),
            Self::ControlRequest(_) | Self::ControlResponse(_) => {}
        }
    }
}

/// The `type`: right at the start, where the CLI writes it, or else looked for.
fn kind(line: &[u8]) -> serde_json::Result<Cow<'_, str>> {
    let first = line.strip_prefix(br#"{"type":""#).and_then(|rest| rest.get(..memchr::memchr(b'"', rest)?));
    match first.map(std::str::from_utf8) {
        Some(Ok(kind)) => Ok(Cow::Borrowed(kind)),
        _ => Ok(serde_json::from_slice::<Head<'_>>(line)?.kind),
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}
