//! JSON as a tree that only loses spacing and escapes, to compare input with output.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A JSON value. Numbers are kept as text, and objects keep their order and their duplicates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tree {
    Text(String),
    /// A number, word or string that Rust can't hold, as written.
    Word(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map_or_else(|_| Self::Word(text.to_owned()), Self::Text),
            Some(b'[') => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
                Self::List(items.iter().map(|item| Self::of(item.get())).collect())
            }
            Some(b'{') => {
                let Fields(fields) = serde_json::from_str(text).unwrap();
                Self::Object(
                    fields.iter().map(|(name, value)| (name.clone(), Self::of(value.get()))).collect(),
                )
            }
            _ => Self::Word(text.to_owned()),
        }
    }

    /// Returns the tree with every number as Rust writes its value, since `0` and `0.0` are the same to a typed field.
    pub(crate) fn with_numbers_by_value(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::with_numbers_by_value).collect()),
            Self::Object(fields) => Self::Object(
                fields.into_iter().map(|(name, value)| (name, value.with_numbers_by_value())).collect(),
            ),
            Self::Word(word) => {
                Self::Word(word.parse::<f64>().map_or_else(|_| word.clone(), |number| number.to_string()))
            }
            other => other,
        }
    }

    /// Returns the tree with the fields of every object sorted by name; fields with the same name keep their order.
    pub(crate) fn sorted(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::sorted).collect()),
            Self::Object(fields) => {
                let mut fields: Vec<_> =
                    fields.into_iter().map(|(name, value)| (name, value.sorted())).collect();
                fields.sort_by(|(one, _), (other, _)| one.cmp(other));
                Self::Object(fields)
            }
            other => other,
        }
    }
}

/// The fields of an object as text, in their order.
pub(crate) struct Fields(pub(crate) Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[test]
fn the_comparison_can_fail() {
    for (one, other) in [
        ("1.10", "1.1"),
        ("12345678901234567890123", "1.2345678901234568e22"),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
        (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
        (r#"["x"]"#, r#"["y"]"#),
    ] {
        assert_ne!(Tree::of(one), Tree::of(other));
    }
    let by_value = |text| Tree::of(text).with_numbers_by_value();
    assert_eq!(by_value(r#"{"a":[0,true]}"#), by_value(r#"{"a":[0.0,true]}"#));
    assert_ne!(by_value("[0]"), by_value("[0.5]"));
    assert_eq!(Tree::of(r#" {"a" : "\u0041"} "#), Tree::of(r#"{"a":"A"}"#));
    assert_eq!(Tree::of(r#"{"a":1,"b":2}"#).sorted(), Tree::of(r#"{"b":2,"a":1}"#).sorted());
}
