//! Limits on the nesting and the number of unions, so that a line can't overflow the stack or use many times its length
//! in memory.

use std::cell::Cell;

use serde::de::Error;

/// Counts one open union until it is dropped.
///
/// The parser has its own depth limit, but it restarts for each buffered field.
pub(super) struct Depth(());

impl Depth {
    pub(super) fn enter<E: Error>() -> Result<Self, E> {
        let depth = DEPTH.get();
        let objects = if depth == 0 { 1 } else { OBJECTS.get() + 1 };
        if depth == MAX_DEPTH {
            return Err(E::custom(format_args!("more than {MAX_DEPTH} tagged objects within each other")));
        }
        if objects > MAX_OBJECTS {
            return Err(E::custom(format_args!("more than {MAX_OBJECTS} tagged objects in one")));
        }
        DEPTH.set(depth + 1);
        OBJECTS.set(objects);
        Ok(Self(()))
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The number of union objects read since the outermost one began.
    static OBJECTS: Cell<usize> = const { Cell::new(0) };
}

/// Much deeper than any real line: a document in a fetched page in an answer has depth 7.
///
/// The parser's limit of 128 objects and lists does not apply to tags after buffered fields; this one always does.
const MAX_DEPTH: usize = 32;

/// Many more blocks than any real message has. An empty block is three bytes of text and takes about a hundred bytes of
/// memory.
const MAX_OBJECTS: usize = 100_000;
