//! How deep unions may lie within unions, so that no line overflows the stack, and how many there may be, so that no line
//! takes many times its length in memory.

use std::cell::Cell;

use serde::de::Error;

/// Counts one union more for as long as it lives.
///
/// The parser has a bound of its own, but it starts anew for each field that was held until its tag was found.
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
    /// How many objects of unions were read since the outermost began.
    static OBJECTS: Cell<usize> = const { Cell::new(0) };
}

/// Far more than any line needs: a document in a fetched page in an answer is seven deep.
///
/// The parser's own bound, 128 objects and lists, allows more where tags come first; this one holds wherever they stand.
const MAX_DEPTH: usize = 32;

/// Far more blocks than any message has. An empty one takes some hundred bytes and is written in three.
const MAX_OBJECTS: usize = 100_000;
