//! The fields of a JSON object, one after another, up to where the text breaks.

use std::borrow::Cow;

/// Walks the fields of an object without decoding them: each as its key, without quotes, and its value's text.
///
/// Where the text is cut or broken, the value runs to the end and is the last.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// `None` where `text` does not start an object.
    pub(super) fn of(text: &'a [u8]) -> Option<Self> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_ascii_start();
        text.strip_prefix(b"{").map(|rest| Self { rest })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (Cow<'a, [u8]>, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.trim_ascii_start();
        let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        if rest.first() != Some(&b'"') {
            return None;
        }
        let (key, rest) = rest.split_at(string_end(rest)?);
        let rest = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (value, rest) = rest.split_at(value_end(rest));
        self.rest = rest;
        Some((unquoted(key), value))
    }
}

/// The text of a JSON string.
pub(super) fn text(value: &[u8]) -> Option<Cow<'_, str>> {
    let inner = value.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        return serde_json::from_slice(value).ok().map(Cow::Owned);
    }
    std::str::from_utf8(inner).ok().map(Cow::Borrowed)
}

fn unquoted(key: &[u8]) -> Cow<'_, [u8]> {
    match text(key) {
        Some(Cow::Owned(key)) => Cow::Owned(key.into_bytes()),
        _ => Cow::Borrowed(&key[1..key.len() - 1]),
    }
}

/// The length of the string that `text` starts with, with its quotes; `None` where it is cut.
fn string_end(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The length of the value that `text` starts with; all of it where it is cut.
fn value_end(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => match string_end(&text[at..]) {
                Some(length) => at += length - 1,
                None => return text.len(),
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            return at;
        }
    }
    text.len()
}

/// Some programs put it before their first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use super::{Fields, text};

    fn fields(object: &str) -> Vec<(String, String)> {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Fields::of(object.as_bytes()).unwrap().map(|(key, value)| (lossy(&key), lossy(value))).collect()
    }

    #[test]
    fn it_walks_whole_and_cut_objects() {
        let pairs = |object: &str| {
            fields(object).iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(pairs(r#" {"a":1,"b":{"c":[1,"}"]} , "d" : "x\"y" }"#), r#"a=1 b={"c":[1,"}"]} d="x\"y""#);
        assert_eq!(pairs(r#"{"a":true,"b":"cut"#), r#"a=true b="cut"#);
        assert_eq!(pairs(r#"{"a":nonsense here,"b":2}"#), "a=nonsense here b=2");
        assert_eq!(pairs(r#"{"\u0061":1}"#), "a=1");
        assert_eq!(pairs("{}"), "");
        assert_eq!(pairs("{x"), "");
        assert!(Fields::of(b"[1]").is_none());
    }

    #[test]
    fn a_strings_text_is_unescaped() {
        assert_eq!(text(br#""a""#).as_deref(), Some("a"));
        assert_eq!(text(br#""\u0061\n""#).as_deref(), Some("a\n"));
        assert_eq!(text(b"1"), None);
        assert_eq!(text(br#""cut"#), None);
    }
}
