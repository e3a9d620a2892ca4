//! Untyped events, known or unknown to this version.

use agentwire_protocol::{DecodeError, RawJson, hook::HookEventName};
use serde::de::DeserializeOwned;

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
    /// Decodes the input as a type of your choice, such as a [`HookEvent::Input`](agentwire_protocol::hook::HookEvent::Input).
    ///
    /// # Errors
    ///
    /// If the input does not have that shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.raw.decode()
    }
}

/// The events that this version knows.
pub const EVENTS: &[&str] = HookEventName::KNOWN;
