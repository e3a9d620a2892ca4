//! Round trips of generated values: every request and every hook output, with many combinations of their fields.

use std::fmt::Debug;

use agentwire_protocol::{
    ControlCall,
    control::{CallVisitor, visit_calls},
    hook::{EventVisitor, HookEvent, visit_events},
};
use serde::{
    Deserializer, Serialize,
    de::{DeserializeOwned, Error, Visitor, value},
    forward_to_deserialize_any,
};

#[test]
fn generated_requests_and_replies_round_trip() {
    struct Calls;
    impl CallVisitor for Calls {
        fn call<C>(&mut self)
        where
            C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
            C::Reply: Serialize + PartialEq + Debug,
        {
            let read = check::<C>(C::SUBTYPE, |again, value| again == value);
            assert!(read > 0, "{}: no mixture could be read", C::SUBTYPE);
            // A reply may keep its original text, which differs from the written form.
            check::<C::Reply>(C::SUBTYPE, |_, _| true);
        }
    }
    visit_calls(&mut Calls);
}

#[test]
fn generated_hook_outputs_round_trip() {
    struct Outputs(usize);
    impl EventVisitor for Outputs {
        fn event<E: HookEvent>(&mut self) {
            // Some events have no output of their own.
            self.0 += usize::from(check::<E::Output>(E::NAME, |_, _| true) > 0);
        }
    }
    let mut outputs = Outputs(0);
    visit_events(&mut outputs);
    assert!(outputs.0 > 10, "only {} outputs could be read", outputs.0);
}

fn check<T: DeserializeOwned + Serialize + Debug>(what: &str, same: fn(&T, &T) -> bool) -> usize {
    let (mut seed, mut read) = (1, 0);
    for object in mixtures(fields_of::<T>(), &mut seed) {
        let Ok(value) = serde_json::from_str::<T>(&object) else { continue };
        read += 1;
        let written = serde_json::to_string(&value).unwrap();
        let again: T =
            serde_json::from_str(&written).unwrap_or_else(|error| panic!("{what}: {error}: {written}"));
        assert!(same(&again, &value), "{what}: {object} became {written}");
        assert_eq!(serde_json::to_string(&again).unwrap(), written, "{what}: {object}");
    }
    read
}

/// Objects with some of these fields, each with some value.
fn mixtures<'a>(fields: &'a [&'a str], seed: &'a mut u64) -> impl Iterator<Item = String> + 'a {
    let mut random = move |below: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % below
    };
    (0..2000).map(move |round| {
        let mut object = Vec::new();
        for field in fields {
            // Few fields at first, so that one field with few valid values does not spoil all samples.
            if random(2000) < round + 100 {
                object.push(format!("\"{field}\":{}", VALUES[random(VALUES.len())]));
            }
        }
        format!("{{{}}}", object.join(","))
    })
}

/// Returns the field names of a struct, as derived code passes them to its deserializer.
fn fields_of<T: DeserializeOwned>() -> &'static [&'static str] {
    struct Fields<'a>(&'a mut &'static [&'static str]);
    impl<'de> Deserializer<'de> for Fields<'_> {
        type Error = value::Error;
        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, value::Error> {
            *self.0 = fields;
            Err(value::Error::custom("enough"))
        }
        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
            Err(value::Error::custom("no struct"))
        }
        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
    let mut fields: &[&str] = &[];
    let _ = T::deserialize(Fields(&mut fields));
    fields
}

/// Values of every shape that fields of this protocol have.
const VALUES: &[&str] = &[
    "null",
    "true",
    "5",
    "8025.0601115704185",
    r#""new""#,
    r#""default""#,
    "[]",
    r#"["a","\u00e9"]"#,
    "{}",
    r#"{"a":"b"}"#,
    r#"{"type":"later","n":1.10,"n":[]}"#,
    r#"[{"type":"later","n":12345678901234567890123}]"#,
    r#"{"later":{"type":"stdio","command":"c"}}"#,
];
