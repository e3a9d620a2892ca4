//! Compares JSON texts as values, regardless of spacing, key order, escapes and the notation of numbers.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::from_str;
use serde_json::value::RawValue;

/// Returns the canonical form of a JSON text, which must be valid.
///
/// Keys are sorted; if a key is repeated, the last counts.
/// Numbers are written as their exact decimal value: `1.0`, `1` and `10e-1` are equal, and `-0` is `0`.
/// Strings may have lone surrogates.
pub(super) fn canonical(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    // A text that is not valid is its own form.
    write(json, &mut out).unwrap_or_else(|_| json.clone_into(&mut out));
    out
}

fn write(json: &str, out: &mut String) -> serde_json::Result<()> {
    match json.trim_start().as_bytes().first() {
        Some(b'{') => {
            out.push('{');
            for (Text(name), value) in from_str::<BTreeMap<Text, &RawValue>>(json)? {
                out.extend([&name, ":"]);
                write(value.get(), out)?;
                out.push(',');
            }
            out.push('}');
        }
        Some(b'[') => {
            out.push('[');
            for value in from_str::<Vec<&RawValue>>(json)? {
                write(value.get(), out)?;
                out.push(',');
            }
            out.push(']');
        }
        Some(b'"') => out.push_str(&from_str::<Text>(json)?.0),
        Some(b'-' | b'0'..=b'9') => out.push_str(&decimal(json.trim())),
        _ => out.push_str(json.trim()),
    }
    Ok(())
}

/// A string in quotes. Read as bytes, because `serde_json` refuses lone surrogates in text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
        let mut text = "\"".to_owned();
        for chunk in bytes.utf8_chunks() {
            text.push_str(&chunk.valid().replace('\\', "\\\\").replace('"', "\\\""));
            chunk.invalid().iter().try_for_each(|byte| write!(text, "\\x{byte:02x}")).map_err(E::custom)?;
        }
        text.push('"');
        Ok(Text(text))
    }
}

/// Returns a number as its significant digits and a power of ten.
fn decimal(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (number, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let dropped = digits.len() - significant.len();
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let exponent: i128 = exponent.parse().unwrap_or(i128::MAX);
    let exponent = exponent.saturating_add(dropped as i128).saturating_sub(fraction.len() as i128);
    format!("{sign}{significant}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn equal_values_have_the_same_form() {
        for (one, other) in [
            (r#"{"a":1,"b":[true,null]}"#, "{ \"b\" : [ true , null ],\n \"a\":1.00 }"),
            (r#""A\/\n\"\\\u00e9""#, "\"\\u0041/\\u000a\\u0022\\u005cé\""),
            (r#""\ud83d\ude00""#, "\"😀\""),
            ("[100, 1e2, 0.1e+3]", "[1E2,100.0,10e1]"),
            ("[0, -0, 0.0e9]", "[0,0,0]"),
            ("[-12.50]", "[-125e-1]"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            ("[[],{},[[]]]", "[ [ ] , { } , [ [ ] ] ]"),
        ] {
            assert_eq!(canonical(one), canonical(other), "{one} {other}");
        }
    }

    #[test]
    fn different_values_have_different_forms() {
        for (one, other) in [
            ("12345678901234567890123", "12345678901234567890124"),
            ("0.1", "0.10000000000000001"),
            ("1e400", "1e401"),
            ("-1", "1"),
            (r#""1""#, "1"),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ud83d""#, r#""\\ud83d""#),
            (r#""é""#, "\"e\u{301}\""),
            ("[[]]", "[]"),
            ("[1,2]", "[2,1]"),
            ("[12]", "[1,2]"),
            (r#"{"a":{"b":1}}"#, r#"{"a":{},"b":1}"#),
            ("null", "{}"),
            (r#"{"a":null}"#, "{}"),
        ] {
            assert_ne!(canonical(one), canonical(other), "{one} {other}");
        }
    }
}
