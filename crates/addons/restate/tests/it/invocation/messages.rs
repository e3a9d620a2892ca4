//! The fields that the tests use of the protocol's messages.

use prost::Message;
use serde_json::Value as Json;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Start {
    #[prost(bytes = "vec", tag = "1")]
    id: Vec<u8>,
    #[prost(string, tag = "2")]
    shown_id: String,
    #[prost(uint32, tag = "3")]
    known_entries: u32,
    #[prost(message, repeated, tag = "4")]
    state: Vec<Entry>,
    #[prost(string, tag = "6")]
    key: String,
}

impl Start {
    /// Returns the start of an invocation whose journal has only the input.
    pub(super) fn new(key: &str, state: &[(&str, Json)]) -> Self {
        let state = state
            .iter()
            .map(|(key, value)| Entry { key: (*key).to_owned(), value: value.to_string().into_bytes() })
            .collect();
        Self { id: vec![1; 24], shown_id: "inv_1".to_owned(), known_entries: 1, state, key: key.to_owned() }
    }
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Value {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) content: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Input {
    #[prost(message, optional, tag = "14")]
    value: Option<Value>,
}

impl Input {
    pub(super) fn new(content: Vec<u8>) -> Self {
        Self { value: Some(Value { content }) }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Output {
    #[prost(message, optional, tag = "14")]
    pub(super) value: Option<Value>,
    #[prost(message, optional, tag = "15")]
    pub(super) failure: Option<Failed>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Failed {
    #[prost(uint32, tag = "1")]
    pub(super) code: u32,
    #[prost(string, tag = "2")]
    pub(super) message: String,
}

/// A change of the state.
#[derive(Clone, PartialEq, Message)]
pub(super) struct State {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "3")]
    pub(super) value: Option<Value>,
}

/// A step or a timer.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Named {
    /// The end of a timer, in milliseconds since 1970.
    #[prost(uint64, tag = "1")]
    pub(super) due: u64,
    #[prost(uint32, tag = "11")]
    pub(super) completion: u32,
    #[prost(string, tag = "12")]
    pub(super) name: String,
}

/// The result of a step.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Proposal {
    #[prost(uint32, tag = "1")]
    pub(super) id: u32,
    #[prost(bytes = "vec", tag = "14")]
    pub(super) value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OneWayCall {
    #[prost(string, tag = "1")]
    pub(super) service: String,
    #[prost(string, tag = "2")]
    pub(super) handler: String,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) parameter: Vec<u8>,
    #[prost(string, tag = "6")]
    pub(super) key: String,
}

/// The resolution of an awakeable.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Resolved {
    #[prost(string, tag = "1")]
    pub(super) target: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<Value>,
}

#[derive(Clone, PartialEq, Message)]
struct Nothing {}

/// The stored result of a step, or the end of a timer.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Completion {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(message, optional, tag = "4")]
    nothing: Option<Nothing>,
    #[prost(message, optional, tag = "5")]
    value: Option<Value>,
}

impl Completion {
    pub(super) fn of(id: u32, content: Option<Vec<u8>>) -> Self {
        let nothing = content.is_none().then_some(Nothing {});
        Self { id, nothing, value: content.map(|content| Value { content }) }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Signal {
    #[prost(uint32, tag = "2")]
    number: u32,
    #[prost(message, optional, tag = "4")]
    nothing: Option<Nothing>,
    #[prost(message, optional, tag = "5")]
    value: Option<Value>,
}

impl Signal {
    pub(super) fn of(number: u32, content: Option<Vec<u8>>) -> Self {
        let nothing = content.is_none().then_some(Nothing {});
        Self { number, nothing, value: content.map(|content| Value { content }) }
    }
}
