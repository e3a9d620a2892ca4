//! Tolerant reading: fields that don't fit are set aside, one after another, until the rest can be read.

mod node;

use std::{
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

use serde::de::{DeserializeOwned, IgnoredAny};

use super::{DecodeError, Step, read, surrogate};
pub(crate) use node::Name;
use node::Node;

/// Reads one JSON value like `decode`; if that fails, reads it without the fields that don't fit.
///
/// The errors returned with the value name those fields by their paths in `text`:
/// - a member that does not fit is dropped;
/// - the last of several members with the same name counts;
/// - an object of a union that lacks a required field becomes `Unknown`, which keeps the whole object;
/// - an element of a list, or an object, that still can't be read is dropped.
///
/// Sets aside only parts that `may_miss` allows, and all but the last of repeated members with equal values. `may_miss`
/// gets the whole text, with lone surrogates replaced, and the path of the part.
pub(crate) fn tolerant<T: DeserializeOwned>(
    text: &str,
    may_miss: impl Fn(&str, &[Step]) -> bool,
) -> Result<(T, Vec<DecodeError>), DecodeError> {
    let mut fault = match read(text) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(fault) => fault,
    };
    let first = fault.error.clone();
    let repaired = surrogate::repair(text);
    let text = repaired.as_deref().unwrap_or(text);
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Err(first);
    }
    let mut root = Node::new(text.trim_ascii());
    let mut set_aside: Vec<DecodeError> = Vec::new();
    for _ in 0..(WORK / text.len().max(1)).clamp(MIN_TRIES, MAX_TRIES) {
        // If the part at fault must not be set aside, try the smallest enclosing part that may be.
        let depth = (0..=fault.path.len()).rev().find(|depth| may_miss(text, &fault.path[..*depth]));
        let path = &fault.path[..depth.unwrap_or(fault.path.len())];
        let Some(found) = root.set_aside(path, Vec::new(), &|at| may_miss(text, at)) else { break };
        let end = found.value.as_ptr().addr() + found.value.len() - text.as_ptr().addr();
        let reason = if found.is_repeated { "repeated field" } else { fault.error.reason() };
        let error = DecodeError::at(text, end, &found.path, reason);
        // An object that can't be kept as `Unknown` either is set aside a second time.
        if set_aside.last().is_none_or(|last| last.path != error.path) {
            set_aside.push(error);
        }
        let mut rest = String::with_capacity(text.len() + UNREAD.len());
        root.write(&mut rest);
        match read(&rest) {
            Ok(value) => return Ok((value, set_aside)),
            Err(next) => fault = next,
        }
    }
    Err(first)
}

/// The name of the only member of a wrapper around an object that can't be read as its kind. Random, so that no text
/// can contain it.
pub(crate) static UNREAD: LazyLock<String> =
    LazyLock::new(|| format!("$agentwire::unread::{:016x}", RandomState::new().hash_one(())));

/// The approximate number of bytes to read again in total: a long text gets fewer attempts.
const WORK: usize = 64 << 20;
const MIN_TRIES: usize = 8;
const MAX_TRIES: usize = 1000;
