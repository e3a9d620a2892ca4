//! Finding where in a text a decoding error lies. Runs on the error path alone.

mod path;
mod scan;

use std::cell::Cell;

pub(crate) use path::{Step, path_at, show};

/// The number of bytes of `text` up to and with what `error`, got from reading it, is about.
pub(super) fn offset(text: &str, error: &serde_json::Error) -> usize {
    let start = text.as_ptr().addr();
    match HELD_FAULT.take().and_then(|address| address.checked_sub(start)) {
        Some(offset) if offset <= text.len() => offset,
        _ => own_offset(text, error),
    }
}

/// The position of an error as an offset: its lines count from 1 and its columns count bytes.
fn own_offset(text: &str, error: &serde_json::Error) -> usize {
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (start + error.column()).min(text.len())
}

/// Notes that an error lies in `held`, a part of the text that was held until its object's tag was found.
///
/// It is read by a deserializer of its own, whose positions count from its start. A fault further inside was noted before.
pub(crate) fn note_held_fault(held: &str, error: &serde_json::Error) {
    if HELD_FAULT.get().is_none() {
        HELD_FAULT.set(Some(held.as_ptr().addr() + own_offset(held, error)));
    }
}

/// Notes the end of a held name: an error that comes next is about it.
pub(crate) fn note_held_name(name: &str) {
    // The quote belongs to it.
    HELD_FAULT.set(Some(name.as_ptr().addr() + name.len() + 1));
}

/// Notes that an error that comes next gives its position by itself.
pub(crate) fn note_no_held_fault() {
    HELD_FAULT.set(None);
}

thread_local! {
    /// The address right behind the fault, within the text that is being read.
    static HELD_FAULT: Cell<Option<usize>> = const { Cell::new(None) };
}
