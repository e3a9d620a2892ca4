//! Converts input schemas to the requirements of the APIs, and changes nothing else.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// Returns the schema with a plain object as its root.
pub(super) fn rooted(schema: &Object) -> Value {
    let (taken, mut root): (Object, Object) =
        schema.clone().into_iter().partition(|(key, _)| ROOTLESS.contains(&key.as_str()));
    let mut seen = Vec::new();
    let offered = collect(&Value::Object(taken.clone()), schema, &mut seen, 0);
    if !taken.is_empty() {
        let rest = format!("The input must also fit this JSON schema: {}", Value::Object(taken));
        describe(&mut root, rest);
    }
    root.insert("type".to_owned(), json!("object"));
    if !root.get("properties").is_some_and(Value::is_object) {
        root.insert("properties".to_owned(), json!({}));
    }
    if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in offered.properties {
            properties.entry(name).or_insert(property);
        }
    }
    require(&mut root, offered.required);
    leave_out(&mut root);
    Value::Object(root)
}

/// Removes properties with names that the Messages API refuses, and describes them in the description.
fn leave_out(root: &mut Object) {
    let Some(Value::Object(properties)) = root.get_mut("properties") else { return };
    // Not `remove`, which changes the order of the others.
    let (kept, refused): (Object, Object) =
        std::mem::take(properties).into_iter().partition(|(name, _)| is_taken(name));
    *properties = kept;
    if refused.is_empty() {
        return;
    }
    if let Some(Value::Array(required)) = root.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !refused.contains_key(name)));
    }
    describe(root, format!("The input may also have these properties: {}", Value::Object(refused)));
}

/// Returns whether the APIs accept a property name.
fn is_taken(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// Adds to the description.
fn describe(root: &mut Object, more: String) {
    let before = root.get("description").and_then(Value::as_str);
    let description = before.map_or_else(|| more.clone(), |before| format!("{before}\n\n{more}"));
    root.insert("description".to_owned(), Value::from(description));
}

/// Adds empty `items` to arrays without one.
pub(super) fn name_items(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    let is_array = match object.get("type") {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        _ => false,
    };
    if is_array && !object.contains_key("items") {
        object.insert("items".to_owned(), json!({}));
    }
    for (key, inner) in object {
        match (inner, PLACES.iter().find(|(place, _)| place == key).map(|(_, kind)| kind)) {
            (Value::Object(named), Some(Place::Named)) => named.values_mut().for_each(name_items),
            (Value::Array(listed), Some(_)) => listed.iter_mut().for_each(name_items),
            (one, Some(Place::One)) => name_items(one),
            _ => {}
        }
    }
}

/// The properties of all branches of a schema, and the properties that all branches require.
#[derive(Default)]
struct Offered {
    properties: Object,
    required: Vec<String>,
}

impl Offered {
    fn take(&mut self, properties: Object) {
        for (name, property) in properties {
            self.properties.entry(name).or_insert(property);
        }
    }
}

/// Collects the properties of a schema and its branches; `seen` contains the references followed so far.
fn collect(schema: &Value, root: &Object, seen: &mut Vec<String>, depth: usize) -> Offered {
    let mut offered = Offered::default();
    let Some(schema) = schema.as_object().filter(|_| depth < DEEPEST) else { return offered };
    if let Some(Value::Object(properties)) = schema.get("properties") {
        offered.take(properties.clone());
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    offered.required.extend(required.filter_map(|name| name.as_str().map(str::to_owned)));
    // Follow each reference once, up to a limit: otherwise chains of references cost unbounded time.
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str)
        && seen.len() < MAX_FOLLOWED
        && !seen.iter().any(|before| before == reference)
        && let Some(target) = followed(root, reference)
    {
        seen.push(reference.to_owned());
        let target = collect(target, root, seen, depth + 1);
        offered.take(target.properties);
        offered.required.extend(target.required);
    }
    for (key, all) in [("allOf", true), ("anyOf", false), ("oneOf", false)] {
        let branches = schema.get(key).and_then(Value::as_array).into_iter().flatten();
        let mut shared: Option<Vec<String>> = None;
        for branch in branches {
            let branch = collect(branch, root, seen, depth + 1);
            offered.take(branch.properties);
            match &mut shared {
                _ if all => offered.required.extend(branch.required),
                None => shared = Some(branch.required),
                Some(shared) => {
                    let mut names: HashSet<String> = branch.required.into_iter().collect();
                    // Keeps each name once: otherwise each of many short branches would read a long list.
                    shared.retain(|name| names.remove(name));
                }
            }
        }
        offered.required.extend(shared.into_iter().flatten());
    }
    offered
}

/// Returns the target of a reference within the schema.
fn followed<'a>(root: &'a Object, reference: &str) -> Option<&'a Value> {
    let (first, rest) = match reference.strip_prefix("#/")?.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (reference.strip_prefix("#/")?, None),
    };
    let first = root.get(first)?;
    rest.map_or(Some(first), |rest| first.pointer(&format!("/{rest}")))
}

fn require(root: &mut Object, required: Vec<String>) {
    if required.is_empty() {
        return;
    }
    let list = root.entry("required").or_insert_with(|| json!([]));
    if let Value::Array(list) = list {
        let mut known: HashSet<String> =
            list.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        list.extend(required.into_iter().filter(|name| known.insert(name.clone())).map(Value::String));
    }
}

/// The keywords that the APIs refuse at the root.
const ROOTLESS: &[&str] = &["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"];

/// The limit of references followed at the root.
const MAX_FOLLOWED: usize = 64;

/// The limit of nested branches and references, for a bounded stack: each reference may lead to deep branches.
const DEEPEST: usize = 128;

/// The places of schemas in a schema.
enum Place {
    /// A schema, or a list of schemas.
    One,
    /// An object with a schema for each name.
    Named,
}

const PLACES: &[(&str, Place)] = &[
    ("properties", Place::Named),
    ("patternProperties", Place::Named),
    ("$defs", Place::Named),
    ("definitions", Place::Named),
    ("dependentSchemas", Place::Named),
    ("items", Place::One),
    ("prefixItems", Place::One),
    ("contains", Place::One),
    ("additionalProperties", Place::One),
    ("propertyNames", Place::One),
    ("allOf", Place::One),
    ("anyOf", Place::One),
    ("oneOf", Place::One),
    ("not", Place::One),
    ("if", Place::One),
    ("then", Place::One),
    ("else", Place::One),
];
