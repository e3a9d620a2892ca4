//! Whitespace that is invisible and changes nothing but diffs.

use super::{Hit, Source};

/// No space at the end of a line, no tab, one newline at the end; recorded files are left as they are.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    if source.is_recorded() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for (number, line) in source.text.split('\n').enumerate() {
        if line.ends_with([' ', '\r']) {
            hits.push((number + 1, "space at the end of the line".to_owned()));
        }
        if line.contains('\t') {
            hits.push((number + 1, "tab".to_owned()));
        }
    }
    if !source.text.is_empty() && (!source.text.ends_with('\n') || source.text.ends_with("\n\n")) {
        hits.push((0, "does not end with exactly one newline".to_owned()));
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn each_kind_is_found() {
        for text in ["a \n", "a\r\n", "a\tb\n", "a", "a\n\n"] {
            assert_eq!(find(&Source::new("docs/a.md", text)).len(), 1, "{text:?}");
        }
        assert!(find(&Source::new("docs/a.md", "a\n\n  b\n")).is_empty());
        assert!(find(&Source::new("fixtures/framing/a.lines", "a \r\n\tb")).is_empty());
    }
}
