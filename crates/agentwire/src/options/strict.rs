//! Deserializes protocol types from user input, rejecting unknown keys.

use agentwire_protocol::RawJson;
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned, de::Error};
use serde_json::Value;

/// Deserializes a value and rejects keys that serializing it would not reproduce.
///
/// The protocol's types ignore unknown keys of the CLI, but a misspelt key of the user must be an error. Comparing with
/// the written value also finds keys inside tagged unions, which buffer raw JSON.
pub(super) fn read<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Serialize,
{
    let raw = RawJson::deserialize(deserializer)?;
    let value: T = raw.decode().map_err(D::Error::custom)?;
    let read: Value = raw.decode().map_err(D::Error::custom)?;
    let written = serde_json::to_value(&value).map_err(D::Error::custom)?;
    match lost(&read, &written) {
        None => Ok(value),
        Some(path) => Err(D::Error::custom(format!("no option takes `{}`", path.join(".")))),
    }
}

/// Returns the path of the first key that was lost; empty values do not count.
fn lost(read: &Value, written: &Value) -> Option<Vec<String>> {
    let within = |key: String, read: &Value, written: &Value| {
        let mut path = lost(read, written)?;
        path.insert(0, key);
        Some(path)
    };
    match (read, written) {
        (Value::Object(read), Value::Object(written)) => {
            read.iter().find_map(|(key, value)| match written.get(key) {
                Some(other) => within(key.clone(), value, other),
                None if is_empty(value) => None,
                None => Some(vec![key.clone()]),
            })
        }
        (Value::Array(read), Value::Array(written)) => read
            .iter()
            .zip(written)
            .enumerate()
            .find_map(|(at, (value, other))| within(at.to_string(), value, other)),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::Options;

    #[test]
    fn unknown_keys_of_nested_types_are_rejected() {
        for (json, expected) in [
            (r#"{"agents": {"r": {"description": "d", "prompt": "p", "modle": "x"}}}"#, "`r.modle`"),
            (r#"{"mcpServers": {"s": {"command": "x", "evn": {"A": "b"}}}}"#, "`s.evn`"),
            (r#"{"sandbox": {"network": {"allowLocal": true}}}"#, "`network.allowLocal`"),
            (r#"{"plugins": [{"type": "local", "path": "/p", "paht": "/q"}]}"#, "`0.paht`"),
        ] {
            let error = serde_json::from_str::<Options>(json).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        for json in [
            r#"{"agents": {"r": {"description": "d", "prompt": "p", "skills": [], "model": null}}}"#,
            r#"{"mcpServers": {"s": {"command": "x"}, "later": {"type": "later", "x": 1}}}"#,
        ] {
            assert!(serde_json::from_str::<Options>(json).is_ok(), "{json}");
        }
    }
}
