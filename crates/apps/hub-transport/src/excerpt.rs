//! Excerpts of texts from servers and models.

use std::borrow::Cow;

/// Returns the part of a text that a message may quote, with a mark if it was cut.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    match text.len() {
        0..=MAX_QUOTED => Cow::Borrowed(text),
        _ => Cow::Owned(format!("{}…", head(text, MAX_QUOTED))),
    }
}

/// Returns the longest prefix of a text that has at most this number of bytes.
pub fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

const MAX_QUOTED: usize = 500;

#[cfg(test)]
mod tests {
    use super::{excerpt, head};

    #[test]
    fn no_character_is_cut_in_two() {
        assert_eq!(head("aé€😀", 10), "aé€😀");
        let heads: Vec<_> = (0..10).map(|bytes| head("aé€😀", bytes)).collect();
        assert_eq!(heads, ["", "a", "a", "aé", "aé", "aé", "aé€", "aé€", "aé€", "aé€"]);
        assert_eq!(excerpt("short"), "short");
        assert!(excerpt(&"é".repeat(1000)).ends_with("é…"));
    }
}
