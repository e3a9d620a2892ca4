//! Any field of any message may change, be missing or be repeated: the rest of the message is unchanged.

use std::collections::BTreeMap;

use agentwire_protocol::Message;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::messages::{self, known_fixtures};

/// A change of a field; its position in a text is the position of its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    To(&'static str),
    Removed,
    Twice,
    BehindNull,
}

const CHANGES: &[Change] = &[
    Change::To("null"),
    Change::To("7"),
    Change::To("-0.5"),
    Change::To(r#""text""#),
    Change::To("[7]"),
    Change::To("{}"),
    Change::Removed,
    Change::Twice,
    Change::BehindNull,
];

#[test]
fn one_changed_field_costs_only_that_field() {
    let (mut faults, mut at) = (Vec::new(), 0);
    for fixture in known_fixtures() {
        let value: Value = serde_json::from_str(&fixture.text).unwrap();
        let before = view(&value);
        // All fields, each with some of the changes: all combinations take minutes.
        for path in paths(&value) {
            let some = CHANGES.iter().cycle().skip(at).take(3);
            faults.extend(some.filter_map(|change| fault(&value, &before, &path, *change)));
            at += 3;
        }
    }
    assert_eq!(faults, [""; 0], "{}", faults.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_changed_field_of_a_recorded_line_costs_nothing_else(
        line in prop::sample::select(recorded()),
        at in any::<prop::sample::Index>(),
        change in prop::sample::select(CHANGES),
    ) {
        let value: Value = serde_json::from_str(&line).unwrap();
        let paths = paths(&value);
        prop_assert_eq!(fault(&value, &view(&value), &paths[at.index(paths.len())], change), None);
    }
}

/// Returns the fault of the message after the change, if any.
fn fault(value: &Value, before: &Value, path: &[String], change: Change) -> Option<String> {
    let line = write(value, path, change);
    let place = format!("{change:?} of {} in {line}", path.join("."));
    let kind = value["type"].as_str().unwrap();
    let is_control = kind.starts_with("control_");
    let (message, set_aside) = match Message::read(line.as_bytes()) {
        Ok(read) => read,
        Err(_) if is_control || ESSENTIAL.contains(&(kind, &path.join("."))) => return None,
        Err(error) => return Some(format!("{error}: {place}")),
    };
    if ["type", "subtype"].contains(&path[0].as_str()) && path.len() == 1 {
        return None;
    }
    if message.kind() != kind {
        return Some(format!("it is a {}: {place}", message.kind()));
    }
    let after = serde_json::to_value(message).unwrap();
    // The path of the field itself, or of the part that was dropped with it.
    let paths: Vec<Vec<String>> = set_aside.iter().map(|error| steps(error.path())).collect();
    let lost = paths.iter().filter(|lost| path.starts_with(lost)).min_by_key(|lost| lost.len());
    difference(before, &after, lost.map_or(path, |lost| lost)).map(|at| format!("{at} changed: {place}"))
}

/// The essential fields of a message.
const ESSENTIAL: &[(&str, &str)] = &[
    ("assistant", "message"),
    ("user", "message"),
    ("stream_event", "event"),
    ("result", "subtype"),
    ("transcript_mirror", "filePath"),
];

/// Writes the line from its view, without members that the line does not have.
fn view(line: &Value) -> Value {
    let mut view = serde_json::to_value(Message::from_line(&line.to_string()).unwrap()).unwrap();
    keep_what_was_there(&mut view, line);
    view
}

/// Removes members that the view wrote but the line does not have.
fn keep_what_was_there(view: &mut Value, line: &Value) {
    match (view, line) {
        (Value::Object(view), Value::Object(line)) => {
            view.retain(|name, _| line.contains_key(name));
            view.iter_mut().for_each(|(name, value)| keep_what_was_there(value, &line[name]));
        }
        (Value::Array(view), Value::Array(line)) => {
            view.iter_mut().zip(line).for_each(|(view, line)| keep_what_was_there(view, line));
        }
        _ => {}
    }
}

fn steps(path: &str) -> Vec<String> {
    path.replace('[', ".").replace(']', "").split('.').map(str::to_owned).collect()
}

/// Returns the first difference outside of `path`.
fn difference(before: &Value, after: &Value, path: &[String]) -> Option<String> {
    let step = path.first();
    let is_last = path.len() == 1;
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before.iter().find_map(|(name, value)| {
            let below = if step == Some(name) { &path[1..] } else { &[] };
            if step == Some(name) && is_last {
                return None;
            }
            let Some(after) = after.get(name) else { return Some(name.clone()) };
            difference(value, after, below).map(|at| format!("{name}.{at}"))
        }),
        (Value::Array(before), Value::Array(after)) => {
            let removed = step.and_then(|step| step.parse::<usize>().ok());
            let mut after = after.iter().collect::<Vec<_>>();
            if let Some(removed) = removed.filter(|_| after.len() < before.len()) {
                after.insert(removed, &Value::Null);
            }
            if before.len() != after.len() {
                return Some(format!("{} elements for {}", after.len(), before.len()));
            }
            before.iter().zip(after).enumerate().find_map(|(index, (before, after))| {
                let is_step = removed == Some(index);
                if is_step && (is_last || after.is_null()) {
                    return None;
                }
                difference(before, after, if is_step { &path[1..] } else { &[] })
                    .map(|at| format!("[{index}]{at}"))
            })
        }
        (before, after) => (before != after && path.is_empty()).then(|| format!(" {before} {after}")),
    }
}

/// The paths to all members of objects within the value.
fn paths(value: &Value) -> Vec<Vec<String>> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    for (step, child) in children {
        if value.is_object() {
            found.push(vec![step.clone()]);
        }
        found.extend(paths(child).into_iter().map(|path| [vec![step.clone()], path].concat()));
    }
    found
}

/// The text of the value with one change.
pub(super) fn write(value: &Value, path: &[String], change: Change) -> String {
    let Some((step, below)) = path.split_first() else { return value.to_string() };
    match value {
        Value::Object(fields) => {
            let members = fields.iter().filter_map(|(name, value)| {
                let quoted = json!(name);
                if name != step {
                    return Some(format!("{quoted}:{value}"));
                }
                if !below.is_empty() {
                    return Some(format!("{quoted}:{}", write(value, below, change)));
                }
                match change {
                    Change::To(text) => Some(format!("{quoted}:{text}")),
                    Change::Removed => None,
                    Change::Twice => Some(format!("{quoted}:{value},{quoted}:{value}")),
                    Change::BehindNull => Some(format!("{quoted}:null,{quoted}:{value}")),
                }
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items = items.iter().enumerate().map(|(index, value)| {
                if index.to_string() == *step { write(value, below, change) } else { value.to_string() }
            });
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        _ => value.to_string(),
    }
}

/// The readable messages of the recorded sessions, each shape of a line once.
fn recorded() -> Vec<String> {
    let mut lines = BTreeMap::new();
    for (_, line) in messages::recorded() {
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        if value["type"].is_string() && Message::read(line.as_bytes()).is_ok_and(|read| read.1.is_empty()) {
            let shape = (value["type"].to_string(), value["subtype"].to_string(), paths(&value));
            lines.entry(shape).or_insert(line);
        }
    }
    assert!(lines.len() > 300, "{}", lines.len());
    lines.into_values().collect()
}
