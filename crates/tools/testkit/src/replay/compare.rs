//! Compares a line of ours with the recorded one, except for ids, which are bound by position.

use super::{initialize, stand_ins};
use crate::{
    ids::Ids,
    json::{Difference, Json, Value},
    recorded::{Recorded, Role},
};

/// How far a line of ours may differ from the recorded one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leniency {
    /// Whether the transcript is one of another host's.
    pub(super) foreign: bool,
    /// Whether a redactor has replaced texts in it.
    pub(super) redacted: bool,
}

/// Compares a prompt, a request or a cancellation, and binds the ids that it brings; the error is the difference.
pub(super) fn ours(
    expected: &Recorded,
    actual: &Recorded,
    ids: &mut Ids,
    leniency: Leniency,
) -> Result<(), Differs> {
    match (&expected.role, &actual.role) {
        (Role::Request { id, subtype }, Role::Request { id: our_id, subtype: our_subtype }) => {
            if subtype != our_subtype {
                return Err(format!("the request is `{our_subtype}`").into());
            }
            let is_foreign = leniency.foreign && **subtype == *"initialize";
            request(expected, actual, ids, Leniency { foreign: is_foreign, ..leniency })?;
            ids.bind_request(id, our_id);
            Ok(())
        }
        (Role::Cancel { id }, Role::Cancel { id: our_id }) => match ids.request(id) {
            Some(bound) if *bound == **our_id => Ok(()),
            _ => Err("it cancels another request".to_owned().into()),
        },
        (Role::Message, Role::Message) => message(expected, actual, ids, leniency),
        _ => Err("it is of another kind".to_owned().into()),
    }
}

/// Compares the answer to a request of the CLI's; the error is the difference.
pub(super) fn answer(
    expected: &Recorded,
    actual: &Recorded,
    request: Option<&Recorded>,
    Leniency { foreign, redacted }: Leniency,
) -> Result<(), Differs> {
    let (Some(expected), Some(actual)) = (expected.outcome(), actual.outcome()) else {
        return Err("it has no `response`".to_owned().into());
    };
    if foreign && is_failure(expected) && is_failure(actual) {
        return Ok(());
    }
    let outcome = |json: &Json| json.text_at(&["subtype"]).unwrap_or_default().to_owned();
    if outcome(expected) != outcome(actual) {
        return Err(format!("it is `{}` and not `{}`", outcome(actual), outcome(expected)).into());
    }
    if foreign && is_notification(request) {
        return Ok(());
    }
    if outcome(expected) == "error" {
        return differs(expected.field("error"), actual.field("error"), "error", &Ids::default(), redacted);
    }
    let repeats = expected.at(&["response", "updatedInput"]).is_none() && is_asked_input(actual, request);
    let actual = actual.field("response").cloned();
    let actual = if repeats { actual.map(|actual| actual.without("updatedInput")) } else { actual };
    differs(expected.field("response"), actual.as_ref(), "response", &Ids::default(), redacted)
}

/// Returns whether an allowance repeats the input of its request. The facade's do; recorded ones may lack it.
fn is_asked_input(actual: &Json, request: Option<&Recorded>) -> bool {
    let asked = request.and_then(|request| request.json.at(&["request", "input"]));
    actual.at(&["response", "updatedInput"]).zip(asked).is_some_and(|(actual, asked)| actual.same(asked))
}

fn request(expected: &Recorded, actual: &Recorded, ids: &mut Ids, leniency: Leniency) -> Result<(), Differs> {
    let (Some(expected), Some(actual)) = (expected.request(), actual.request()) else { return Ok(()) };
    if leniency.foreign {
        return Ok(initialize::compare(expected, actual, ids)?);
    }
    differs(Some(expected), Some(actual), "request", ids, leniency.redacted)
}

