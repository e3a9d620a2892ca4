//! The protocol decodes in one pass: nothing in it is derived in a way that buffers or drops.

use super::reasons::{attributes, closing, line_of};
use super::{Hit, Source};

/// No `flatten`, `untagged`, `tag`, `content` or `other` among the serde attributes of `crates/protocol`.
///
/// They buffer the whole object, fail on raw JSON at run time, lose positions and drop what they do not know.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    if !source.path.starts_with("crates/protocol/") {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for (at, attribute) in attributes(&source.code) {
        for (start, _) in attribute.match_indices("serde(") {
            let inside = &attribute[start + "serde(".len()..];
            for word in words(&inside[..closing(inside, '(', ')')]).filter(|word| BANNED.contains(word)) {
                hits.push((
                    line_of(&source.code, at),
                    format!("serde's `{word}` has no place in the protocol"),
                ));
            }
        }
    }
    hits
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '_'))
}

const BANNED: &[&str] = &["flatten", "untagged", "tag", "content", "other"];

#[cfg(test)]
mod tests {
    use super::{Source, find};

    fn count(text: &str) -> usize {
        find(&Source::new("crates/protocol/src/a.rs", text)).len()
    }

    #[test]
    fn each_of_them_is_found() {
        assert_eq!(count("#[serde(flatten)]\n"), 1);
        assert_eq!(count("#[serde(untagged, deny_unknown_fields)]\n"), 1);
        assert_eq!(count("#[serde(\n    tag = \"type\",\n    content = \"c\"\n)]\n"), 2);
        assert_eq!(count("#[cfg_attr(x, serde(other))]\n"), 1);
    }

    #[test]
    fn the_same_words_elsewhere_are_fine() {
        assert_eq!(
            count("#[serde(rename = \"tag\", default)]\nx.iter().flatten();\n// #[serde(flatten)]\n"),
            0
        );
        assert!(find(&Source::new("crates/mcp/src/a.rs", "#[serde(flatten)]\n")).is_empty());
    }
}
