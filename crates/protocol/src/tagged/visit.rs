//! Reads a tagged object: directly if the tag comes first, else with the fields before the tag buffered as text.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{
    Tagged,
    depth::Depth,
    held::{Held, Text},
    replay::Replay,
};
use crate::{
    RawJson, Unknown,
    decode::{self, Name, UNREAD},
};

/// Reads a tagged union.
pub(crate) fn deserialize<'de, T: Tagged, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(TaggedVisitor { within: &[], union: PhantomData })
}

/// Reads a tagged union from the rest of an object; an enclosing union has read the outer tags.
pub(crate) fn deserialize_within<'de, T: Tagged, D: Deserializer<'de>>(rest: D) -> Result<T, D::Error> {
    rest.deserialize_map(TaggedVisitor { within: T::WITHIN, union: PhantomData })
}

struct TaggedVisitor<T> {
    /// The tags that an enclosing union has read, to restore them in an unknown object.
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
        let mut held: Vec<Held<'de>> = Vec::new();
        let mut kind = None;
        while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
            let value: Text<'de> = map.next_value()?;
            if name == UNREAD.as_str() {
                return self.unread(&value);
            }
            if name == T::TAG {
                if let Some(known) = known::<T>(value.as_str()) {
                    // A tag before this one did not name a kind.
                    held.retain(|(name, _)| name != T::TAG);
                    return if held.is_empty() {
                        T::read(known, MapAccessDeserializer::new(map))
                    } else {
                        T::read(known, MapAccessDeserializer::new(Replay::new(held, map)))
                    };
                }
                kind = text(value.as_str());
            }
            held.push((name, value));
        }
        self.unknown(kind, &held)
    }
}

impl<T: Tagged> TaggedVisitor<T> {
    /// Keeps an object as unknown that [`tolerant`](decode::tolerant) could not read as its kind.
    fn unread<E: Error>(self, object: &Text<'_>) -> Result<T, E> {
        let raw = RawJson::parse(object.as_str()).map_err(E::custom)?;
        let kind = Unknown::new(None, raw.clone()).field(T::TAG).unwrap_or_default();
        Ok(T::unknown(Unknown::new(kind, raw)))
    }

    /// Keeps an object of an unknown kind, with its fields in their order.
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

/// Appends a field to the text of an object that is not closed yet.
fn put<E: Error>(text: &mut String, name: &str, value: &str) -> Result<(), E> {
    if text.len() > 1 {
        text.push(',');
    }
    text.push_str(&serde_json::to_string(name).map_err(E::custom)?);
    text.push(':');
    text.push_str(value);
    Ok(())
}

/// Returns the kind of a tag.
fn known<T: Tagged>(tag: &str) -> Option<T::Kind> {
    // Most tags have no escapes; compare those without decoding.
    unquoted(tag).and_then(T::kind_of).or_else(|| text(tag).as_deref().and_then(T::kind_of))
}

/// Returns the content of a string between the quotes, with its escapes.
fn unquoted(tag: &str) -> Option<&str> {
    tag.strip_prefix('"')?.strip_suffix('"')
}

/// Decodes the text of a tag; `None` if it is not a string.
fn text(tag: &str) -> Option<Box<str>> {
    let text = unquoted(tag)?;
    if text.contains('\\') { decode::decode(tag).ok() } else { Some(text.into()) }
}
