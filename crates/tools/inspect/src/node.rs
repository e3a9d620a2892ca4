//! JSON as a tree that keeps what `Value` loses (the text of numbers, duplicate keys), and marks what our types do not
//! read.

use std::borrow::Cow;
use std::fmt;

use agentwire_protocol::decode::repair_surrogates;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A string, number or word as it was written; deeper than `DEPTH`, any value.
    Scalar(Box<str>),
    List(Vec<Node>),
    /// The fields in their order, duplicates included.
    Object(Vec<(Box<str>, Node)>),
    /// An object of a kind that our union does not know; never the result of [`parse`](Self::parse).
    Unknown(Box<Node>),
    /// A value that our type keeps as text; never the result of [`parse`](Self::parse).
    Raw(Box<Node>),
}

impl Node {
    /// Reads one JSON value, with lone surrogates replaced as the decoder replaces them.
    pub fn parse(text: &str) -> Option<Self> {
        match repair_surrogates(text) {
            Some(repaired) => Self::read(&repaired, 0),
            None => Self::read(text, 0),
        }
    }

    fn read(text: &str, depth: usize) -> Option<Self> {
        let text = text.trim_ascii();
        match text.bytes().next()? {
            b'{' if depth < DEPTH => {
                let fields = fields(text)?;
                let node =
                    |(name, value): (Box<str>, &RawValue)| Some((name, Self::read(value.get(), depth + 1)?));
                fields.into_iter().map(node).collect::<Option<_>>().map(Self::Object)
            }
            b'[' if depth < DEPTH => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                items
                    .into_iter()
                    .map(|item| Self::read(item.get(), depth + 1))
                    .collect::<Option<_>>()
                    .map(Self::List)
            }
            _ => {
                let raw: &RawValue = serde_json::from_str(text).ok()?;
                Some(Self::Scalar(raw.get().into()))
            }
        }
    }

    /// Returns the first field of that name.
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.fields().iter().find(|(key, _)| &**key == name).map(|(_, value)| value)
    }

    /// Returns the value at a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, name| node.field(name))
    }

    /// Returns the string at a path of names.
    pub fn text_at(&self, path: &[&str]) -> Option<String> {
        self.at(path)?.text().map(Cow::into_owned)
    }

    /// Returns the fields of an object, and none for other values.
    pub fn fields(&self) -> &[(Box<str>, Self)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }

    /// Returns the items of a list, and none for other values.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the string, if it is one.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        let Self::Scalar(raw) = self else { return None };
        let plain = raw.strip_prefix('"')?.strip_suffix('"')?;
        if plain.contains('\\') {
            return serde_json::from_str(raw).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(plain))
    }

    /// Returns whether a reader that knows the field treats it like an absent one.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Scalar(raw) => matches!(&**raw, "null" | "false" | "0" | "0.0" | "\"\""),
            Self::List(items) => items.is_empty(),
            Self::Object(fields) => fields.is_empty(),
            Self::Unknown(node) | Self::Raw(node) => node.is_empty(),
        }
    }

    /// Returns the value as text, with the tags of unions at the front of each object.
    ///
    /// A union with a late tag buffers its fields, and `serde_ignored` can't see into the buffer.
    pub fn tags_first(&self) -> String {
        let mut text = String::new();
        self.put(&mut text, true);
        text
    }

    fn put(&self, text: &mut String, hoist: bool) {
        match self {
            Self::Scalar(raw) => text.push_str(raw),
            Self::Unknown(node) | Self::Raw(node) => node.put(text, hoist),
            Self::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    item.put(text, hoist);
                }
                text.push(']');
            }
            Self::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                if hoist {
                    fields.sort_by_key(|(name, _)| {
                        TAGS.iter().position(|tag| *tag == &**name).unwrap_or(TAGS.len())
                    });
                }
                text.push('{');
                for (index, (name, value)) in fields.into_iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    text.push_str(&serde_json::Value::from(&**name).to_string());
                    text.push(':');
                    value.put(text, hoist);
                }
                text.push('}');
            }
        }
    }
}

/// The value as JSON text, as it stands.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.put(&mut text, false);
        f.write_str(&text)
    }
}

pub fn fields(text: &str) -> Option<Vec<(Box<str>, &RawValue)>> {
    struct Fields;

    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(Box<str>, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    let fields = deserializer.deserialize_map(Fields).ok()?;
    deserializer.end().ok()?;
    Some(fields)
}

/// The tags of the protocol's unions, outermost first.
const TAGS: &[&str] =
    &["type", "subtype", "behavior", "hook_event_name", "hookEventName", "mode", "source", "kind"];

/// The depth to which values are parsed, which is that of typed values.
const DEPTH: usize = 120;
