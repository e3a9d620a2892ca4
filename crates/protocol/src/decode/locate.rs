//! Finding where in the original text a decoding error lies. Runs on the error path alone.

mod hoist;
mod path;
mod scan;

use serde::de::DeserializeOwned;

pub(crate) use hoist::is_tag;

use crate::json::{self, Fault};

/// A place in a JSON text.
#[derive(Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) offset: usize,
}

impl Place {
    /// The place at `offset`, counted as `serde_json` counts: the column is the number of bytes up to and with it.
    fn at(text: &str, offset: usize) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        Self {
            path: path::path_at(text, offset),
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            column: before.len() - line_start,
            offset: before.len(),
        }
    }

    /// The place behind all of `text`.
    pub(super) fn of_end(text: &str) -> Self {
        Self::at(text, text.len())
    }
}

/// Where `fault`, got from reading `text` as a `T`, lies.
///
/// Where a union's tag comes late, the fault's own position counts from a held field or points behind the object.
/// So the text is read again with each late tag moved to its object's front, and the position that comes of it is
/// counted back.
pub(super) fn place<T: DeserializeOwned>(text: &str, fault: &Fault) -> Place {
    if fault.is_data()
        && let Some(hoisted) = hoist::hoist(text)
        && let Err(again) = json::from_str::<T>(&hoisted.text)
        && again.reason() == fault.reason()
    {
        return Place::at(text, hoisted.original(again.offset()));
    }
    Place::at(text, fault.offset())
}
