//! `Unknown`: an object of an unknown kind.

use std::fmt;

use serde::{
    Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};

use crate::{DecodeError, RawJson};

/// An object of a kind that this version does not know.
///
/// Every union of this crate ends in a variant with this type, so messages of a newer CLI are neither errors nor lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unknown {
    /// The tag, if the object has one and it is a string.
    pub kind: Option<Box<str>>,
    /// The object with every field in its original order, and each value as it was written.
    ///
    /// Spacing between fields and escapes in their names are not kept.
    /// If an object has two tags, as `system` messages have, the outer one comes first.
    pub raw: RawJson,
}

impl Unknown {
    /// Creates an unknown object for a union of the caller's own.
    pub fn new(kind: Option<Box<str>>, raw: RawJson) -> Self {
        Self { kind, raw }
    }

    /// Reads the last field of this name; `None` if the object does not have it.
    ///
    /// # Errors
    ///
    /// Returns an error if the field does not have the shape of `T`; positions count from the start of its value.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DecodeError> {
        self.raw_fields(name).pop().map(|value| value.decode()).transpose()
    }

    /// Reads the object as `T`, if it has no field named `tag` and has the shape of `T`.
    pub(crate) fn decode_untagged<T: DeserializeOwned>(&self, tag: &str) -> Option<T> {
        if self.raw_fields(tag).is_empty() { self.raw.decode().ok() } else { None }
    }

    /// Returns the values of all fields of this name.
    pub(crate) fn raw_fields(&self, name: &str) -> Vec<RawJson> {
        // The text was built from fields that were read, so it is a valid object.
        serde_json::Deserializer::from_str(self.raw.as_str())
            .deserialize_map(FieldsVisitor(name))
            .unwrap_or_default()
    }
}

/// Serializes the original object.
///
/// Tools can find unknown objects by the newtype name; JSON does not show it.
impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("agentwire::Unknown", &self.raw)
    }
}

/// Collects the fields of one name and skips the others.
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
