//! What a union holds when it meets a kind that it does not know.

use std::fmt;

use serde::{
    Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};

use crate::{DecodeError, RawJson};

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

    /// Reads one field, the last of that name; `None` where the object does not have it.
    ///
    /// # Errors
    ///
    /// When the field is there but does not have that shape; the positions count from the start of its value.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DecodeError> {
        self.raw_fields(name).pop().map(|value| value.decode()).transpose()
    }

    /// Reads the object as a type of ours, if it has no field of the name of `tag` and has that shape.
    pub(crate) fn decode_untagged<T: DeserializeOwned>(&self, tag: &str) -> Option<T> {
        if self.raw_fields(tag).is_empty() { self.raw.decode().ok() } else { None }
    }

    /// All fields of one name, as text.
    pub(crate) fn raw_fields(&self, name: &str) -> Vec<RawJson> {
        // The text was put together from fields that were read, so it always reads as an object.
        serde_json::Deserializer::from_str(self.raw.as_str())
            .deserialize_map(FieldsVisitor(name))
            .unwrap_or_default()
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

/// Picks the fields of a name, and skips the others without keeping them.
struct FieldsVisitor<'a>(&'a str);

impl<'de> Visitor<'de> for FieldsVisitor<'_> {
    type Value = Vec<RawJson>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == self.0 {
                found.push(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
