//! Lone surrogate escapes, which JSON allows and a Rust string does not.

/// Replaces every lone surrogate escape with `\ufffd`, which has the same length; `None` if there is none.
pub fn repair(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut repaired: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'\\') {
        at += found;
        match escape(&bytes[at..]) {
            Some(0xD800..=0xDBFF) if matches!(escape(&bytes[at + 6..]), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                repaired.get_or_insert_with(|| bytes.to_vec())[at..at + 6].copy_from_slice(REPLACEMENT);
                at += 6;
            }
            // Skips the escaped character too, so that `\\ud800` is not taken for an escape.
            _ => at = (at + 2).min(bytes.len()),
        }
    }
    repaired.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Parses a `\uXXXX` escape at the start of `bytes` as a code unit.
fn escape(bytes: &[u8]) -> Option<u16> {
    let hex = bytes.get(..6)?.strip_prefix(b"\\u")?;
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

/// U+FFFD as an escape; it is as long as the escape that it replaces, so positions do not change.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

#[cfg(test)]
mod tests {
    use super::repair;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""\uDE00 x""#, Some(r#""\ufffd x""#)),
            (r#""\ud83d\ude00""#, None),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\\ud83d""#, None),
            (r#""\ud83"#, None),
            ("\"plain\\", None),
        ] {
            assert_eq!(repair(text).as_deref(), expected, "{text}");
        }
    }
}
