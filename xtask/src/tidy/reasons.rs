//! Whoever silences a lint says why.

use super::{Hit, Source};

/// Every `#[expect(…)]` and `#[allow(…)]` has a reason, also inside `cfg_attr`.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (at, attribute) in attributes(&source.code) {
        let silences = WORDS.iter().any(|word| {
            attribute.match_indices(word).any(|(start, _)| {
                !attribute[..start]
                    .ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | ':'))
            })
        });
        let reason: String = attribute.split_whitespace().collect();
        if silences && !reason.contains("reason=\"") {
            hits.push((line_of(&source.code, at), "silences a lint without a reason".to_owned()));
        }
    }
    hits
}

/// The attributes of a masked source: where each begins, and its text between the brackets.
pub(super) fn attributes(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices('#').filter_map(|(at, _)| {
        let rest = code[at + 1..].strip_prefix('!').unwrap_or(&code[at + 1..]);
        let inside = rest.strip_prefix('[')?;
        Some((at, &inside[..closing(inside, '[', ']')]))
    })
}

/// Where the bracket closes that was opened before this text.
pub(super) fn closing(inside: &str, open: char, close: char) -> usize {
    let mut depth = 1_usize;
    for (at, char) in inside.char_indices() {
        if char == open {
            depth += 1;
        } else if char == close {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    inside.len()
}

/// The line, counted from 1, of this place in a text.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

const WORDS: &[&str] = &["expect(", "allow("];

#[cfg(test)]
mod tests {
    use super::{Source, find};

    fn count(text: &str) -> usize {
        find(&Source::new("src/a.rs", text)).len()
    }

    #[test]
    fn an_exception_without_a_reason_is_found() {
        assert_eq!(count("#[allow(dead_code)]\n"), 1);
        assert_eq!(count("#![expect(\n    clippy::panic,\n)]\n"), 1);
        assert_eq!(count("#[cfg_attr(test, allow(unused))]\n"), 1);
        assert_eq!(count("fn a() {}\n// reason = \"\"\n#[allow(unused)]\n"), 1);
    }

    #[test]
    fn a_reason_is_enough_and_calls_do_not_count() {
        assert_eq!(count("#[expect(\n    clippy::panic,\n    reason = \"why\"\n)]\n"), 0);
        assert_eq!(
            count("#[doc = \"#[allow(x)]\"]\n// #[allow(x)]\nx.expect(\"y\");\nlet a = [x.expect(\"y\")];\n"),
            0
        );
        assert_eq!(count("#[disallow(x)]\n"), 0);
    }
}
