//! Merges settings.

use std::collections::{BTreeMap, BTreeSet};

use agentwire_protocol::RawJson;

/// Merges `high` over `low`.
///
/// Objects are merged key by key, lists are joined without repeating texts and numbers, anything else is replaced.
pub(super) fn merge(low: &RawJson, high: &RawJson) -> RawJson {
    let merged = match (kind(low), kind(high)) {
        (Kind::Object, Kind::Object) => objects(low, high),
        (Kind::List, Kind::List) => lists(low, high),
        _ => None,
    };
    merged.unwrap_or_else(|| high.clone())
}

#[derive(PartialEq, Eq)]
enum Kind {
    Object,
    List,
    Other,
}

fn kind(value: &RawJson) -> Kind {
    match value.as_str().trim_start().bytes().next() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::List,
        _ => Kind::Other,
    }
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
    joined.retain(|value| kind(value) != Kind::Other || seen.insert(value.as_str().trim().to_owned()));
    RawJson::encode(&joined).ok()
}
