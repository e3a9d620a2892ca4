//! Untyped events, known or unknown to this version.

use std::fmt::Display;

use agentwire_protocol::{
    DecodeError, RawJson,
    hook::{HookAnswer, HookEvent, HookEventName, HookReply, LaterReply},
};
use serde::de::DeserializeOwned;

use crate::excerpt;

/// An event of any kind, with its raw input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnyHook {
    /// The event's name, such as `PreToolUse`.
    pub name: Box<str>,
    /// The event's input, an object.
    pub raw: RawJson,
}

impl AnyHook {
    pub(crate) fn new(name: &str, raw: RawJson) -> Self {
        Self { name: name.into(), raw }
    }

    /// Decodes the input as a type of your choice, such as a [`HookEvent::Input`].
    ///
    /// # Errors
    ///
    /// If the input does not have that shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.raw.decode()
    }
}

/// A value that a handler of an untyped event may return: nothing, raw JSON, a [`HookReply`], a [`HookAnswer`], a
/// [`LaterReply`], or a `Result` of any of them.
///
/// For a known event ([`EVENTS`]) it must be a valid reply to that event. An unknown key or decision, which the CLI would
/// ignore, is a failure of the handler.
pub trait IntoAnyReply {
    /// Converts the value into the reply, an object.
    ///
    /// # Errors
    ///
    /// The handler's error; see [`IntoReply`](crate::IntoReply).
    fn into_any_reply(self) -> Result<RawJson, String>;
}

/// An empty reply: everything proceeds as without the hook.
impl IntoAnyReply for () {
    fn into_any_reply(self) -> Result<RawJson, String> {
        Ok(RawJson::empty_object())
    }
}

impl IntoAnyReply for RawJson {
    fn into_any_reply(self) -> Result<RawJson, String> {
        Ok(self)
    }
}

impl<E: HookEvent> IntoAnyReply for HookReply<E> {
    fn into_any_reply(self) -> Result<RawJson, String> {
        RawJson::encode(&self).map_err(|error| error.to_string())
    }
}

impl<E: HookEvent> IntoAnyReply for HookAnswer<E> {
    fn into_any_reply(self) -> Result<RawJson, String> {
        RawJson::encode(&self).map_err(|error| error.to_string())
    }
}

/// The CLI does not wait.
impl IntoAnyReply for LaterReply {
    fn into_any_reply(self) -> Result<RawJson, String> {
        RawJson::encode(&self).map_err(|error| error.to_string())
    }
}

/// An error is the handler's failure.
impl<R: IntoAnyReply, D: Display> IntoAnyReply for Result<R, D> {
    fn into_any_reply(self) -> Result<RawJson, String> {
        match self {
            Ok(reply) => reply.into_any_reply(),
            Err(error) => Err(excerpt(&error.to_string()).into_owned()),
        }
    }
}

/// The events that this version knows.
pub const EVENTS: &[&str] = HookEventName::KNOWN;
