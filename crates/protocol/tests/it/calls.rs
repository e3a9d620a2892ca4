//! Every outbound request: it is written with its subtype first, round-trips, and its replies lose nothing.

use std::{
    collections::BTreeSet,
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
};

use agentwire_protocol::{
    Message, RequestId,
    control::{CallVisitor, ControlCall, OutboundRequest, Outcome, visit_calls},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

#[test]
fn calls_and_fixtures_match() {
    let mut subtypes = Subtypes(BTreeSet::new());
    visit_calls(&mut subtypes);
    let files = fs::read_dir(folder()).unwrap();
    let files: BTreeSet<String> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(subtypes.0, files);
}

#[test]
fn requests_and_replies_round_trip() {
    let mut pairs = Pairs { requests: 0, replies: 0 };
    visit_calls(&mut pairs);
    assert!(pairs.requests >= 80 && pairs.replies >= 50, "{} and {}", pairs.requests, pairs.replies);
}

#[test]
fn comparison_notices_lost_fields() {
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let whole = json(r#"{"a":[{"b":1,"c":null}],"d":2}"#);
    assert_eq!(lost(&whole, &json(r#"{"a":[{"b":1.0}],"d":2,"e":[]}"#), ""), None);
    assert_eq!(lost(&whole, &json(r#"{"a":[{"c":1}],"d":2}"#), "").as_deref(), Some(".a[0].b"));
    assert_eq!(lost(&whole, &json(r#"{"a":[{"b":1}],"d":"2"}"#), "").as_deref(), Some(".d"));
    assert_eq!(lost(&whole, &json(r#"{"a":[],"d":2}"#), "").as_deref(), Some(".a"));
}

/// Collects the subtypes.
struct Subtypes(BTreeSet<String>);

impl CallVisitor for Subtypes {
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug,
    {
        assert!(self.0.insert(C::SUBTYPE.to_owned()), "{} comes twice", C::SUBTYPE);
    }
}

/// Goes through the fixtures of each call.
struct Pairs {
    requests: usize,
    replies: usize,
}

impl CallVisitor for Pairs {
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug,
    {
        for file in files(&folder().join(C::SUBTYPE)) {
            for line in fs::read_to_string(file).unwrap().lines() {
                let frame: Value = serde_json::from_str(line).unwrap();
                if frame["type"] == "control_request" {
                    request::<C>(&frame);
                    self.requests += 1;
                } else {
                    self.replies += usize::from(response::<C>(line, &frame));
                }
            }
        }
    }
}

fn request<C: ControlCall + DeserializeOwned + PartialEq + Debug>(frame: &Value) {
    let call: C = serde_json::from_value(frame["request"].clone())
        .unwrap_or_else(|error| panic!("{}: {error}: {frame}", C::SUBTYPE));
    let id = RequestId::from("r1");
    let written = serde_json::to_string(&OutboundRequest::new(&id, &call)).unwrap();
    let start =
        format!(r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"{}""#, C::SUBTYPE);
    assert!(written.starts_with(&start), "{written}");
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(lost(&frame["request"], &written["request"], ""), None, "{frame}");
    let again: C = serde_json::from_value(written["request"].clone()).unwrap();
    assert_eq!(again, call);
}

/// Whether it is a success with a reply.
fn response<C: ControlCall>(line: &str, frame: &Value) -> bool
where
    C::Reply: Serialize + PartialEq + Debug,
{
    let Message::ControlResponse(response) = Message::from_line(line).unwrap() else { panic!("{line}") };
    let written = serde_json::to_value(&response).unwrap();
    assert_eq!(lost(&frame["response"], &written["response"], ""), None, "{line}");
    let Outcome::Success(success) = response.response else { return false };
    let Some(raw) = success.response else { return false };
    let reply: C::Reply = raw.decode().unwrap_or_else(|error| panic!("{}: {error}: {line}", C::SUBTYPE));
    let written = serde_json::to_value(&reply).unwrap();
    assert_eq!(lost(&frame["response"]["response"], &written, ""), None, "{line}");
    true
}

/// Checks that `written` lacks nothing of `whole`; a `null` may be absent, and defaults may be added.
fn lost(whole: &Value, written: &Value, at: &str) -> Option<String> {
    match (whole, written) {
        (Value::Object(whole), Value::Object(written)) => whole.iter().find_map(|(name, value)| {
            let at = format!("{at}.{name}");
            match written.get(name) {
                Some(written) => lost(value, written, &at),
                None => (!value.is_null() && name != "subtype" && !empty(value)).then_some(at),
            }
        }),
        (Value::Array(whole), Value::Array(written)) if whole.len() == written.len() => whole
            .iter()
            .zip(written)
            .enumerate()
            .find_map(|(n, (whole, written))| lost(whole, written, &format!("{at}[{n}]"))),
        (Value::Number(whole), Value::Number(written)) if whole.as_f64() == written.as_f64() => None,
        (whole, written) => (whole != written).then(|| at.to_owned()),
    }
}

/// Whether the value is an empty list or object, which may be absent.
fn empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/calls")
}

/// Lists a directory.
fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
