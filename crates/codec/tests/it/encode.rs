//! Encoding of values as lines.

use agentwire_codec::encode;
use agentwire_protocol::{RawJson, message::UserInput};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encoded_line_has_one_newline_at_its_end(text in any::<String>(), breaks in "[ \r\n\t]{0,4}") {
        let line = encode(&UserInput::new(text.as_str())).unwrap();
        prop_assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
        prop_assert!(!line.contains(&b'\r'));
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(&read["message"]["content"], &text);

        let quoted = serde_json::to_string(&text).unwrap();
        let raw = RawJson::parse(format!("{{{breaks}\"a\"{breaks}:[{quoted}{breaks},{breaks}1]{breaks}}}")).unwrap();
        let line = encode(&raw).unwrap();
        prop_assert!(!line.contains(&b'\r'));
        prop_assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(read, raw.decode::<serde_json::Value>().unwrap());
    }
}

#[test]
fn value_that_is_not_json_is_an_error() {
    let map = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = encode(&map).unwrap_err();
    assert!(std::error::Error::source(&error).is_some());
}
