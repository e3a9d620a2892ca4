//! Files and modules are named after a concept.

use super::{Hit, Source};

/// No folder, file or module is named after nothing in particular; no file is called `mod.rs`.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    if !source.is_rust() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    if source.path == "mod.rs" || source.path.ends_with("/mod.rs") {
        hits.push((0, "`foo.rs` and `foo/`, never `mod.rs`".to_owned()));
    }
    let parts = source.path.trim_end_matches(".rs").split('/');
    hits.extend(parts.filter_map(banned).map(|word| (0, format!("`{word}` in a path names no concept"))));
    for (number, line) in source.code.lines().enumerate() {
        let module = line.split_whitespace().skip_while(|word| *word != "mod").nth(1);
        if let Some(word) = module.and_then(|name| banned(name.trim_end_matches([';', '{']))) {
            hits.push((number + 1, format!("`{word}` in a module's name names no concept")));
        }
    }
    hits
}

fn banned(name: &str) -> Option<&'static str> {
    let words = name.split(['_', '-', '.']);
    words.flat_map(|word| BANNED.iter().find(|banned| **banned == word)).copied().next()
}

const BANNED: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc"];

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn names_that_say_nothing_are_found() {
        for (path, text) in [
            ("src/utils.rs", ""),
            ("tests/common/frames.rs", ""),
            ("src/test_helpers.rs", ""),
            ("src/mod.rs", ""),
            ("src/lib.rs", "mod misc;\n"),
            ("src/lib.rs", "pub(crate) mod helpers {\n}\n"),
        ] {
            assert_eq!(find(&Source::new(path, text)).len(), 1, "{path} {text}");
        }
    }

    #[test]
    fn concepts_are_fine() {
        let text = "mod commons_of_users;\n// mod utils;\nlet x = \"mod utils\";\n";
        assert!(find(&Source::new("src/uncommon.rs", text)).is_empty());
        assert!(find(&Source::new("docs/utils.md", "")).is_empty());
    }
}
