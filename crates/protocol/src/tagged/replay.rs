//! Fields held back until the tag was found, played before those that are still to come.

use std::vec;

use serde::de::{DeserializeSeed, Error, MapAccess, value::StrDeserializer};
use serde_json::value::RawValue;

use super::visit::Held;
use crate::decode::reason;

/// The held fields, then the rest of the object.
pub(super) struct Replay<A> {
    held: vec::IntoIter<Held>,
    value: Option<Box<RawValue>>,
    rest: A,
}

impl<A> Replay<A> {
    pub(super) fn new(held: Vec<Held>, rest: A) -> Self {
        Self { held: held.into_iter(), value: None, rest }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.held.next() {
            Some((name, value)) => {
                self.value = Some(value);
                seed.deserialize(StrDeserializer::new(&name)).map(Some)
            }
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            // Read as from a reader: the held text does not live as long as the input, so nothing may borrow from it.
            Some(value) => seed
                .deserialize(&mut serde_json::Deserializer::from_reader(value.get().as_bytes()))
                // Its position would count from the held field's start; `decode::locate` finds the true one.
                .map_err(|error| A::Error::custom(reason(&error))),
            None => self.rest.next_value_seed(seed),
        }
    }
}
