//! `RawJson`: free-form JSON, kept as text.

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::decode::{DecodeError, decode};

/// A JSON value kept as text: large numbers, key order, duplicate keys and spacing are preserved.
///
/// A value that is read from a `serde_json::Value` only keeps what the `Value` has kept.
/// The text may contain line breaks: remove them before you write it into a line of the protocol.
/// `Debug` and `Display` show the whole text.
///
/// Tool inputs, tool results and hook inputs have this type, since only their reader knows their shape. If this crate
/// has a type for a field's content, the docs of the field name the method that decodes it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Serializes `value` as JSON text.
    ///
    /// # Errors
    ///
    /// Returns an error if `value` can't be serialized as JSON, such as a map with keys that are not strings.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Checks that `text` is one JSON value, and keeps it unchanged.
    ///
    /// # Errors
    ///
    /// Returns an error if `text` is not one JSON value.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Returns an empty object, `{}`.
    #[expect(clippy::expect_used, reason = "the text is a literal, and JSON")]
    pub fn empty_object() -> Self {
        Self::parse("{}").expect("an empty object is JSON")
    }

    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Deserializes the value.
    ///
    /// # Errors
    ///
    /// Returns an error if the value does not have the shape of `T`; positions count from the start of this value.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        decode(self.as_str())
    }

    /// Returns the value as `serde_json`'s borrowed type.
    pub fn as_raw_value(&self) -> &RawValue {
        &self.0
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<RawJson> for Box<RawValue> {
    fn from(raw: RawJson) -> Self {
        raw.0
    }
}

/// Compares the texts: `1.0` is not equal to `1`.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
