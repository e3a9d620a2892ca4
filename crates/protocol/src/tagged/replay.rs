//! Fields held back until the tag was found, played before those that are still to come.

use std::vec;

use serde::de::{DeserializeSeed, Error, MapAccess, value::StrDeserializer};
use serde_json::value::RawValue;

use super::visit::Held;

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
                .map_err(|error| A::Error::custom(without_position(&error))),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// The error's text without its position, which counts from the start of the held field and so would mislead.
///
/// `decode::locate` finds the true one.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).map(str::to_owned).unwrap_or(text)
}
