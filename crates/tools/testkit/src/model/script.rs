//! The script of a scripted model: plain data, readable from JSON.

use std::iter;

use serde::Deserialize;
use serde_json::value::{RawValue, Value, to_raw_value};

use super::error::ModelError;

/// All replies that a scripted model gives.
///
/// A request takes the next reply of the first matching list: a list of [`Script::matches`] if the request contains its
/// marker; the main list if the request has tools or a `context_management`, like those of an agent without tools; else
/// the side text.
/// When a list has run out, the reply is the plain text `(script exhausted)`, and the model counts it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Script {
    /// `replies`: the replies of the main conversation.
    #[serde(default)]
    pub replies: Vec<Reply>,
    /// `match`: replies for requests that hold a marker, such as those of one subagent.
    #[serde(default, rename = "match")]
    pub matches: Vec<Match>,
    /// `side_text`: the answer to every side request (titles, summaries).
    #[serde(default = "side_text")]
    pub side_text: String,
}

/// Replies for requests that contain a marker.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Match {
    /// `marker`: the text to look for.
    pub marker: String,
    /// `in`: the place of the marker; `prompt` by default.
    #[serde(default, rename = "in")]
    pub place: Place,
    /// `replies`: the replies to such requests, in order of arrival.
    pub replies: Vec<Reply>,
}

/// The place in a request in which a marker is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Place {
    /// `prompt`: the system text and the first message, which stay the same over a conversation.
    ///
    /// A subagent's own prompt is there, and not in the requests of the agent that started it.
    #[default]
    Prompt,
    /// `last`: the last message, as in a compaction request.
    Last,
}

/// One reply of the model, or one failure.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reply {
    /// `blocks`: the content of the message.
    pub blocks: Vec<Block>,
    /// `stop_reason`: by default `tool_use` if a block is a tool use, else `end_turn`.
    pub stop_reason: Option<String>,
    /// `stop_details`: the field beside `stop_reason`, as the API writes it; not sent by default.
    pub stop_details: Option<Box<RawValue>>,
    /// `chunks`: the largest number of deltas of a block; by default 2 if something happens in mid-reply, else 1.
    pub chunks: Option<usize>,
    /// `repeat_text`: the number of repetitions of each text, for long lines; 1 by default.
    pub repeat_text: Option<usize>,
    /// `usage`: the tokens that the reply claims.
    pub usage: Usage,
    /// `hold_before`: the gate at which the reply waits before its first byte.
    pub hold_before: Option<String>,
    /// `delay_ms`: the pause before the first byte, in milliseconds. Prefer a gate.
    pub delay_ms: u64,
    /// `hold`: the gate at which the stream waits in its middle, after half of its deltas.
    pub hold: Option<String>,
    /// `pause_ms`: the pause between two deltas, in milliseconds. Prefer a gate.
    pub pause_ms: u64,
    /// `cut`: the connection breaks in the middle of the stream, after the gate if there is one.
    pub cut: bool,
    /// `error_event`: the stream ends in its middle with an `overloaded_error` event, after the gate if there is one.
    pub error_event: bool,
    /// `status`: fail with this HTTP status, from 400 to 599, instead of replying.
    pub status: Option<u16>,
    /// `retry_after`: the seconds in the failure's `retry-after` header.
    pub retry_after: Option<u32>,
    /// `error_message`: the text of the failure; by default it names the status.
    pub error_message: Option<String>,
    /// `times`: how often this reply is used before the next one; 1 by default.
    pub times: Option<usize>,
}

/// One content block of a reply.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "BlockJson")]
#[non_exhaustive]
pub enum Block {
    /// `{"text": "…"}`
    Text(String),
    /// `{"thinking": "…", "signature": "…"}`
    Thinking {
        /// The thought.
        thinking: String,
        /// The opaque proof that the thought is the model's.
        signature: String,
    },
    /// `{"tool_use": {"name": "…", "input": {…}, "id": "…"}}`
    ToolUse(ToolUse),
}

/// A call of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolUse {
    /// `name`: the tool.
    pub name: String,
    /// `input`: its input, sent as it is written here; `{}` by default.
    #[serde(default)]
    pub input: Option<Box<RawValue>>,
    /// `id`: the id of the call; deterministic by default.
    #[serde(default)]
    pub id: Option<String>,
}

/// The tokens that a reply claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Usage {
    /// `input_tokens`: 10 by default.
    pub input_tokens: u64,
    /// `output_tokens`: 5 by default.
    pub output_tokens: u64,
    /// `cache_creation_input_tokens`: 0 by default.
    pub cache_creation_input_tokens: u64,
    /// `cache_read_input_tokens`: 0 by default.
    pub cache_read_input_tokens: u64,
}

