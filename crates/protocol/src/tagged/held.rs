//! A field buffered as text: borrowed if the input outlives the read, else owned.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The name and text of a field, read before its object's kind was known, or kept because the kind is unknown.
pub(super) type Held<'de> = (Cow<'de, str>, Text<'de>);

/// The JSON text of a value.
///
/// `&RawValue` fails on transient input, such as a reader's, and `Box<RawValue>` always copies.
pub(super) enum Text<'de> {
    Borrowed(&'de str),
    Owned(Box<RawValue>),
}

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) => text.get(),
        }
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    /// The text is the value of the only entry.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'de>, A::Error> {
        if map.next_key::<IgnoredAny>()?.is_none() {
            return Err(A::Error::custom("raw JSON without its text"));
        }
        map.next_value_seed(self)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Text<'de>, E> {
        RawValue::from_string(text).map(Text::Owned).map_err(E::custom)
    }

    /// If the deserializer does not support [`RAW`], use `serde_json`'s own type.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text<'de>, D::Error> {
        Box::deserialize(deserializer).map(Text::Owned)
    }
}

impl<'de> DeserializeSeed<'de> for TextVisitor {
    type Value = Text<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

/// The private name by which `serde_json` recognises a request for raw text.
///
/// If it changes, buffered fields are copied, which only costs time.
const RAW: &str = "$serde_json::private::RawValue";

#[cfg(test)]
mod tests {
    use super::Text;

    const JSON: &str = r#"{"b":[1.10,"\u0061"], "a":12345678901234567890123}"#;

    #[test]
    fn lasting_text_is_borrowed() {
        assert!(matches!(serde_json::from_str(JSON).unwrap(), Text::Borrowed(JSON)));
        assert!(matches!(serde_json::from_slice(JSON.as_bytes()).unwrap(), Text::Borrowed(JSON)));
    }

    #[test]
    fn transient_text_is_copied() {
        let mut reader = serde_json::Deserializer::from_reader(JSON.as_bytes());
        let text: Text<'_> = serde::Deserialize::deserialize(&mut reader).unwrap();
        assert!(matches!(text, Text::Owned(_)));
        assert_eq!(text.as_str(), JSON);
        let value = serde_json::json!({"a": [1, null]});
        let text: Text<'_> = serde::Deserialize::deserialize(value).unwrap();
        assert_eq!(text.as_str(), r#"{"a":[1,null]}"#);
    }

    #[test]
    fn other_deserializers_are_read_by_serde_json() {
        let plain = serde::de::value::StrDeserializer::<serde_json::Error>::new("text");
        assert!(
            serde::Deserialize::deserialize(plain).map(|text: Text<'_>| text.as_str().to_owned()).is_err()
        );
    }
}
