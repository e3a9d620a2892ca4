//! Reading a tagged object: at once where the tag comes first, else with the fields before it held as text.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Value, value::RawValue};

use super::{Tagged, replay::Replay};
use crate::{RawJson, Unknown};

/// A field read before its object's kind was known.
pub(super) type Held = (Box<str>, Box<RawValue>);

/// Reads any tagged union.
pub(crate) fn deserialize<'de, T: Tagged, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(TaggedVisitor(PhantomData))
}

struct TaggedVisitor<T>(PhantomData<T>);

impl<'de, T: Tagged> Visitor<'de> for TaggedVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a `{}`", T::TAG)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut held = Vec::new();
        while let Some(key) = map.next_key_seed(KeySeed(T::TAG))? {
            let Key::Other(name) = key else {
                return match map.next_value_seed(TagSeed::<T>(PhantomData))? {
                    Tag::Known(kind) if held.is_empty() => T::read(kind, MapAccessDeserializer::new(map)),
                    Tag::Known(kind) => T::read(kind, MapAccessDeserializer::new(Replay::new(held, map))),
                    Tag::Other(text) => unknown(Some(&text), Value::from(&*text), held, map),
                    Tag::NoText(value) => unknown(None, value, held, map),
                };
            };
            held.push((name, map.next_value()?));
        }
        Ok(T::unknown(Unknown::new(None, object::<T, A::Error>(held)?)))
    }
}

/// Collects an object of no known kind, with its tag where it stood.
fn unknown<'de, T: Tagged, A: MapAccess<'de>>(
    kind: Option<&str>,
    tag: Value,
    mut fields: Vec<Held>,
    mut rest: A,
) -> Result<T, A::Error> {
    fields.push((T::TAG.into(), serde_json::value::to_raw_value(&tag).map_err(Error::custom)?));
    while let Some(name) = rest.next_key::<Box<str>>()? {
        fields.push((name, rest.next_value()?));
    }
    Ok(T::unknown(Unknown::new(kind.map(Into::into), object::<T, A::Error>(fields)?)))
}

/// The text of an object with these fields, after those that an enclosing union has read.
fn object<T: Tagged, E: Error>(fields: Vec<Held>) -> Result<RawJson, E> {
    let mut text = String::from("{");
    let mut put = |name: &str, value: &str| -> Result<(), E> {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(name).map_err(E::custom)?);
        text.push(':');
        text.push_str(value);
        Ok(())
    };
    for (name, value) in T::WITHIN {
        put(name, &serde_json::to_string(value).map_err(E::custom)?)?;
    }
    for (name, value) in &fields {
        put(name, value.get())?;
    }
    text.push('}');
    RawJson::parse(text).map_err(E::custom)
}

/// Reads a key without allocating where it is the tag's.
struct KeySeed(&'static str);

enum Key {
    Tag,
    Other(Box<str>),
}

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Key, E> {
        Ok(if name == self.0 { Key::Tag } else { Key::Other(name.into()) })
    }
}

/// Reads the tag's value, which an unknown object may have as anything.
struct TagSeed<T>(PhantomData<T>);

enum Tag<K> {
    Known(K),
    Other(Box<str>),
    /// Not a string: written again as `serde_json` writes it.
    NoText(Value),
}

impl<'de, T: Tagged> DeserializeSeed<'de> for TagSeed<T> {
    type Value = Tag<T::Kind>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Tagged> Visitor<'de> for TagSeed<T> {
    type Value = Tag<T::Kind>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::kind_of(text).map_or_else(|| Tag::Other(text.into()), Tag::Known))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Tag::NoText(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Tag::NoText(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Tag::NoText(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Tag::NoText(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Tag::NoText(Value::Null))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(serde::de::value::SeqAccessDeserializer::new(seq)).map(Tag::NoText)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Tag::NoText)
    }
}
