//! Types of the client without an SDK, with the fields that a user reads.
//!
//! They are optimized for speed: `type` is read first, and each kind is a flat struct, so serde does not buffer.

#![expect(dead_code, reason = "all is read to be there, as by any program that keeps its messages")]

mod content;

use std::borrow::Cow;

use crate::cli::Tally;
use serde::Deserialize;
use serde_json::{Deserializer, value::RawValue};

pub(super) use content::Content;

#[derive(Debug)]
pub(super) enum Message {
    StreamEvent(StreamEvent),
    Assistant(Box<Spoken>),
    User(Box<Spoken>),
    System(Box<System>),
    Result(Box<TurnResult>),
    ControlRequest(Box<ControlRequest>),
    ControlResponse(Box<ControlResponse>),
    Other(Box<System>),
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamEvent {
    uuid: Option<String>,
    session_id: Option<String>,
    parent_tool_use_id: Option<String>,
    event: Event,
}

#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: EventKind,
    index: Option<u32>,
    delta: Option<Delta>,
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
struct Delta {
    #[serde(rename = "type")]
    kind: Option<DeltaKind>,
    #[serde(alias = "thinking", alias = "signature", alias = "partial_json")]
    text: Option<String>,
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

/// A message of type `assistant` or `user`.
#[derive(Debug, Deserialize)]
pub(super) struct Spoken {
    uuid: Option<String>,
    session_id: Option<String>,
    parent_tool_use_id: Option<String>,
    message: ApiMessage,
}

#[derive(Debug, Deserialize)]
struct ApiMessage {
    id: Option<String>,
    model: Option<String>,
    stop_reason: Option<String>,
    content: Content,
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
pub(super) struct System {
    subtype: Option<String>,
    uuid: Option<String>,
    session_id: Option<String>,
    status: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
    tools: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TurnResult {
    uuid: Option<String>,
    session_id: Option<String>,
    subtype: String,
    is_error: bool,
    result: Option<String>,
    num_turns: Option<u64>,
    duration_ms: Option<u64>,
    duration_api_ms: Option<u64>,
    total_cost_usd: Option<f64>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ControlRequest {
    pub(super) request_id: String,
    pub(super) request: Request,
}

/// The requests of the three callbacks; the handler decodes their content.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    pub(super) subtype: String,
    pub(super) callback_id: Option<String>,
    pub(super) tool_name: Option<String>,
    pub(super) tool_use_id: Option<String>,
    pub(super) input: Option<Box<RawValue>>,
    pub(super) server_name: Option<String>,
    pub(super) message: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ControlResponse {
    response: Response,
}

#[derive(Debug, Deserialize)]
struct Response {
    subtype: String,
    request_id: String,
    response: Option<Box<RawValue>>,
}

impl Message {
    /// Decodes a line.
    pub(super) fn read(line: &[u8]) -> serde_json::Result<Self> {
        let mut reader = Deserializer::from_slice(line);
        let message = match &*kind(line)? {
            "stream_event" => Self::StreamEvent(StreamEvent::deserialize(&mut reader)?),
            "assistant" => Self::Assistant(Box::deserialize(&mut reader)?),
            "user" => Self::User(Box::deserialize(&mut reader)?),
            "system" => Self::System(Box::deserialize(&mut reader)?),
            "result" => Self::Result(Box::deserialize(&mut reader)?),
            "control_request" => Self::ControlRequest(Box::deserialize(&mut reader)?),
            "control_response" => Self::ControlResponse(Box::deserialize(&mut reader)?),
            _ => Self::Other(Box::deserialize(&mut reader)?),
        };
        reader.end()?;
        Ok(message)
    }

    /// Adds the texts to the tally.
    pub(super) fn add_to(&self, tally: &mut Tally) {
        let mut say = |text: &Option<String>| text.iter().for_each(|text| tally.text(text));
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

/// Returns the `type`: from the start of the line, where the CLI writes it, or else by a search.
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
