//! Replacements of parts of a text. Everything else stays, byte for byte.

use std::ops::Range;

/// A part of a text and its replacement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

impl Splice {
    pub(super) fn insert(at: usize, with: impl Into<String>) -> Self {
        Self { range: at..at, with: with.into() }
    }

    pub(super) fn delete(range: Range<usize>) -> Self {
        Self { range, with: String::new() }
    }
}

/// Applies all splices, in any order. They must not overlap.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut result = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for Splice { range, with } in splices {
        debug_assert!(at <= range.start, "splices overlap");
        result.push_str(&text[at..range.start]);
        result.push_str(&with);
        at = range.end;
    }
    result.push_str(&text[at..]);
    result
}
