//! Merges settings.

use std::collections::BTreeSet;

use agentwire_protocol::RawJson;

use super::resolve::Keys;

/// Merges `high` over `low`; `over_others` is whether `high` is the managed tier and `low` the other ones.
///
/// Objects are merged key by key, lists are joined without repeating texts and numbers, anything else is replaced.
pub(super) fn merge(low: &RawJson, high: &RawJson, over_others: bool) -> RawJson {
    let merged = match (first_byte(low), first_byte(high)) {
        (Some(b'{'), Some(b'{')) => objects(low, high, over_others),
        (Some(b'['), Some(b'[')) => lists(low, high),
        _ => None,
    };
    merged.unwrap_or_else(|| high.clone())
}

fn first_byte(value: &RawJson) -> Option<u8> {
    value.as_str().bytes().next()
}

fn objects(low: &RawJson, high: &RawJson, over_others: bool) -> Option<RawJson> {
    let mut merged: Keys = low.decode().ok()?;
    for (key, value) in high.decode::<Keys>().ok()? {
        let value = match (merged.get(&key), &*key) {
            (None, _) | (_, "fallbackModel" | "modelPicker") => value,
            // The user can't add a model to the organisation's list.
            (_, "availableModels") if over_others => value,
            (Some(lower), _) => merge(lower, &value, over_others),
        };
        merged.insert(key, value);
    }
    RawJson::encode(&merged).ok()
}

fn lists(low: &RawJson, high: &RawJson) -> Option<RawJson> {
    let mut seen = BTreeSet::new();
    let mut joined: Vec<RawJson> = low.decode().ok()?;
    joined.append(&mut high.decode().ok()?);
    let is_nested = |value: &RawJson| matches!(first_byte(value), Some(b'{' | b'['));
    joined.retain(|value| is_nested(value) || seen.insert(value.as_str().to_owned()));
    RawJson::encode(&joined).ok()
}
