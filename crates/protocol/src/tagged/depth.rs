//! How deep unions may lie within unions, so that no line overflows the stack.

use std::cell::Cell;

use serde::de::Error;

/// Counts one union more for as long as it lives.
///
/// The parser has a bound of its own, but it starts anew for each field that was held until its tag was found.
pub(super) struct Depth(());

impl Depth {
    pub(super) fn enter<E: Error>() -> Result<Self, E> {
        let depth = DEPTH.get();
        if depth == MAX_DEPTH {
            return Err(E::custom(format_args!("more than {MAX_DEPTH} tagged objects within each other")));
        }
        DEPTH.set(depth + 1);
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
}

/// Far more than any line needs: a document in a fetched page in an answer is seven deep.
///
/// The parser's own bound, 128 objects and lists, allows more where tags come first; this one holds wherever they stand.
const MAX_DEPTH: usize = 32;
