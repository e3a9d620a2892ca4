//! Canaries in every string of every recorded message, and random bytes.

use std::{collections::BTreeSet, fs, path::PathBuf};

use agentwire_testkit::{Redactor, Transcript, redact::RedactionReport, transcript::Entry};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::secrets::{SHAPES, core, redacted};

fn recordings() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/sessions");
    let folders =
        fs::read_dir(root).unwrap().flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    folders.map(|file| file.unwrap().path()).collect()
}

#[test]
fn recordings_hold_no_secrets() {
    for file in recordings() {
        let session = Transcript::parse(fs::read(&file).unwrap()).unwrap();
        let (_, report) = Redactor::new().redact_with_report(&session);
        assert_eq!(report, RedactionReport::default(), "{}", file.display());
    }
}

/// Returns one line of each kind and direction of all recordings.
fn kinds() -> Vec<(bool, Value)> {
    let (mut seen, mut kinds) = (BTreeSet::new(), Vec::new());
    for file in recordings() {
        let session = Transcript::parse(fs::read(file).unwrap()).unwrap();
        for entry in &session.entries {
            let (inbound, line) = match entry {
                Entry::Inbound(line) => (true, line),
                Entry::Outbound(line) => (false, line),
                _ => continue,
            };
            let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
            let parts =
                ["/type", "/subtype", "/request/subtype", "/request/input/hook_event_name", "/event/type"];
            let parts = parts.map(|part| value.pointer(part).map(Value::to_string));
            let of_reply = value.pointer("/response/response").map(|reply| match reply {
                Value::Object(fields) => fields.keys().cloned().collect::<Vec<_>>().join(" "),
                _ => String::new(),
            });
            let method = value.pointer("/request/message/method").map(Value::to_string);
            let delta = value.pointer("/event/delta/type").map(Value::to_string);
            if seen.insert((inbound, parts, of_reply, method, delta)) {
                kinds.push((inbound, value));
            }
        }
    }
    assert!(kinds.len() > 100, "{}", kinds.len());
    kinds
}

/// Returns the value with a canary in every string, and as a further key of every object.
fn infected(value: &Value, canary: &str) -> Value {
    match value {
        Value::String(text) => Value::String(format!("{text} {canary}")),
        // Long lists contain many similar items.
        Value::Array(items) => items.iter().take(2).map(|item| infected(item, canary)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (key.clone(), infected(value, canary)));
            let further = [(canary.to_owned(), Value::Null), (format!("at {canary}"), Value::from(canary))];
            Value::Object(fields.chain(further).collect())
        }
        other => other.clone(),
    }
}

fn shape_of(value: &Value) -> Value {
    match value {
        Value::String(_) => Value::from("text"),
        Value::Number(_) => Value::from(1),
        Value::Array(items) => items.iter().map(shape_of).collect(),
        Value::Object(fields) => fields.values().map(shape_of).collect(),
        other => other.clone(),
    }
}

#[test]
fn no_canary_survives_in_any_message() {
    let kinds = kinds();
    let secret = "a named one, of \"no\" shape";
    for canary in SHAPES.iter().copied().chain([secret]) {
        let mut session = Transcript::default();
        session.entries = kinds
            .iter()
            .map(|(inbound, value)| {
                let line = Bytes::from(infected(value, canary).to_string());
                if *inbound { Entry::Inbound(line) } else { Entry::Outbound(line) }
            })
            .collect();
        let redactor = Redactor::new().secret(secret);
        let (after, report) = redactor.redact_with_report(&session);
        assert_eq!(report.leftovers, None, "{canary}");
        for (before, after) in session.entries.iter().zip(&after.entries) {
            let (Entry::Inbound(before) | Entry::Outbound(before)) = before else { unreachable!() };
            let (Entry::Inbound(after) | Entry::Outbound(after)) = after else { unreachable!() };
            let text = String::from_utf8_lossy(after);
            let escaped = Value::from(core(canary)).to_string();
            assert!(!text.contains(escaped.trim_matches('"')), "{canary} in {text}");
            let values = [before, after].map(|line| serde_json::from_slice::<Value>(line).unwrap());
            let keys = |value: &Value| value.as_object().map(|fields| fields.len());
            assert_eq!(keys(&values[0]), keys(&values[1]));
            assert!(
                shape_of(&values[0]).to_string().len().abs_diff(shape_of(&values[1]).to_string().len()) == 0
            );
        }
        let (again, _) = redactor.redact_with_report(&after);
        for (once, twice) in after.entries.iter().zip(&again.entries) {
            assert_eq!(once, twice, "{canary}");
        }
    }
}

/// Checks that the same lines decode before and after their secrets are blanked.
#[test]
fn redacted_lines_decode() {
    use agentwire_protocol::{Message, decode::decode};

    for (inbound, mut value) in kinds() {
        if !inbound {
            continue;
        }
        let text = value.as_object_mut().unwrap();
        text.insert("note".to_owned(), Value::from(SHAPES[0]));
        text.insert("env".to_owned(), json!({ "A": "plain words" }));
        let (after, _) = redacted(&Redactor::new(), &[format!("< {value}")]);
        let kind = |line: &str| decode::<Message>(line).map(|message| std::mem::discriminant(&message)).ok();
        assert_eq!(kind(&after), kind(&value.to_string()), "{after}");
    }
}

/// After the first round, the line contains the blanked value as the start of a list.
#[test]
fn value_that_looks_like_the_start_of_a_list_leaves_the_line_json() {
    let line = r#"< {"b":{"headers":{"c":"[\"<redacted-1>"}},"":["[\"<redacted-1>"]}"#;
    let (after, _) = redacted(&Redactor::new(), &[line]);
    assert!(serde_json::from_str::<Value>(after.trim_start_matches("< ")).is_ok(), "{after}");
}

fn odd_text() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let pieces = [
        "password", "token", "=", ": ", "\"", "'", "\\", "\n", " ", "https://", "u:p@h", "?", "#", "&", "/",
        "{", "}", "[", "]", ",", "<", ">", "%41", "\\u0041", "abc123", "<redacted-1>", "Bearer ", "env",
        "authorization", "is ", "-", "$X", "ä", "😀", "MIIEvQIBAD", "sk-ant-api03-abc",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(text in odd_text(), other in odd_text(), named in "[a-z0-9:=\"]{3,6}") {
        let value = json!({ "a": text, "b": { "headers": { "c": other } }, "type": "x", &*text: [other] });
        let redactor = Redactor::new().secret(&*named);
        for line in [value.to_string(), text, other] {
            let once = redactor.redact(&Transcript::from_json_lines(&line));
            prop_assert!(once.is_ok(), "{} {:?}", line, once);
            let once = once.unwrap();
            prop_assert_eq!(&redactor.redact(&once).unwrap(), &once, "{}", line);
            for (before, after) in Transcript::from_json_lines(&line).inbound().zip(once.inbound()) {
                let is_json = |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok();
                prop_assert_eq!(is_json(before), is_json(after), "{}", line);
            }
        }
    }

    #[test]
    fn any_bytes_are_accepted(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut session = Transcript::default();
        session.entries = vec![Entry::Inbound(Bytes::from(bytes.clone())), Entry::Outbound(Bytes::from(bytes))];
        let _ = Redactor::new().secret("abc").redact_with_report(&session);
    }
}
