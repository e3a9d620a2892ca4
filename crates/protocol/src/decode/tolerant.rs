//! Reading a value although some of its fields don't fit: they are set aside, one after another, until the rest can be read.

mod node;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::{DecodeError, Step, read, surrogate};
use node::Node;

/// Reads one JSON value as `decode` does, and where that fails without the fields that don't fit.
///
/// The errors that come with the value name those fields, by their paths in `text`:
/// - a member that does not fit is left out;
/// - of a repeated member the last counts;
/// - an object of a union that lacks what its kind needs becomes `Unknown`, which keeps it whole;
/// - an element of a list, or an object, that still can't be read is left out.
///
/// Only what `may_miss` allows is set aside; a repeated member with the same text always is. It gets the whole text, in
/// which lone surrogates are replaced, and a path in it.
///
/// # Errors
///
/// As `decode`: where `text` is no JSON, where it lacks what the value needs, and where too much does not fit.
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
    for _ in 0..(WORK / text.len().max(1)).clamp(FEWEST_TRIES, MOST_TRIES) {
        let Some(found) = root.set_aside(&fault.path, &|path| may_miss(text, path)) else { break };
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

/// The name of the only member of an object that stands for one that can't be read as the kind that it names.
pub(crate) const UNREAD: &str = "$agentwire::unread";

/// How many bytes are read again in all, about: a long text gets fewer tries.
const WORK: usize = 64 << 20;
const FEWEST_TRIES: usize = 8;
const MOST_TRIES: usize = 1000;
