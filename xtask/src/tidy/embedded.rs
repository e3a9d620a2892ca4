//! What a crate embeds lies inside it, or its package would not build.

use super::reasons::line_of;
use super::{Hit, Source};

/// No `include_str!` or `include_bytes!` of a crate reaches out of the crate's folder.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let Some(within) = source.path.strip_prefix("crates/").and_then(|path| path.split_once('/')) else {
        return Vec::new();
    };
    let depth = within.1.matches('/').count();
    let mut hits = Vec::new();
    for mark in ["include_str!(", "include_bytes!(", "include!("] {
        for (at, _) in source.code.match_indices(mark) {
            // The mask keeps every byte's place, so the literal is read from the text itself.
            let argument = source.text[at + mark.len()..].trim_start();
            let path = argument.strip_prefix('"').and_then(|rest| rest.split('"').next());
            if path.is_some_and(|path| leaves(path, depth)) {
                hits.push((
                    line_of(&source.code, at),
                    "embeds a file that lies outside its crate".to_owned(),
                ));
            }
        }
    }
    hits
}

/// Whether a relative path leaves a folder that lies `depth` above.
fn leaves(path: &str, mut depth: usize) -> bool {
    for part in path.split('/') {
        match part {
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            "." | "" => {}
            _ => depth += 1,
        }
    }
    path.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::{Source, find};

    fn count(text: &str) -> usize {
        find(&Source::new("crates/codec/src/a.rs", text)).len()
    }

    #[test]
    fn a_file_outside_is_found() {
        assert_eq!(count("const A: &str = include_str!(\"../../../fixtures/a\");\n"), 1);
        assert_eq!(count("let a = include_bytes!(\n    \"b/../../../c\"\n);\n"), 1);
        assert_eq!(count("let é = include_str!(\"/etc/hosts\");\n"), 1);
    }

    #[test]
    fn a_file_inside_is_fine() {
        assert_eq!(
            count("#![doc = include_str!(\"../README.md\")]\nlet a = include_bytes!(\"a.bin\");\n"),
            0
        );
        assert_eq!(count("// include_str!(\"../../x\")\n"), 0);
        assert!(find(&Source::new("xtask/src/a.rs", "include_str!(\"../../x\")\n")).is_empty());
    }
}
