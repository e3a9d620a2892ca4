//! The parts of a request that the scripted model reads, and the few of them that it stores.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::script::Place;

/// The facts of one request; its text is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestFact {
    /// The HTTP method.
    pub method: Box<str>,
    /// The path, without the query.
    pub path: Box<str>,
    /// The model that was asked for.
    pub model: Option<Box<str>>,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// Whether it carried tools.
    pub tools: bool,
    /// How many messages it carried.
    pub messages: usize,
    /// The role of each message: `user` or `assistant`.
    pub roles: Vec<Box<str>>,
    /// How many tool results those messages held.
    pub tool_results: usize,
    /// The kind of answer.
    pub answer: Answer,
}

/// The kind of answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The next reply of the main list.
    Main,
    /// The next reply of the match at this position, from 0.
    Matched(usize),
    /// The side text.
    Side,
    /// The text that replaces replies when the list has run out.
    Exhausted,
    /// A count of tokens.
    TokenCount,
    /// No reply of the model: another path or method, or a body that is not a Messages request.
    Other,
}

/// A Messages request, read only as far as it is needed.
///
/// Texts are never decoded, so a lone surrogate in one does no harm.
#[derive(Deserialize)]
pub(super) struct MessagesRequest<'a> {
    pub(super) model: Option<Box<str>>,
    #[serde(default)]
    pub(super) stream: bool,
    #[serde(default)]
    tools: Option<Vec<IgnoredAny>>,
    context_management: Option<IgnoredAny>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

impl MessagesRequest<'_> {
    pub(super) fn has_tools(&self) -> bool {
        self.tools.as_ref().is_some_and(|tools| !tools.is_empty())
    }

    /// Returns whether it belongs to a conversation: an agent without tools is recognized by its context management.
    pub(super) fn is_main(&self) -> bool {
        self.has_tools() || self.context_management.is_some()
    }

    /// Returns whether the JSON text of that place contains the marker.
    pub(super) fn holds(&self, marker: &str, place: Place) -> bool {
        let marker = serde_json::Value::from(marker).to_string();
        let spelt = marker.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
        let holds = |json: Option<&&RawValue>| json.is_some_and(|json| json.get().contains(spelt));
        match place {
            Place::Prompt => holds(self.system.as_ref()) || holds(self.messages.first()),
            Place::Last => holds(self.messages.last()),
        }
    }

    pub(super) fn fact(&self, path: &str, answer: Answer) -> RequestFact {
        RequestFact {
            model: self.model.clone(),
            stream: self.stream,
            tools: self.has_tools(),
            messages: self.messages.len(),
            roles: self.messages.iter().map(|message| role(message)).collect(),
            tool_results: self.messages.iter().map(|message| tool_results(message)).sum(),
            ..RequestFact::bare("POST", path, answer)
        }
    }
}

impl RequestFact {
    pub(super) fn bare(method: &str, path: &str, answer: Answer) -> Self {
        Self {
            method: method.into(),
            path: path.into(),
            model: None,
            stream: false,
            tools: false,
            messages: 0,
            roles: Vec::new(),
            tool_results: 0,
            answer,
        }
    }
}

/// Returns the role of a message.
fn role(message: &RawValue) -> Box<str> {
    #[derive(Deserialize)]
    struct Message {
        role: Box<str>,
    }
    serde_json::from_str(message.get()).map_or_else(|_| "?".into(), |message: Message| message.role)
}

/// Returns the number of tool results in a message; 0 if its content is plain text.
fn tool_results(message: &RawValue) -> usize {
    #[derive(Deserialize)]
    struct Message {
        content: Vec<Typed>,
    }
    #[derive(Deserialize)]
    struct Typed {
        r#type: Box<str>,
    }
    serde_json::from_str(message.get()).map_or(0, |message: Message| {
        message.content.iter().filter(|block| &*block.r#type == "tool_result").count()
    })
}
