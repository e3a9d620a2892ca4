//! Compares JSON texts as values, regardless of spacing, key order, escapes and the notation of numbers.

use std::collections::BTreeMap;

/// Returns the canonical form of a JSON text, which must be valid.
///
/// Keys are sorted; if a key is repeated, the last counts.
/// Numbers are written as their exact decimal value: `1.0`, `1` and `10e-1` are equal, and `-0` is `0`.
/// Strings are compared by UTF-16 unit, including lone surrogates.
pub(super) fn canonical(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    Reader { text: json, at: 0 }.value(&mut out);
    out
}

/// A reader of valid JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, out: &mut String) {
        match self.peek() {
            Some(b'{') => self.object(out),
            Some(b'[') => self.array(out),
            Some(b'"') => self.string(out),
            Some(b'-' | b'0'..=b'9') => {
                let number =
                    self.while_in(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
                out.push_str(&decimal(number));
            }
            _ => {
                let word = self.while_in(|byte| byte.is_ascii_alphabetic());
                out.push_str(word);
            }
        }
    }

    fn object(&mut self, out: &mut String) {
        self.at += 1;
        let mut fields = BTreeMap::new();
        while self.peek() == Some(b'"') {
            let (mut name, mut value) = (String::new(), String::new());
            self.string(&mut name);
            self.skip(b':');
            self.value(&mut value);
            fields.insert(name, value);
            self.skip(b',');
        }
        self.skip(b'}');
        out.push('{');
        for (name, value) in fields {
            out.extend([&name, ":", &value, ","]);
        }
        out.push('}');
    }

    fn array(&mut self, out: &mut String) {
        self.at += 1;
        out.push('[');
        while !matches!(self.peek(), None | Some(b']')) {
            self.value(out);
            out.push(',');
            self.skip(b',');
        }
        self.skip(b']');
        out.push(']');
    }

    fn string(&mut self, out: &mut String) {
        self.at += 1;
        let mut units = Vec::new();
        let rest = &self.text[self.at..];
        let mut chars = rest.char_indices();
        while let Some((at, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += at + 1;
                    break;
                }
                '\\' => units.push(escaped(&mut chars)),
                char => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
            }
        }
        out.push('"');
        for char in char::decode_utf16(units) {
            match char {
                Ok('"') => out.push_str("\\\""),
                Ok('\\') => out.push_str("\\\\"),
                Ok(char) => out.push(char),
                Err(lone) => out.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
            }
        }
        out.push('"');
    }

    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        self.while_in(|byte| byte.is_ascii_whitespace());
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == Some(byte) {
            self.at += 1;
        }
    }

    fn while_in(&mut self, part: impl Fn(u8) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|byte| !part(byte)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
}

/// Returns the UTF-16 unit of an escape, after its backslash.
fn escaped(chars: &mut std::str::CharIndices<'_>) -> u16 {
    match chars.next().map_or('\\', |(_, char)| char) {
        'n' => u16::from(b'\n'),
        't' => u16::from(b'\t'),
        'r' => u16::from(b'\r'),
        'b' => 8,
        'f' => 12,
        'u' => chars.take(4).fold(0, |unit, (_, digit)| unit << 4 | digit.to_digit(16).unwrap_or(0) as u16),
        plain => plain as u16,
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