/// Compares a prompt, or a frame of a kind that only the two sides know.
fn message(
    expected: &Recorded,
    actual: &Recorded,
    ids: &mut Ids,
    Leniency { foreign, redacted }: Leniency,
) -> Result<(), Differs> {
    if let (Some(recorded), Some(ours)) = (expected.json.text_at(&["uuid"]), actual.json.text_at(&["uuid"])) {
        ids.bind_uuid(recorded, ours);
    }
    if !foreign || expected.kind() != "user" {
        return match expected.json.field("uuid") {
            // The facade gives each prompt an id, also where it was recorded without one.
            None if actual.kind() == "user" => {
                differs(Some(&expected.json), Some(&actual.json.clone().without("uuid")), "", ids, redacted)
            }
            _ => differs(Some(&expected.json), Some(&actual.json), "", ids, redacted),
        };
    }
    if actual.kind() == "user"
        && let (Some(expected), Some(actual)) = (plain(expected), plain(actual))
    {
        let values = Some((Value::quoted(expected), Value::quoted(actual)));
        let is_same = expected == actual || stand_ins::may_stand_for(expected, actual, redacted);
        return if is_same { Ok(()) } else { Err(Differs::at(".message.content", values)) };
    }
    differs(expected.json.at(&["message"]), actual.json.at(&["message"]), ".message", ids, redacted)
}

/// Returns a prompt's text if it is text alone: a string, or a list of one text block.
fn plain(prompt: &Recorded) -> Option<&str> {
    let content = prompt.json.at(&["message", "content"])?;
    match (&content.value, content.list()) {
        (Value::Text(text), _) => Some(text),
        (_, [block]) if block.text_at(&["type"]) == Some("text") => block.text_at(&["text"]),
        _ => None,
    }
}

/// Compares two values of which either may be missing; an object without fields counts as missing.
fn differs(
    expected: Option<&Json>,
    actual: Option<&Json>,
    what: &str,
    ids: &Ids,
    redacted: bool,
) -> Result<(), Differs> {
    let is_empty = |json: Option<&Json>| {
        json.is_none_or(|json| matches!(&json.value, Value::Object(fields) if fields.is_empty()))
    };
    let found = match (expected, actual) {
        (expected, actual) if is_empty(expected) && is_empty(actual) => return Ok(()),
        (Some(expected), Some(actual)) => expected.difference(actual, &|recorded, ours| {
            let is_bound = ids.is_uuid(recorded, ours);
            is_bound.unwrap_or_else(|| stand_ins::may_stand_for(recorded, ours, redacted))
        }),
        _ => Some(Difference { path: String::new(), first: expected, second: actual }),
    };
    let Some(Difference { path, first, second }) = found else { return Ok(()) };
    let text = |value: Option<&Json>| value.map_or_else(|| "nothing".to_owned(), Json::to_string);
    Err(Differs::at(&format!("{what}{path}"), Some((text(first), text(second)))))
}

/// The difference.
#[derive(Debug)]
pub(super) struct Differs {
    pub(super) why: String,
    /// The recorded value and ours, if they differ in one value; each cut to the difference.
    pub(super) values: Option<(String, String)>,
}

impl Differs {
    fn at(path: &str, values: Option<(String, String)>) -> Self {
        let values = values.map(|(expected, actual)| {
            let same = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
            (around(&expected, same), around(&actual, same))
        });
        Self { why: format!("it differs at {path}"), values }
    }
}

impl From<String> for Differs {
    fn from(why: String) -> Self {
        Self { why, values: None }
    }
}

/// Returns the part of a long text around a character.
fn around(text: &str, at: usize) -> String {
    let from = at.saturating_sub(BEFORE);
    let part: String = text.chars().skip(from).take(SHOWN).collect();
    let before = if from > 0 { "…" } else { "" };
    let behind = if text.chars().count() > from + SHOWN { "…" } else { "" };
    format!("{before}{part}{behind}")
}

/// How many characters of a value are shown, and how many of them before the difference.
const SHOWN: usize = 200;
const BEFORE: usize = 60;

fn is_notification(request: Option<&Recorded>) -> bool {
    let message = request.and_then(|request| request.json.at(&["request", "message"]));
    message.is_some_and(|message| message.field("id").is_none())
}

/// Returns whether an answer reports a failure, in either form.
fn is_failure(outcome: &Json) -> bool {
    outcome.text_at(&["subtype"]) == Some("error")
        || outcome.at(&["response", "mcp_response", "error"]).is_some()
}
