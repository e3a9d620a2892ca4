//! Reading a tagged object: at once where the tag comes first, else with the fields before it held as text.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{
    Tagged,
    depth::Depth,
    held::{Held, Text},
    replay::Replay,
};
use crate::{RawJson, Unknown, decode};

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
        while let Some(name) = map.next_key_seed(NameSeed)? {
            let value = map.next_value()?;
            if name == T::TAG {
                return self.tagged(&mut held, value, map);
            }
            held.push((name, value));
        }
        self.unknown(None, &held)
    }
}

impl<T: Tagged> TaggedVisitor<T> {
    /// Goes on behind the tag, with the fields that came before it.
    fn tagged<'de, A>(self, held: &mut Vec<Held<'de>>, tag: Text<'de>, mut rest: A) -> Result<T, A::Error>
    where
        A: MapAccess<'de>,
    {
        // Most tags are written without escapes; one with escapes names no kind until they are read.
        let mut text = None;
        let known = unquoted(tag.as_str()).and_then(T::kind_of).or_else(|| {
            text = self::text(tag.as_str());
            text.as_deref().and_then(T::kind_of)
        });
        if let Some(kind) = known {
            if held.is_empty() {
                return T::read(kind, MapAccessDeserializer::new(rest));
            }
            return T::read(kind, MapAccessDeserializer::new(Replay::new(std::mem::take(held), rest)));
        }
        held.push((Cow::Borrowed(T::TAG), tag));
        while let Some(name) = rest.next_key_seed(NameSeed)? {
            held.push((name, rest.next_value()?));
        }
        self.unknown(text, held)
    }

    /// An object of no known kind, with its fields in the order in which they came.
    fn unknown<E: Error>(self, kind: Option<Box<str>>, fields: &[Held<'_>]) -> Result<T, E> {
        let mut text = String::from("{");
        for (name, value) in self.within {
            put(&mut text, name, &serde_json::to_string(value).map_err(E::custom)?)?;
        }
        for (name, value) in fields {
            put(&mut text, name, value.as_str())?;
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

/// What stands between the quotes of a string, with its escapes.
fn unquoted(tag: &str) -> Option<&str> {
    tag.strip_prefix('"')?.strip_suffix('"')
}

/// The text of a tag; `None` where it is no string.
fn text(tag: &str) -> Option<Box<str>> {
    let text = unquoted(tag)?;
    if text.contains('\\') { decode::decode(tag).ok() } else { Some(text.into()) }
}

/// Reads a key, borrowed where the input lasts.
struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }
}
