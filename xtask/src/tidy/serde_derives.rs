//! The protocol decodes in one pass: no serde attribute of what it decodes buffers or drops fields.

use super::{Hit, Source};

/// Finds `flatten`, `untagged`, `tag`, `content` and `other` among the serde attributes of `crates/protocol`.
///
/// They buffer the whole object, fail on raw JSON at run time, lose positions and drop unknown fields.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    if !source.path.starts_with("crates/protocol/") {
        return Vec::new();
    }
    let may_flatten = source.path == SERIALIZED_ONLY && !source.code.contains("Deserialize");
    let mut hits = Vec::new();
    for (at, _) in source.code.match_indices("serde(") {
        let attribute = source.code[at..].split(")]").next().unwrap_or_default();
        let words = attribute.split(|char: char| !(char.is_alphanumeric() || char == '_'));
        let line = source.code[..at].matches('\n').count() + 1;
        for word in words.filter(|word| BANNED.contains(word) && !(may_flatten && *word == "flatten")) {
            hits.push((line, format!("serde's `{word}` has no place in the protocol")));
        }
    }
    hits
}

/// The type in this file is never decoded; `flatten` buffers nothing when an object is written.
const SERIALIZED_ONLY: &str = "crates/protocol/src/tagged/with_tags.rs";
const BANNED: &[&str] = &["flatten", "untagged", "tag", "content", "other"];

#[cfg(test)]
mod tests {
    use super::{Source, find};

    fn count_in(path: &str, text: &str) -> usize {
        find(&Source::new(path, text)).len()
    }

    #[test]
    fn each_attribute_is_found() {
        let count = |text: &str| count_in("crates/protocol/src/a.rs", text);
        assert_eq!(count("#[serde(untagged, deny_unknown_fields)]\n"), 1);
        assert_eq!(count("#[serde(\n    tag = \"type\",\n    content = \"c\"\n)]\n"), 2);
        assert_eq!(count("#[serde(rename = \"tag\")]\nx.iter().flatten();\n// #[serde(flatten)]\n"), 0);
    }

    #[test]
    fn the_exception_is_needed() {
        let file = crate::workspace::root().unwrap().join(super::SERIALIZED_ONLY);
        assert!(std::fs::read_to_string(file).unwrap().contains("#[serde(flatten)]"));
    }

    #[test]
    fn flatten_is_found_if_the_file_also_decodes() {
        let count = |text: &str| count_in(super::SERIALIZED_ONLY, text);
        assert_eq!(count("#[derive(Serialize)]\n#[serde(flatten)]\n"), 0);
        assert_eq!(count("#[derive(Serialize)]\n#[serde(untagged)]\n"), 1);
        assert_eq!(count("#[derive(Deserialize)]\n#[serde(flatten)]\n"), 1);
    }
}
