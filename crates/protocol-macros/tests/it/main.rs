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

#[wire(Default, nulls, default)]
struct Nulls {
    model: Option<u8>,
    #[serde(rename = "e")]
    effort: Option<u8>,
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
fn nulls_are_written_on_request_and_missing_fields_have_the_default() {
    let nulls: Nulls = serde_json::from_str(r#"{"model":1}"#).unwrap();
    assert_eq!(serde_json::to_string(&nulls).unwrap(), r#"{"model":1,"e":null}"#);
}
