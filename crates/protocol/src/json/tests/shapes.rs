//! What is asked for in the comparison: something of every kind that `serde` knows.

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, Visitor},
};
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is compared by what Debug says")]
pub(super) struct Fields {
    #[serde(default)]
    a: Option<String>,
    b: Option<Box<RawValue>>,
    #[serde(default)]
    c: Vec<Fields>,
    number: Option<u8>,
    #[serde(rename = "", default)]
    empty: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it is compared by what Debug says")]
pub(super) struct Strict {
    a: String,
    b: (),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    A,
    B(u8),
    Pair(u8, String),
    Struct { a: bool },
    Any(Option<Box<Kind>>),
}

#[derive(Debug, Deserialize)]
pub(super) struct Newtype(Unit);

#[derive(Debug, Deserialize)]
struct Unit;

/// Bytes, which may hold what no text can.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

struct BytesVisitor;

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.to_owned()))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = seq.next_element()? {
            bytes.push(byte);
        }
        Ok(Bytes(bytes))
    }
}

/// A key as it was written.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RawKey(String);

impl<'de> Deserialize<'de> for Box<RawKey> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(RawKey(<Box<RawValue>>::deserialize(deserializer)?.get().to_owned())))
    }
}

/// A key that nobody wants to know.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IgnoredKey;

impl<'de> Deserialize<'de> for IgnoredKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}
