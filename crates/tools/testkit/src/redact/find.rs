//! The places of a text that are to be replaced.

use std::ops::Range;

use super::report::SecretKind;

/// A place that is to be replaced, and the kind of its text.
#[derive(Clone, Debug)]
pub(super) struct Find<K = SecretKind> {
    pub(super) range: Range<usize>,
    pub(super) with: With,
    pub(super) kind: K,
}

/// What is written at a place.
#[derive(Clone, Debug)]
pub(super) enum With {
    /// This text; for a secret, its stand-in.
    Text(String),
    /// A number, so that the field keeps its type.
    Zero,
    /// Nothing: the replacement is in an earlier line, where the text begins.
    Nothing,
}

/// Copies a text with all places replaced; they are in order, and none overlap.
pub(super) fn replaced<K>(
    text: &[u8],
    finds: Vec<Find<K>>,
    mut new: impl FnMut(With, K) -> String,
) -> Vec<u8> {
    let (mut out, mut copied) = (Vec::with_capacity(text.len()), 0);
    for Find { range, with, kind } in finds {
        out.extend_from_slice(&text[copied..range.start]);
        out.extend_from_slice(new(with, kind).as_bytes());
        copied = range.end;
    }
    out.extend_from_slice(&text[copied..]);
    out
}
