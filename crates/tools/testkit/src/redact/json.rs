//! The tokens of a JSON text with their positions, so that a replacement changes no other byte.

use serde_json::Value;

/// A string, a number or an object's key, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// The keys that lead to it, the nearest last; items of lists stand under the list's key.
    pub(super) keys: &'a [&'a str],
    /// The text between the quotes, escapes included, or the number.
    pub(super) raw: &'a str,
    pub(super) is_string: bool,
    pub(super) is_key: bool,
}

impl Token<'_> {
    /// Returns the nearest key.
    pub(super) fn key(&self) -> &str {
        self.keys.last().copied().unwrap_or_default()
    }
}

/// Copies the text, with each value replaced for which `replace` returns a text.
///
/// Where the text is no longer JSON, the rest is copied, except for tokens that are found in it.
pub(super) fn rewrite(text: &str, mut replace: impl FnMut(Token<'_>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    walk(text, |token, start| {
        if !token.is_key
            && let Some(new) = replace(token)
        {
            out.push_str(&text[copied..start]);
            out.push_str(&new);
            copied = start + token.raw.len();
        }
    });
    out.push_str(&text[copied..]);
    out
}

/// Returns all string values of a JSON text, decoded; the whole text if it is not JSON.
pub(super) fn texts(text: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return vec![text.to_owned()] };
    let mut texts = Vec::new();
    collect(&value, &mut texts);
    texts
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Shows each token with the place of its text. In text that is not JSON, strings are found wherever quotes stand.
pub(super) fn walk<'a>(text: &'a str, mut show: impl FnMut(Token<'_>, usize)) {
    let bytes = text.as_bytes();
    let mut keys: Vec<&'a str> = Vec::new();
    // For each open bracket, whether it is an object's.
    let mut open: Vec<bool> = Vec::new();
    let mut key_is_next = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                open.push(*byte == b'{');
                key_is_next = *byte == b'{';
                keys.push("");
            }
            b'}' | b']' => {
                open.pop();
                keys.pop();
            }
            b',' => key_is_next = open.last() == Some(&true),
            b'"' => {
                let raw = string(text, at + 1);
                let is_key = std::mem::take(&mut key_is_next);
                if is_key && let Some(key) = keys.last_mut() {
                    *key = "";
                }
                show(Token { keys: &named(&keys), raw, is_string: true, is_key }, at + 1);
                if is_key && let Some(key) = keys.last_mut() {
                    *key = raw;
                }
                at += raw.len() + 1;
            }
            b'-' | b'0'..=b'9' => {
                let raw = number(text, at);
                show(Token { keys: &named(&keys), raw, is_string: false, is_key: false }, at);
                at += raw.len() - 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the keys of the outer and the inner 64 levels, since text that is not JSON may open any number of brackets.
fn named<'a>(keys: &[&'a str]) -> Vec<&'a str> {
    let (outer, rest) = keys.split_at(keys.len().min(64));
    let inner = &rest[rest.len().saturating_sub(64)..];
    outer.iter().chain(inner).copied().filter(|key| !key.is_empty()).collect()
}

/// Returns the string that starts here, up to its closing quote.
fn string(text: &str, start: usize) -> &str {
    let bytes = text.as_bytes();
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    // A text that is cut after a backslash has no such place.
    text.get(start..end).unwrap_or(&text[start..])
}

fn number(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = rest.find(|char: char| !matches!(char, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
    &rest[..end.unwrap_or(rest.len())]
}
