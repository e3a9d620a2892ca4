//! Texts for messages: errors with their sources, and excerpts of texts from servers and models.

use std::{borrow::Cow, error::Error, iter};

/// Returns the text of an error and its sources, without the texts that an earlier one contains.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for source in iter::successors(error.source(), |source| (*source).source()) {
        let more = source.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
    }
    text
}

/// Returns the part of a text that a message may quote, with an ellipsis if it was cut.
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
    use std::io;

    use super::{error_chain, excerpt, head};

    #[test]
    fn no_character_is_cut_in_two() {
        assert_eq!(head("aé€😀", 10), "aé€😀");
        let heads: Vec<_> = (0..10).map(|bytes| head("aé€😀", bytes)).collect();
        assert_eq!(heads, ["", "a", "a", "aé", "aé", "aé", "aé€", "aé€", "aé€", "aé€"]);
        assert_eq!(excerpt("short"), "short");
        assert!(excerpt(&"é".repeat(1000)).ends_with("é…"));
    }

    #[test]
    fn sources_follow_the_error_and_are_not_repeated() {
        #[derive(Debug)]
        struct Failed(&'static str, Option<io::Error>);
        impl std::fmt::Display for Failed {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0)
            }
        }
        impl std::error::Error for Failed {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.1.as_ref().map(|error| error as _)
            }
        }
        let error = |text| Failed(text, Some(io::Error::other("no route")));
        assert_eq!(error_chain(&error("not sent")), "not sent: no route");
        assert_eq!(error_chain(&error("not sent: no route")), "not sent: no route");
        assert_eq!(error_chain(&Failed("alone", None)), "alone");
    }
}
