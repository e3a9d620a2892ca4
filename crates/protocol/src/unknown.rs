//! What a union holds when it meets a kind that it does not know.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer, de::DeserializeOwned};

use crate::{DecodeError, RawJson};

/// An object of a kind that this version does not know, whole.
///
/// Every union of this crate ends in a variant that holds one, so a newer CLI breaks nothing and loses nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unknown {
    /// The text of the tag, where the object had one and it was a string.
    pub kind: Option<Box<str>>,
    /// The object, with every field in its order; spacing between fields is not kept, the fields' own texts are.
    pub raw: RawJson,
}

impl Unknown {
    pub(crate) fn new(kind: Option<Box<str>>, raw: RawJson) -> Self {
        Self { kind, raw }
    }

    /// Reads one field, `None` where the object does not have it.
    ///
    /// # Errors
    ///
    /// When the field is there but does not have that shape.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DecodeError> {
        let fields: BTreeMap<String, RawJson> = self.raw.decode()?;
        fields.get(name).map(RawJson::decode).transpose()
    }
}

/// Written as the object that it was read from.
impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}
