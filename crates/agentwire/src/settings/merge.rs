//! Merges settings.

use std::collections::{BTreeMap, BTreeSet};

use agentwire_protocol::RawJson;

/// Merges `high` over `low`.
///
/// Objects are merged key by key, lists are joined without repeating texts and numbers, anything else is replaced.
pub(super) fn merge(low: &RawJson, high: &RawJson) -> RawJson {
    let merged = match (first_byte(low), first_byte(high)) {
        (Some(b'{'), Some(b'{')) => objects(low, high),
        (Some(b'['), Some(b'[')) => lists(low, high),
        _ => None,
    };
    merged.unwrap_or_else(|| high.clone())
}

fn first_byte(value: &RawJson) -> Option<u8> {
    value.as_str().trim_start().bytes().next()
}

fn objects(low: &RawJson, high: &RawJson) -> Option<RawJson> {
    let mut merged: BTreeMap<Box<str>, RawJson> = low.decode().ok()?;
    for (key, value) in high.decode::<BTreeMap<Box<str>, RawJson>>().ok()? {
        let value = merged.get(&key).map_or_else(|| value.clone(), |lower| merge(lower, &value));
        merged.insert(key, value);
    }
    RawJson::encode(&merged).ok()
}

fn lists(low: &RawJson, high: &RawJson) -> Option<RawJson> {
    let mut seen = BTreeSet::new();
    let mut joined: Vec<RawJson> = low.decode().ok()?;
    joined.append(&mut high.decode().ok()?);
    let is_nested = |value: &RawJson| matches!(first_byte(value), Some(b'{' | b'['));
    joined.retain(|value| is_nested(value) || seen.insert(value.as_str().trim().to_owned()));
    RawJson::encode(&joined).ok()
}
