//! Patterns that select messages by a part of their JSON.

use serde::Deserialize;
use serde_json::Value;

/// A part of a message.
///
/// A text is a kind, `type` or `type/subtype`; `idle` is the frame with the state `idle`.
/// An object matches if each of its fields does; a list, if each of its items matches some item; anything else must be
/// equal. `{"$has": "text"}` matches every text that contains this one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Pattern(pub(super) Value);

impl Pattern {
    /// Matches the frame with the state `idle`.
    pub(super) fn idle() -> Self {
        Self(Value::from("idle"))
    }

    /// Returns whether the message contains this part.
    pub(super) fn fits(&self, message: &Value) -> bool {
        match self.0.as_str() {
            Some("idle") => message["subtype"] == "session_state_changed" && message["state"] == "idle",
            Some(kind) => fits_kind(kind, message),
            None => fits(&self.0, message),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

fn fits_kind(kind: &str, message: &Value) -> bool {
    let (kind, subtype) = match kind.split_once('/') {
        Some((kind, subtype)) => (kind, Some(subtype)),
        None => (kind, None),
    };
    message["type"] == kind && subtype.is_none_or(|subtype| message["subtype"] == subtype)
}

fn fits(pattern: &Value, value: &Value) -> bool {
    match (pattern, value) {
        (Value::Object(pattern), Value::String(text)) if pattern.len() == 1 => {
            pattern.get("$has").and_then(Value::as_str).is_some_and(|part| text.contains(part))
        }
        (Value::Object(pattern), Value::Object(value)) => {
            pattern.iter().all(|(name, part)| value.get(name).is_some_and(|value| fits(part, value)))
        }
        (Value::Array(pattern), Value::Array(value)) => {
            pattern.iter().all(|part| value.iter().any(|value| fits(part, value)))
        }
        (pattern, value) => pattern == value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Pattern;

    #[track_caller]
    fn check(pattern: &Value, message: &Value, expect: bool) {
        assert_eq!(Pattern(pattern.clone()).fits(message), expect, "{pattern} {message}");
    }

    #[test]
    fn pattern_matches_a_kind() {
        let message = json!({"type": "system", "subtype": "init"});
        check(&json!("system"), &message, true);
        check(&json!("system/init"), &message, true);
        check(&json!("system/status"), &message, false);
        check(&json!("result"), &message, false);
        let state = |state| json!({"type": "system", "subtype": "session_state_changed", "state": state});
        check(&json!("idle"), &state("idle"), true);
        check(&json!("idle"), &state("running"), false);
    }

    #[test]
    fn pattern_matches_a_part() {
        let message = json!({"a": {"b": [1, {"c": "some text"}]}, "d": null});
        check(&json!({}), &message, true);
        check(&json!({"a": {"b": [{"c": "some text"}]}}), &message, true);
        check(&json!({"a": {"b": [{"c": {"$has": "me t"}}]}, "d": null}), &message, true);
        check(&json!({"a": {"b": [2]}}), &message, false);
        check(&json!({"a": {"b": [{"c": {"$has": "other"}}]}}), &message, false);
        check(&json!({"e": null}), &message, false);
    }
}
