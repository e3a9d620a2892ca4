//! `#[wire]` as a struct of the protocol uses it.

use std::collections::BTreeMap;

use agentwire_protocol_macros::wire;

#[wire(Default, Eq, camelCase)]
struct Fields<T> {
    /// Documented, with a type that contains commas.
    pub by_name: Option<BTreeMap<Box<str>, Vec<T>>>,
    pub(crate) plain: BTreeMap<Box<str>, u8>,
    #[serde(default, rename = "other")]
    renamed: Option<Vec<T>>,
    #[serialize_always]
    nullable: Option<T>,
    last: Option<T>,
}

#[wire(Default, nulls)]
struct Nulls {
    model: Option<u8>,
    #[serde(rename = "e")]
    effort: Option<u8>,
}

#[wire(Default, tolerant)]
struct Tolerant {
    #[required]
    name: String,
    text: String,
    tokens: u64,
    limit: Option<u64>,
    percent: f64,
    #[serde(default = "lenient::one")]
    own: u8,
}

/// The module that `tolerant` expects in its crate.
mod lenient {
    use serde::{Deserialize, Deserializer};

    pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        optional_count(deserializer).map(Option::unwrap_or_default)
    }

    pub(crate) fn optional_count<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u64>, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.map(|number| number as u64))
    }

    pub(crate) fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Option::deserialize(deserializer).map(Option::unwrap_or_default)
    }

    pub(crate) fn one() -> u8 {
        1
    }
}

macro_rules! declare {
    ($name:ident { $($(#[$meta:meta])* $field:ident: $ty:ty,)* }) => {
        #[wire]
        struct $name { $($(#[$meta])* $field: $ty,)* }
    };
}

declare! { Declared { count: Option<u8>, #[serialize_always] nullable: Option<u8>, } }

#[test]
fn none_is_left_out_unless_the_field_is_marked() {
    let written = serde_json::to_string(&Fields::<u8>::default()).unwrap();
    assert_eq!(written, r#"{"plain":{},"nullable":null}"#);
    assert_eq!(serde_json::from_str::<Fields<u8>>(&written).unwrap(), Fields::default());
}

#[test]
fn values_are_written_and_read_back() {
    let text = r#"{"byName":{"a":[1,2]},"plain":{"b":3},"other":[4],"nullable":5,"last":6}"#;
    let fields: Fields<u8> = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&fields).unwrap(), text);
}

#[test]
fn fields_from_a_declarative_macro_are_recognised() {
    assert_eq!(
        serde_json::to_string(&Declared { count: None, nullable: None }).unwrap(),
        r#"{"nullable":null}"#
    );
}

#[test]
fn tolerant_struct_has_defaults_and_reads_odd_numbers() {
    let read = serde_json::from_str::<Tolerant>;
    let least = Tolerant { name: "a".to_owned(), own: 1, ..Tolerant::default() };
    assert_eq!(read(r#"{"name":"a"}"#).unwrap(), least);
    assert_eq!(read(r#"{"name":"a","tokens":null,"limit":null,"percent":null}"#).unwrap(), least);
    let odd = Tolerant { tokens: 2, limit: Some(3), ..least };
    assert_eq!(read(r#"{"name":"a","tokens":2.0,"limit":3.0}"#).unwrap(), odd);
    assert!(read(r#"{"text":"b"}"#).unwrap_err().to_string().contains("missing field `name`"));
}

#[test]
fn nulls_are_written_on_request() {
    let nulls: Nulls = serde_json::from_str(r#"{"model":1}"#).unwrap();
    assert_eq!(serde_json::to_string(&nulls).unwrap(), r#"{"model":1,"e":null}"#);
}
