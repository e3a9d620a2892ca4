//! Tolerance of single fields: every fixture is read again with each of its numbers odd, and with
//! each of its fields missing.

use std::collections::BTreeSet;

use agentwire_protocol::{Message, decode::decode, hook::AnyInput};
use serde_json::Value;

use crate::messages::known_fixtures;

#[test]
fn odd_number_is_read() {
    let mut faults = Vec::new();
    for (name, value) in samples() {
        for pointer in pointers(&value) {
            if !value.pointer(&pointer).unwrap().is_number()
                || EXACT.iter().any(|exact| pointer.ends_with(exact))
            {
                continue;
            }
            // A fraction, a negative number, one that overflows, and the form of NaN in JavaScript.
            for odd in ["1077.7757", "-3", "1e30", "null"] {
                let mut changed = value.clone();
                *changed.pointer_mut(&pointer).unwrap() = serde_json::from_str(odd).unwrap();
                faults.extend(fault(&changed).map(|fault| format!("{name}: {pointer} = {odd}: {fault}")));
            }
        }
    }
    assert_eq!(faults, [""; 0], "{}", faults.join("\n"));
}

#[test]
fn only_identifying_fields_are_required() {
    let (mut faults, mut required) = (Vec::new(), BTreeSet::new());
    for (name, value) in samples() {
        for pointer in pointers(&value) {
            let (parent, field) = pointer.rsplit_once('/').unwrap();
            let mut changed = value.clone();
            let Some(Value::Object(fields)) = changed.pointer_mut(parent) else { continue };
            fields.remove(field);
            if let Some(fault) = fault(&changed) {
                if fault.contains(&format!("missing field `{field}`")) {
                    required.insert(field.to_owned());
                } else {
                    faults.push(format!("{name}: {pointer}: {fault}"));
                }
            }
        }
    }
    assert_eq!(faults, [""; 0], "{}", faults.join("\n"));
    // Without these fields a message or a part of it is of no use. Accept a new one only if necessary:
    // if an older or newer CLI lacks the field, the user loses the whole typed view.
    insta::assert_snapshot!(Vec::from_iter(required).join("\n"));
}

/// All messages of the fixtures, and the inputs of hooks in them.
fn samples() -> Vec<(String, Value)> {
    let mut samples = Vec::new();
    for fixture in known_fixtures() {
        let name = fixture.path.file_stem().unwrap().to_string_lossy();
        let name = format!("{}/{name}", fixture.folder);
        let value: Value = serde_json::from_str(&fixture.text).unwrap();
        let input = value.pointer("/request/input").filter(|input| input.get("hook_event_name").is_some());
        samples.extend(input.map(|input| (format!("{name} (input)"), input.clone())));
        samples.push((name, value));
    }
    samples
}

/// The pointers to all values below this one, except those that belong to the API.
fn pointers(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let below = |(name, value): (String, &Value)| {
        let name = name.replace('~', "~0").replace('/', "~1");
        let mut found = vec![format!("/{name}")];
        found.extend(pointers(value).iter().map(|pointer| format!("/{name}{pointer}")));
        found
    };
    let mut found: Vec<_> = children.into_iter().flat_map(below).collect();
    found.retain(|pointer| !API.iter().any(|api| pointer.starts_with(api)));
    found
}

/// Returns the error, if the value can't be read.
fn fault(value: &Value) -> Option<String> {
    let text = value.to_string();
    if value.get("hook_event_name").is_some() {
        return serde_json::from_str::<AnyInput>(&text).err().map(|error| error.to_string());
    }
    decode::<Message>(&text).err().map(|error| error.to_string())
}

/// Numbers that are always integers, and keys of a map.
const EXACT: &[&str] = &[
    "/api_error_status",
    "/error_status",
    "/exit_code",
    "/verifiedPeerPid",
    "/from_block_index",
    "/claude-code-guide",
];
/// Content blocks and stream events.
const API: &[&str] = &["/message/content/", "/event/"];
