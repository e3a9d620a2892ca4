//! `#[skip_serializing_none]` as a struct of the protocol uses it.

use std::collections::BTreeMap;

use agentwire_protocol_macros::skip_serializing_none;
use serde::{Deserialize, Serialize};

#[skip_serializing_none]
#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
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

macro_rules! declare {
    ($name:ident { $($(#[$meta:meta])* $field:ident: $ty:ty,)* }) => {
        #[skip_serializing_none]
        #[derive(Serialize)]
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
