//! The reader against `serde_json`: whatever the text, and whatever is asked for, both give the same value or the same
//! error at the same place.

mod made_up;
mod shapes;

use std::{collections::BTreeMap, fmt::Debug};

use proptest::prelude::*;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, value::RawValue};

use super::{Reader, from_str};
use made_up::{Change, PIECES, TEXTS, change, json};
use shapes::{Bytes, Fields, IgnoredKey, Kind, Newtype, RawKey, Strict};

#[test]
fn odd_texts_are_read_alike() {
    for text in TEXTS {
        for (before, behind) in
            [("", ""), (" \n", "\t\r"), ("[", "]"), (r#"{"a":"#, "}"), (r#"["a","#, "]"), ("", " x")]
        {
            all_alike(&format!("{before}{text}{behind}"));
        }
        for end in 0..text.len() {
            if let Some(cut) = text.get(..end) {
                all_alike(cut);
            }
        }
    }
}

#[test]
fn depth_is_bounded_where_values_are_built_and_free_where_they_are_not() {
    for depth in [1, 63, 64, 65, 126, 127, 128, 129, 130, 192, 193, 5000] {
        for text in [
            "[".repeat(depth) + &"]".repeat(depth),
            r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth),
            r#"[{"a":"#.repeat(depth) + "1" + &"}]".repeat(depth),
            "[".repeat(depth) + &"}".repeat(depth),
            r#"{"a":["#.repeat(depth) + &"]}".repeat(depth - 1),
        ] {
            all_alike(&text);
        }
    }
}

#[test]
fn numbers_of_any_length_are_read_alike() {
    for digits in [1, 18, 19, 20, 21, 40, 308, 309, 310, 2000] {
        for text in [
            "1".repeat(digits),
            "9".repeat(digits),
            format!("0.{}1", "0".repeat(digits)),
            format!("1{}", "0".repeat(digits)),
        ] {
            for exponent in [
                "",
                "e5",
                "e-5",
                "E+308",
                "e-400",
                "e2147483647",
                "e2147483648",
                "e99999999999",
                "e-99999999999",
            ] {
                for sign in ["", "-"] {
                    all_alike(&format!("{sign}{text}{exponent}"));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_read_alike(text in json()) {
        all_alike(&text);
    }

    #[test]
    fn changed_json_is_read_alike(
        text in json(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..4),
    ) {
        let mut bytes = text.into_bytes();
        for (at, change) in changes {
            let at = at.index(bytes.len() + 1);
            match change {
                Change::Cut => bytes.truncate(at),
                Change::Put(byte) => bytes.insert(at, byte),
                Change::Replace(byte) => bytes.get_mut(at).into_iter().for_each(|old| *old = byte),
                Change::Remove if at < bytes.len() => { bytes.remove(at); }
                Change::Remove => {}
            }
        }
        all_alike(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn pieces_of_json_are_read_alike(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        all_alike(&pieces.concat());
    }

    #[test]
    fn floats_are_read_alike(bits in any::<u64>(), single in any::<f32>()) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite() && single.is_finite());
        for text in [format!("{float:?}"), format!("{float:e}"), format!("{single:?}"), format!("{float:.40}")] {
            alike::<f64>(&text);
            alike::<f32>(&text);
            alike::<Value>(&text);
        }
    }
}

/// Reads `text` as everything that anyone may ask for.
fn all_alike(text: &str) {
    alike::<Value>(text);
    alike::<IgnoredAny>(text);
    alike::<Box<RawValue>>(text);
    alike::<Fields>(text);
    alike::<Strict>(text);
    alike::<Kind>(text);
    alike::<Bytes>(text);
    alike::<(u8, Option<String>)>(text);
    alike::<[f32; 2]>(text);
    alike::<Vec<Box<RawValue>>>(text);
    alike::<Vec<bool>>(text);
    alike::<Option<()>>(text);
    alike::<(u8, i8, u16, i16, u32, i32)>(text);
    alike::<u64>(text);
    alike::<i64>(text);
    alike::<u128>(text);
    alike::<i128>(text);
    alike::<f32>(text);
    alike::<f64>(text);
    alike::<char>(text);
    alike::<String>(text);
    alike::<BTreeMap<String, IgnoredAny>>(text);
    alike::<BTreeMap<Box<RawKey>, IgnoredAny>>(text);
    alike::<BTreeMap<u8, Box<RawValue>>>(text);
    alike::<BTreeMap<i128, Value>>(text);
    alike::<BTreeMap<u128, Value>>(text);
    // Of a key that is no boolean `serde_json` tells all but the first byte, which may be a part of a character.
    if text.is_ascii() {
        alike::<BTreeMap<bool, Value>>(text);
    }
    alike::<BTreeMap<Option<char>, Value>>(text);
    alike::<BTreeMap<Kind, Kind>>(text);
    alike::<BTreeMap<Bytes, Bytes>>(text);
    alike::<Vec<(IgnoredAny,)>>(text);
    alike::<BTreeMap<IgnoredKey, Newtype>>(text);
}

fn alike<T: DeserializeOwned + Debug>(text: &str) {
    let expected = serde_json::from_str::<T>(text);
    match (&expected, &from_str::<T>(text)) {
        (Ok(expected), Ok(found)) => assert_eq!(format!("{expected:?}"), format!("{found:?}"), "{text}"),
        (Err(expected), Err(found)) => {
            let place = format!(" at line {} column {}", expected.line(), expected.column());
            let told = expected.to_string();
            assert_eq!(
                told.strip_suffix(&place).unwrap_or(&told),
                found.reason(),
                "{} of {text}",
                std::any::type_name::<T>()
            );
            assert_eq!(offset(text, expected), found.offset(), "{expected} of {text}");
            assert_eq!(expected.is_data(), found.is_data(), "{expected} of {text}");
        }
        (expected, found) => panic!("{expected:?} but {found:?} of {text} as {}", std::any::type_name::<T>()),
    }
    // From a text that does not last, the same is read.
    let mut reader = Reader::passing(text);
    let found = T::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    match (&expected, found) {
        (Ok(expected), Ok(found)) => assert_eq!(format!("{expected:?}"), format!("{found:?}"), "{text}"),
        (expected, found) => assert_eq!(expected.is_ok(), found.is_ok(), "{text}"),
    }
}

fn offset(text: &str, error: &serde_json::Error) -> usize {
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    start + error.column()
}
