//! Events by name: all that this version knows, and those that it does not know yet.

use std::fmt::Display;

use agentwire_protocol::{
    DecodeError, RawJson,
    hook::{EventVisitor, HookAnswer, HookEvent, HookEventName, HookReply, LaterReply, visit_events},
};
use serde::de::DeserializeOwned;

use crate::excerpt;

/// An event of any kind, with its input as it came.
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

    /// Reads the input as a type of the caller's, such as a [`HookEvent::Input`].
    ///
    /// # Errors
    ///
    /// When the input does not have that shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.raw.decode()
    }
}

/// What a handler of an untyped event may return: nothing, raw JSON, a [`HookReply`], a [`HookAnswer`], a
/// [`LaterReply`], or a `Result` of any of them.
pub trait IntoAnyReply {
    /// The reply, an object.
    ///
    /// # Errors
    ///
    /// Why there is none: as with [`IntoReply`](crate::IntoReply).
    fn into_any_reply(self) -> Result<RawJson, String>;
}

/// Everything goes ahead as without the hook.
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

/// The refusal of one event: `None` where it can't refuse.
pub(crate) type Refusal = fn(&str) -> Option<RawJson>;

/// The refusal of a typed event.
pub(crate) fn refusal_of<E: HookEvent>(reason: &str) -> Option<RawJson> {
    E::refusal(reason).and_then(|refusal| RawJson::encode(&refusal).ok())
}

/// The refusal of an event by its name; `None` where this version does not know the event.
pub(crate) fn refusal_by_name(name: &str) -> Option<Refusal> {
    let mut find = Find { name, refusal: None };
    visit_events(&mut find);
    find.refusal
}

/// The events that this version knows.
pub const EVENTS: &[&str] = HookEventName::KNOWN;

/// Looks for the event of a name.
struct Find<'a> {
    name: &'a str,
    refusal: Option<Refusal>,
}

impl EventVisitor for Find<'_> {
    fn event<E: HookEvent>(&mut self) {
        if E::NAME == self.name {
            self.refusal = Some(refusal_of::<E>);
        }
    }
}
