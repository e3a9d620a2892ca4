//! Event-specific output (`hookSpecificOutput`), read with the event's name.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        DeserializeSeed, Error, MapAccess, Visitor,
        value::{MapAccessDeserializer, StrDeserializer},
    },
};

use super::HookEvent;

/// The output type of events without event-specific output; it has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it has no value, and never will")]
pub enum NoOutput {}

impl Serialize for NoOutput {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        match *self {}
    }
}

impl<'de> Deserialize<'de> for NoOutput {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("this event has no output of its own"))
    }
}

/// The output, deserialized with the event's name.
pub(super) struct Specific<E: HookEvent>(pub(super) E::Output);

impl<'de, E: HookEvent> Deserialize<'de> for Specific<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SpecificVisitor(PhantomData))
    }
}

struct SpecificVisitor<E>(PhantomData<E>);

impl<'de, E: HookEvent> Visitor<'de> for SpecificVisitor<E> {
    type Value = Specific<E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output of a {} hook", E::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Specific<E>, A::Error> {
        let fields = MapAccessDeserializer::new(Unnamed { map, event: E::NAME });
        E::Output::deserialize(fields).map(Specific)
    }
}

/// Deserializes the fields without the event's name, which it checks.
struct Unnamed<A> {
    map: A,
    event: &'static str,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Unnamed<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<Box<str>>()? {
            if &*key != NAME {
                return seed.deserialize(StrDeserializer::new(&key)).map(Some);
            }
            let event: Box<str> = self.map.next_value()?;
            if &*event != self.event {
                let other = format!("the output of `{event}`, not of `{}`", self.event);
                return Err(A::Error::custom(other));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// The field with the event's name.
pub(super) const NAME: &str = "hookEventName";
