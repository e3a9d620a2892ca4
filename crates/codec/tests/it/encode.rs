//! Encoding: one value, one line.

use agentwire_codec::encode;
use agentwire_protocol::{RawJson, message::UserInput};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_line_has_its_newline_at_the_end_and_nowhere_else(text in any::<String>(), breaks in "[ \r\n\t]{0,4}") {
        let line = encode(&UserInput::new(text.as_str())).unwrap();
        prop_assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
        prop_assert!(!line.contains(&b'\r'));
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(&read["message"]["content"], &text);

        let quoted = serde_json::to_string(&text).unwrap();
        let raw = RawJson::parse(format!("{{{breaks}\"a\"{breaks}:[{quoted}{breaks},{breaks}1]{breaks}}}")).unwrap();
        let line = encode(&raw).unwrap();
        prop_assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(read, raw.decode::<serde_json::Value>().unwrap());
    }
}

#[test]
fn what_is_no_json_is_an_error() {
    let map = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = encode(&map).unwrap_err();
    assert!(std::error::Error::source(&error).is_some());
}
