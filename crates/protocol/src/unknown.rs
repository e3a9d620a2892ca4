//! What a union holds when it meets a kind that it does not know.

use std::fmt;

use serde::{
    Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};

use crate::{DecodeError, RawJson, json::Reader};

/// An object of a kind that this version does not know, whole.
///
/// Every union of this crate ends in a variant that holds one, so a newer CLI breaks nothing and loses nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unknown {
    /// The text of the tag, where the object had one and it was a string.
    pub kind: Option<Box<str>>,
    /// The object, with every field in its order and each field's value as it was written.
    ///
    /// Spacing between fields and escapes in their names are not kept.
    /// Where two tags lie on one object, as in `system` messages, the outer one comes first.
    pub raw: RawJson,
}

impl Unknown {
    /// An object that a union of one's own does not know, and the text of its tag.
    pub fn new(kind: Option<Box<str>>, raw: RawJson) -> Self {
        Self { kind, raw }
    }

    /// Reads one field, the first of that name; `None` where the object does not have it.
    ///
    /// # Errors
    ///
    /// When the field is there but does not have that shape; the positions count from the start of its value.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DecodeError> {
        self.raw_field(name).map(|value| value.decode()).transpose()
    }

    /// Reads the object as a type of ours, if it has no field of the name of `tag` and has that shape.
    pub(crate) fn decode_untagged<T: DeserializeOwned>(&self, tag: &str) -> Option<T> {
        match self.raw_field(tag) {
            None => self.raw.decode().ok(),
            Some(_) => None,
        }
    }

    /// One field as text, the first of that name.
    fn raw_field(&self, name: &str) -> Option<RawJson> {
        // The text was put together from fields that were read, so it always reads as an object.
        Reader::new(self.raw.as_str()).deserialize_map(FieldVisitor(name)).ok().flatten()
    }
}

/// Written as the object that it was read from.
///
/// The name of the newtype is for tools that look for what is not known; JSON does not show it.
impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("agentwire::Unknown", &self.raw)
    }
}

/// Picks the first field of a name, and skips the others without keeping them.
struct FieldVisitor<'a>(&'a str);

impl<'de> Visitor<'de> for FieldVisitor<'_> {
    type Value = Option<RawJson>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = map.next_key::<String>()? {
            if found.is_none() && name == self.0 {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
