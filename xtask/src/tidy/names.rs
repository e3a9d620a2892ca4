//! Files and folders are named after a concept.

use super::{Hit, Source};

/// Finds paths of Rust files that contain a word such as `utils`.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let words = source.path.split(['/', '_', '-', '.']).filter(|word| BANNED.contains(word));
    let found = words.filter(|_| source.is_rust());
    found.map(|word| (0, format!("`{word}` in a path names no concept"))).collect()
}

const BANNED: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc"];

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn vague_names_are_found() {
        for path in ["src/utils.rs", "tests/common/frames.rs", "src/test_helpers.rs"] {
            assert_eq!(find(&Source::new(path, "")).len(), 1, "{path}");
        }
        assert!(find(&Source::new("src/uncommon.rs", "")).is_empty());
    }
}
