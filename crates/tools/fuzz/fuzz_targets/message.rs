//! Decoding never panics, error positions are within the line, and encoding a decoded message is stable.

#![no_main]

use std::{collections::BTreeMap, fmt};

use agentwire_protocol::{DecodeError, Message, RawJson, decode::decode_bytes};
use libfuzzer_sys::fuzz_target;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};

fuzz_target!(|data: &[u8]| {
    tolerant(data);
    let message: Message = match decode_bytes(data) {
        Ok(message) => message,
        Err(error) => return within(data, &error),
    };
    // A typed message drops unknown fields; the known ones must survive encoding and decoding.
    let written = serde_json::to_string(&message).expect("a message is JSON");
    let again = Message::from_line(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    let twice = serde_json::to_string(&again).expect("a message is JSON");
    assert_eq!(written, twice);
    same(&message, &again);
    order(data, &message);
});

/// Valid input has no rejected fields; otherwise each error position is within the text.
fn tolerant(data: &[u8]) {
    match Message::read(data) {
        Ok((_, set_aside)) => set_aside.iter().for_each(|error| within(data, error)),
        Err(error) => within(data, &error),
    }
}

/// Requires that the position of an error is within the text.
fn within(text: &[u8], error: &DecodeError) {
    assert!(error.offset() <= text.len(), "{error}");
    assert!(
        error.line() >= 1 && error.line() <= text.iter().filter(|&&byte| byte == b'\n').count() + 1,
        "{error}"
    );
    assert!(error.column() <= text.len(), "{error}");
    assert!(error.reason().len() <= 400, "{error}");
}

/// Requires that the order of fields does not matter for a message of a known kind.
fn order(data: &[u8], message: &Message) {
    if matches!(message, Message::Unknown(_)) {
        return;
    }
    let Some(fields) = fields(data) else { return };
    let turned: Vec<String> = fields.iter().rev().map(|(name, value)| format!("{name}:{value}")).collect();
    let turned = format!("{{{}}}", turned.join(","));
    let again = Message::from_line(&turned).unwrap_or_else(|error| panic!("{error}\n{turned}"));
    if !matches!(message, Message::System(agentwire_protocol::System::Unknown(_))) {
        same(message, &again);
    }
}

/// Returns the fields of an object as text; `None` if a name is repeated, because the order then matters.
fn fields(data: &[u8]) -> Option<Vec<(String, RawJson)>> {
    let map: BTreeMap<String, RawJson> = serde_json::from_slice(data).ok()?;
    let Count(count) = serde_json::from_slice(data).ok()?;
    let quoted = |name: String| serde_json::Value::from(name).to_string();
    (count == map.len()).then(|| map.into_iter().map(|(name, value)| (quoted(name), value)).collect())
}

/// The number of fields of an object.
struct Count(usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counter;
        impl<'de> Visitor<'de> for Counter {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Count, A::Error> {
                let mut count = 0;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Count(count))
            }
        }
        deserializer.deserialize_map(Counter)
    }
}

/// Requires equal text, because a NaN is not equal to itself.
fn same(one: &Message, other: &Message) {
    let text = |message: &Message| serde_json::to_string(message).expect("a message is JSON");
    assert_eq!(text(one), text(other));
}
