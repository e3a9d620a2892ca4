//! Rust in the guides: no block is ignored, and each page with a block is part of a crate's doctests.

use super::super::Finding;
use super::super::sources::Source;
use super::{finding, is_guide};

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for guide in sources.iter().filter(|source| is_guide(&source.path)) {
        let mut found = |line, what: &str| findings.push(finding(&guide.path, line, what));
        let blocks = guide.text.lines().enumerate().filter(|(_, line)| line.starts_with("```rust"));
        let blocks: Vec<_> = blocks.collect();
        for (at, line) in &blocks {
            if line.contains("ignore") {
                found(at + 1, "the block is not compiled: use hidden lines and `no_run`");
            }
        }
        if !blocks.is_empty() && !is_compiled(&guide.path, sources) {
            found(
                0,
                "no crate has this page in its doctests: include it where `src/lib.rs` has `cfg(doctest)`",
            );
        }
    }
    findings
}

/// A README belongs to the crate beside it; any crate may include another page.
fn is_compiled(path: &str, sources: &[Source]) -> bool {
    let (crate_root, line) = match path.strip_suffix("README.md") {
        Some(folder) if folder.starts_with("crates/") => {
            (format!("{folder}src/lib.rs"), "#![doc = include_str!(\"../README.md\")]".to_owned())
        }
        _ => ("/src/lib.rs".to_owned(), format!("../../{path}\")]")),
    };
    sources.iter().any(|source| source.path.ends_with(&crate_root) && source.text.contains(&line))
}

#[cfg(test)]
mod tests {
    use super::super::super::sources::Source;
    use super::findings;

    fn found(path: &str, block: &str, line: &str) -> usize {
        let guide = Source::new(path, format!("```{block}\n```\n"));
        findings(&[Source::new("crates/a/src/lib.rs", line), guide]).len()
    }

    #[test]
    fn block_that_is_not_compiled_is_found() {
        let page = "#[doc = include_str!(\"../../../docs/a.md\")]";
        assert_eq!(found("docs/a.md", "rust,no_run", page), 0);
        assert_eq!(found("docs/a.md", "rust,ignore", page), 1);
        assert_eq!(found("docs/b.md", "rust", page), 1);
        assert_eq!(found("docs/b.md", "sh", page), 0);
        assert_eq!(found("crates/a/README.md", "rust", "#![doc = include_str!(\"../README.md\")]"), 0);
        assert_eq!(found("crates/a/README.md", "rust", "//! Words."), 1);
        assert_eq!(found("README.md", "rust", "#[doc = include_str!(\"../../../README.md\")]"), 0);
        assert_eq!(found("README.md", "rust", "#![doc = include_str!(\"../README.md\")]"), 1);
    }
}
