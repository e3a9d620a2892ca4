//! Free-form JSON, kept as the text it came as.

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::decode::{DecodeError, decode};

/// A JSON value kept as its own text: big numbers, key order, duplicate keys and spacing stay as they were written.
///
/// Read from a `serde_json::Value` instead of from text, it holds what that value kept.
/// Spacing may hold line breaks: whoever writes a frame of one line must take them out.
/// `Debug` and `Display` give the text, whole.
///
/// It is what tool inputs, tool results and hook inputs are made of, since only their reader knows their shape.
#[derive(Clone, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// The JSON text of `value`.
    ///
    /// # Errors
    ///
    /// When `value` can't be written as JSON, as with a map whose keys are no strings.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes `text` as it is, if it is one JSON value.
    ///
    /// # Errors
    ///
    /// When `text` is not one JSON value.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// An empty object, `{}`.
    #[expect(clippy::expect_used, reason = "the text is a literal, and JSON")]
    pub fn empty_object() -> Self {
        Self::parse("{}").expect("an empty object is JSON")
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Reads the value as a type of the caller's.
    ///
    /// # Errors
    ///
    /// When the value does not have that shape; the positions count from the start of this value.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        decode(self.as_str())
    }

    /// The borrowed form of `serde_json`.
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

/// Two values are equal when their texts are: `1.0` is not `1`.
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
