//! Replays fields that were buffered until the tag was found, then reads the remaining fields.

use std::{borrow::Cow, vec};

use serde::de::{
    DeserializeSeed, Error, MapAccess,
    value::{BorrowedStrDeserializer, StringDeserializer},
};

use super::held::{Held, Text};
use crate::decode::{note_held_fault, note_held_name, note_no_held_fault, reason};

/// The buffered fields and the rest of the object.
pub(super) struct Replay<'de, A> {
    held: vec::IntoIter<Held<'de>>,
    value: Option<Text<'de>>,
    rest: A,
}

impl<'de, A> Replay<'de, A> {
    pub(super) fn new(held: Vec<Held<'de>>, rest: A) -> Self {
        Self { held: held.into_iter(), value: None, rest }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.held.next() {
            Some((name, value)) => {
                note_held_name(&name);
                self.value = Some(value);
                match name {
                    Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some),
                    Cow::Owned(name) => seed.deserialize(StringDeserializer::new(name)).map(Some),
                }
            }
            None => {
                note_no_held_fault();
                self.rest.next_key_seed(seed)
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        let Some(value) = self.value.take() else { return self.rest.next_value_seed(seed) };
        note_no_held_fault();
        let read = match &value {
            Text::Borrowed(text) => seed.deserialize(&mut serde_json::Deserializer::from_str(text)),
            // Read as transient: the buffered text does not live as long as the input, so values must not borrow
            // from it.
            Text::Owned(text) => {
                seed.deserialize(&mut serde_json::Deserializer::from_reader(text.get().as_bytes()))
            }
        };
        read.map_err(|error| {
            note_held_fault(value.as_str(), &error);
            A::Error::custom(reason(&error))
        })
    }
}