impl Script {
    /// Returns a script with these replies in the main conversation, such as [`Reply::tool_use`] and [`Reply::text`].
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { replies: replies.into_iter().collect(), ..Self::default() }
    }

    /// Reads a script.
    ///
    /// # Errors
    ///
    /// [`ModelError::Json`] if the text does not have the form of a script, for example because of an unknown field.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        serde_json::from_str(text)
            .map_err(|source| ModelError::Json { field: field_before(text, &source), source })
    }

    /// Returns the main list, then the lists of the matches.
    pub(super) fn lists(&self) -> impl Iterator<Item = &[Reply]> {
        iter::once(&*self.replies).chain(self.matches.iter().map(|found| &*found.replies))
    }

    /// Returns the names of all gates.
    pub(super) fn gates(&self) -> impl Iterator<Item = &str> {
        self.lists()
            .flatten()
            .flat_map(|reply| [&reply.hold, &reply.hold_before])
            .flatten()
            .map(String::as_str)
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        let refused =
            |place: String, problem| ModelError::Script { problem: format!("`{place}`: {problem}") };
        for (list, replies) in self.lists().enumerate() {
            let list = list.checked_sub(1).map_or_else(String::new, |index| format!("match[{index}]."));
            for (index, reply) in replies.iter().enumerate() {
                if let Some(problem) = reply.problem() {
                    return Err(refused(format!("{list}replies[{index}]"), problem));
                }
            }
        }
        match self.matches.iter().position(|found| found.marker.is_empty()) {
            Some(index) => Err(refused(format!("match[{index}]"), "an empty marker is in every request")),
            None => Ok(()),
        }
    }
}

/// Returns the last field name before the place of an error.
fn field_before(text: &str, error: &serde_json::Error) -> String {
    let lines = text.split_inclusive('\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let before = text.as_bytes().get(..before + error.column()).unwrap_or(text.as_bytes());
    let mut parts = before.rsplitn(2, |byte| *byte == b':');
    let name = parts.nth(1).and_then(|head| {
        let head = head.trim_ascii_end().strip_suffix(b"\"")?;
        head.rsplit(|byte| *byte == b'"').next()
    });
    name.map_or_else(|| "its start".to_owned(), |name| format!("`{}`", String::from_utf8_lossy(name)))
}

impl Default for Script {
    fn default() -> Self {
        Self { replies: Vec::new(), matches: Vec::new(), side_text: side_text() }
    }
}

impl Match {
    /// Creates the replies for requests whose [prompt](Place::Prompt) contains the marker.
    pub fn new(marker: impl Into<String>, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { marker: marker.into(), place: Place::Prompt, replies: replies.into_iter().collect() }
    }
}

impl Reply {
    /// Creates a reply of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: vec![Block::Text(text.into())], ..Self::default() }
    }

    /// Creates a reply of one tool use.
    pub fn tool_use(name: impl Into<String>, input: &Value) -> Self {
        // A `Value` can always be written.
        let input = to_raw_value(input).ok();
        let call = ToolUse { name: name.into(), input, id: None };
        Self { blocks: vec![Block::ToolUse(call)], ..Self::default() }
    }

    /// Creates a failure with this HTTP status.
    pub fn failure(status: u16) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// Returns how often the reply is sent.
    pub(super) fn count(&self) -> usize {
        self.times.unwrap_or(1)
    }

    /// Returns whether the reply has an action in the middle of the stream.
    pub(super) fn has_middle(&self) -> bool {
        self.hold.is_some() || self.cut || self.error_event || self.pause_ms > 0
    }

    fn problem(&self) -> Option<&'static str> {
        let bad_status = self.status.is_some_and(|status| !(400..600).contains(&status));
        let zero = [self.chunks, self.repeat_text, self.times].contains(&Some(0));
        if bad_status {
            return Some("`status` is not from 400 to 599");
        }
        if zero {
            return Some("`chunks`, `repeat_text` and `times` are at least 1");
        }
        if self.status.is_some() && (self.has_middle() || !self.blocks.is_empty()) {
            return Some("a failure, with `status`, has no `blocks` and no middle");
        }
        let describes_failure = self.retry_after.is_some() || self.error_message.is_some();
        if describes_failure && self.status.is_none() && !self.error_event {
            return Some("`error_message` and `retry_after` need a `status` or an `error_event`");
        }
        (self.cut && self.error_event).then_some("it has both `cut` and `error_event`")
    }
}

impl ToolUse {
    /// Returns the input as JSON text.
    pub(super) fn input_json(&self) -> &str {
        self.input.as_ref().map_or("{}", |input| input.get())
    }
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input_tokens: 10,
            output_tokens: 5,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
        }
    }
}

/// A block in its JSON form, before its kind is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockJson {
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    tool_use: Option<ToolUse>,
}

impl TryFrom<BlockJson> for Block {
    type Error = &'static str;

    fn try_from(json: BlockJson) -> Result<Self, Self::Error> {
        match json {
            BlockJson { text: Some(text), thinking: None, signature: None, tool_use: None } => {
                Ok(Self::Text(text))
            }
            BlockJson { text: None, thinking: Some(thinking), signature, tool_use: None } => {
                Ok(Self::Thinking { thinking, signature: signature.unwrap_or_default() })
            }
            BlockJson { text: None, thinking: None, signature: None, tool_use: Some(call) } => {
                Ok(Self::ToolUse(call))
            }
            _ => Err("a block is one of `text`, `thinking` (with `signature`) and `tool_use`"),
        }
    }
}

fn side_text() -> String {
    "A side answer".to_owned()
}
