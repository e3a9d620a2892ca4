//! A file opens with its purpose, and is short enough to be read.

use super::{Hit, Source};

/// The first line of a Rust file is a `//!` sentence, or takes the README in its place.
pub(super) fn header(source: &Source) -> Vec<Hit> {
    let first = source.text.lines().next().unwrap_or_default();
    let states_why = first.strip_prefix("//! ").is_some_and(|why| !why.trim().is_empty());
    if !source.is_rust() || states_why || first.starts_with("#![doc = include_str!(") {
        return Vec::new();
    }
    vec![(1, "opens without a `//!` line that states why the file exists".to_owned())]
}

/// Without its tests a file has at most `MAX_LINES` lines.
pub(super) fn budget(source: &Source) -> Vec<Hit> {
    if !source.is_rust() || source.is_test() {
        return Vec::new();
    }
    let lines = source.first_test_line().map_or(source.text.lines().count(), |line| line - 1);
    if lines <= MAX_LINES {
        return Vec::new();
    }
    vec![(0, format!("{lines} lines without tests, at most {MAX_LINES}"))]
}

const MAX_LINES: usize = 400;

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, Source, budget, header};

    #[test]
    fn a_file_without_a_header_is_found() {
        for text in ["", "use std::fs;\n", "//!\n", "// A comment.\n", "/// For an item.\n"] {
            assert_eq!(header(&Source::new("src/a.rs", text)).len(), 1, "{text:?}");
        }
        assert!(header(&Source::new("src/a.rs", "//! Reads.\n")).is_empty());
        assert!(header(&Source::new("src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n")).is_empty());
        assert!(header(&Source::new("README.md", "# A\n")).is_empty());
    }

    #[test]
    fn a_long_file_is_found() {
        let code = "let x = 1;\n";
        let long = code.repeat(MAX_LINES + 1);
        assert_eq!(budget(&Source::new("src/a.rs", long.as_str())).len(), 1);
        assert!(budget(&Source::new("src/a.rs", code.repeat(MAX_LINES))).is_empty());
        assert!(budget(&Source::new("tests/it/a.rs", long.as_str())).is_empty());
        let tests = format!("{code}#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert!(budget(&Source::new("src/a.rs", tests)).is_empty());
    }
}
