//! Conversions between steps, messages and text.

use std::collections::BTreeMap;

use agentwire::RawJson;
use agentwire_testkit::excerpt::excerpt;
use serde_json::Value;

/// Returns the `type`, with the `subtype` if there is one.
pub(crate) fn kind_of(message: &Value) -> String {
    let kind = message["type"].as_str().unwrap_or("no type");
    match message["subtype"].as_str() {
        Some(subtype) => format!("{kind}/{subtype}"),
        None => kind.to_owned(),
    }
}

/// Returns a text or a number as a word.
pub(super) fn word(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a `user` frame with these fields; `content` goes into its message.
pub(super) fn user(fields: &BTreeMap<String, RawJson>) -> String {
    let content = fields.get("content").map_or("\"\"", |content| content.as_str());
    let mut line = format!(
        r#"{{"type":"user","message":{{"role":"user","content":{content}}},"parent_tool_use_id":null,"session_id":"""#
    );
    for (name, value) in fields.iter().filter(|(name, _)| *name != "content") {
        line.push_str(&format!(",{}:{value}", Value::from(name.as_str())));
    }
    line.push('}');
    line.replace('\n', " ")
}

/// Returns the name of a step with its value, as in `until "result"`.
pub(super) fn name(step: &str) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str(step) else {
        return step.trim_matches('"').to_owned();
    };
    let parts: Vec<_> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
    excerpt(parts.join(" ").as_bytes())
}
