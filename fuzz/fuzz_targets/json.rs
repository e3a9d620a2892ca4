//! What is decoded is what `serde_json` reads: the same value, or a fault with the same words.

#![no_main]

use std::{collections::BTreeMap, fmt::Debug};

use agentwire_protocol::{Message, RawJson, decode::decode_bytes};
use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, de::DeserializeOwned, de::IgnoredAny};

fuzz_target!(|data: &[u8]| {
    alike::<serde_json::Value>(data);
    alike::<IgnoredAny>(data);
    alike::<RawJson>(data);
    alike::<Fields>(data);
    alike::<Vec<Kind>>(data);
    alike::<BTreeMap<String, RawJson>>(data);
    alike::<BTreeMap<i64, f32>>(data);
    alike::<Vec<Option<(u64, i8, f64)>>>(data);
    alike::<Message>(data);
});

fn alike<T: DeserializeOwned + Debug>(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match (decode_bytes::<T>(data), serde_json::from_str::<T>(text)) {
        // By their text: a float that is no number is not equal to itself.
        (Ok(found), Ok(expected)) => assert_eq!(format!("{found:?}"), format!("{expected:?}")),
        // A lone surrogate is read on a second try, where it is the only fault.
        (Ok(_), Err(expected)) => assert!(data.windows(3).any(|bytes| matches!(bytes, [b'\\', b'u', b'd' | b'D'])), "{expected}"),
        (Err(found), Ok(_)) => panic!("{found}"),
        (Err(found), Err(expected)) => {
            let is_same = expected.to_string().starts_with(found.reason());
            assert!(is_same || found.reason().len() > 200 || text.contains("\\u"), "{found} but {expected}");
        }
    }
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is compared by what Debug says")]
struct Fields {
    a: Option<String>,
    #[serde(default)]
    b: Vec<Fields>,
    c: Option<RawJson>,
    d: Option<char>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is compared by what Debug says")]
enum Kind {
    A,
    B(bool),
    C { a: u16 },
}
