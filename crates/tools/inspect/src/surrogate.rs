//! Lone surrogate escapes: replaced as the decoder replaces them, so that a line can be compared with its view.

/// Replaces each lone surrogate escape; returns `None` if there is none.
pub fn repair(text: &str) -> Option<String> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return None;
    }
    let (mut repaired, mut rest, mut found) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find('\\') {
        let (plain, escaped) = rest.split_at(at);
        repaired.push_str(plain);
        let length = match (unit(escaped), unit(escaped.get(6..).unwrap_or_default())) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                found = true;
                repaired.push_str("\\ufffd");
                rest = &escaped[6..];
                continue;
            }
            // The escaped character goes along, so that `\\ud800` is no escape; it may have several bytes.
            _ => 1 + escaped[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&escaped[..length]);
        rest = &escaped[length..];
    }
    repaired.push_str(rest);
    found.then_some(repaired)
}

fn unit(text: &str) -> Option<u16> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(hex, 16).ok())?
}
