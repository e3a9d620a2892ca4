//! The answer to a hook callback: a reply, or a notice that the callback continues asynchronously.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

use super::{BlockDecision, HookEvent, HookReply, specific::Specific};

/// The answer to a hook callback.
#[derive(Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "an answer is either a reply or asynchronous")]
pub enum HookAnswer<E: HookEvent> {
    /// A reply.
    Now(HookReply<E>),
    /// The CLI does not wait for the callback.
    Later(LaterReply),
}

impl<E: HookEvent> fmt::Debug for HookAnswer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(reply) => fmt::Debug::fmt(reply, f),
            Self::Later(later) => fmt::Debug::fmt(later, f),
        }
    }
}

impl<E: HookEvent> From<HookReply<E>> for HookAnswer<E> {
    fn from(reply: HookReply<E>) -> Self {
        Self::Now(reply)
    }
}

impl<E: HookEvent> From<LaterReply> for HookAnswer<E> {
    fn from(later: LaterReply) -> Self {
        Self::Later(later)
    }
}

/// An asynchronous answer (`{"async": true}`): the CLI does not wait, and the guarded action proceeds.
///
/// It has no later effect for callbacks: CLI 2.1.330 neither asks again nor accepts a second reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaterReply {
    /// The time limit of the work in milliseconds (`asyncTimeout`); no effect was seen for callbacks.
    pub async_timeout_ms: Option<u64>,
}

impl LaterReply {
    /// Returns an answer that lets the CLI continue.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Serialize for LaterReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("async", &true)?;
        if let Some(limit) = self.async_timeout_ms {
            map.serialize_entry("asyncTimeout", &limit)?;
        }
        map.end()
    }
}

impl<E: HookEvent> Serialize for HookAnswer<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Now(reply) => reply.serialize(serializer),
            Self::Later(later) => later.serialize(serializer),
        }
    }
}

impl<'de, E: HookEvent> Deserialize<'de> for HookAnswer<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::<E>::deserialize(deserializer)?;
        if fields.later == Some(true) {
            return Ok(Self::Later(LaterReply { async_timeout_ms: fields.async_timeout }));
        }
        Ok(Self::Now(HookReply {
            keep_going: fields.keep_going,
            stop_reason: fields.stop_reason,
            suppress_output: fields.suppress_output,
            system_message: fields.system_message,
            terminal_sequence: fields.terminal_sequence,
            decision: fields.decision,
            reason: fields.reason,
            output: fields.hook_specific_output.map(|Specific(output)| output),
        }))
    }
}

/// The fields of both kinds of answers on the wire.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "E: HookEvent"))]
struct Fields<E: HookEvent> {
    #[serde(rename = "async")]
    later: Option<bool>,
    async_timeout: Option<u64>,
    #[serde(rename = "continue")]
    keep_going: Option<bool>,
    stop_reason: Option<String>,
    suppress_output: Option<bool>,
    system_message: Option<String>,
    terminal_sequence: Option<String>,
    decision: Option<BlockDecision>,
    reason: Option<String>,
    hook_specific_output: Option<Specific<E>>,
}
