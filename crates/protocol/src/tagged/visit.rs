//! Reading a tagged object: at once where the tag comes first, else with the fields before it held as text.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::value::RawValue;

use super::{Tagged, depth::Depth, replay::Replay};
use crate::{RawJson, Unknown, decode};

/// A field as name and text, read before its object's kind was known, or kept because it is not.
pub(super) type Held = (Box<str>, Box<RawValue>);

/// Reads a tagged union.
pub(crate) fn deserialize<'de, T: Tagged, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(TaggedVisitor { within: &[], union: PhantomData })
}

/// Reads a tagged union on the rest of an object, whose outer tags an enclosing union has read.
pub(crate) fn deserialize_within<'de, T: Tagged, D: Deserializer<'de>>(rest: D) -> Result<T, D::Error> {
    rest.deserialize_map(TaggedVisitor { within: T::WITHIN, union: PhantomData })
}

struct TaggedVisitor<T> {
    /// The fields that an enclosing union has read, to be put back into an unknown object.
    within: &'static [(&'static str, &'static str)],
    union: PhantomData<T>,
}

impl<'de, T: Tagged> Visitor<'de> for TaggedVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a `{}`", T::TAG)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let _depth = Depth::enter()?;
        let mut held = Vec::new();
        while let Some(key) = map.next_key_seed(KeySeed(T::TAG))? {
            let name = match key {
                Key::Other(name) => name,
                Key::Tag => {
                    let tag: Box<RawValue> = map.next_value()?;
                    return self.tagged(&mut held, tag, map);
                }
            };
            held.push((name, map.next_value()?));
        }
        self.unknown(None, &held)
    }
}

impl<T: Tagged> TaggedVisitor<T> {
    /// Goes on behind the tag, with the fields that came before it.
    fn tagged<'de, A>(self, held: &mut Vec<Held>, tag: Box<RawValue>, mut rest: A) -> Result<T, A::Error>
    where
        A: MapAccess<'de>,
    {
        let kind = TagText::of(&tag);
        match kind.as_str().and_then(T::kind_of) {
            Some(kind) if held.is_empty() => return T::read(kind, MapAccessDeserializer::new(rest)),
            Some(kind) => {
                let fields = Replay::new(std::mem::take(held), rest);
                return T::read(kind, MapAccessDeserializer::new(fields));
            }
            None => {}
        }
        let kind = kind.as_str().map(Box::from);
        held.push((T::TAG.into(), tag));
        while let Some(name) = rest.next_key::<Box<str>>()? {
            held.push((name, rest.next_value()?));
        }
        self.unknown(kind, held)
    }

    /// An object of no known kind, with its fields in the order in which they came.
    fn unknown<E: Error>(self, kind: Option<Box<str>>, fields: &[Held]) -> Result<T, E> {
        let mut text = String::from("{");
        for (name, value) in self.within {
            put(&mut text, name, &serde_json::to_string(value).map_err(E::custom)?)?;
        }
        for (name, value) in fields {
            put(&mut text, name, value.get())?;
        }
        text.push('}');
        Ok(T::unknown(Unknown::new(kind, RawJson::parse(text).map_err(E::custom)?)))
    }
}

/// Adds a field to the text of an object that is not closed yet.
fn put<E: Error>(text: &mut String, name: &str, value: &str) -> Result<(), E> {
    if text.len() > 1 {
        text.push(',');
    }
    text.push_str(&serde_json::to_string(name).map_err(E::custom)?);
    text.push(':');
    text.push_str(value);
    Ok(())
}

/// The text of a tag, copied only where it is written with escapes.
enum TagText<'a> {
    Plain(&'a str),
    Escaped(Box<str>),
    /// The tag is there but no string.
    NoText,
}

impl<'a> TagText<'a> {
    fn of(tag: &'a RawValue) -> Self {
        match tag.get().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(text) if !text.contains('\\') => Self::Plain(text),
            Some(_) => decode::decode(tag.get()).map_or(Self::NoText, Self::Escaped),
            None => Self::NoText,
        }
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Self::Plain(text) => Some(text),
            Self::Escaped(text) => Some(text),
            Self::NoText => None,
        }
    }
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
