//! Locates the cause of a decoding error in the text. Only used on the error path.

mod path;
mod scan;

use std::cell::Cell;

pub(crate) use path::{Step, path_at, show};

/// Returns the number of bytes of `text` up to and including the position that `error` refers to.
pub(super) fn offset(text: &str, error: &serde_json::Error) -> usize {
    let start = text.as_ptr().addr();
    match HELD_FAULT.take().and_then(|address| address.checked_sub(start)) {
        Some(offset) if offset <= text.len() => offset,
        _ => own_offset(text, error),
    }
}

/// Converts the error's line and column (counted from 1, in bytes) to an offset.
fn own_offset(text: &str, error: &serde_json::Error) -> usize {
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (start + error.column()).min(text.len())
}

/// Records the position of an error inside `held`, the part of the text that was buffered until the tag of its object
/// was found.
///
/// The error counts positions from the start of `held`. A position that was recorded earlier, for a nested buffered
/// part, takes precedence.
pub(crate) fn note_held_fault(held: &str, error: &serde_json::Error) {
    if HELD_FAULT.get().is_none() {
        HELD_FAULT.set(Some(held.as_ptr().addr() + own_offset(held, error)));
    }
}

/// Records the end of a buffered name: the next error refers to it.
pub(crate) fn note_held_name(name: &str) {
    // Includes the closing quote.
    HELD_FAULT.set(Some(name.as_ptr().addr() + name.len() + 1));
}

/// Clears the record: the next error carries its own position.
pub(crate) fn note_no_held_fault() {
    HELD_FAULT.set(None);
}

thread_local! {
    /// The address after the fault, within the text that is being read.
    static HELD_FAULT: Cell<Option<usize>> = const { Cell::new(None) };
}
