//! Samples of types that the declarations take from other packages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A sample for each such type that goes over the wire.
pub(super) fn samples() -> BTreeMap<&'static str, Value> {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    BTreeMap::from([
        (
            "BetaMessage",
            json!({
                "id": "text", "type": "message", "role": "assistant", "model": "text", "content": [],
                "stop_reason": null, "stop_sequence": null, "usage": usage,
            }),
        ),
        ("BetaRawMessageStreamEvent", json!({"type": "message_stop"})),
        ("BetaUsage", usage.clone()),
        ("NonNullableUsage", usage),
        ("MessageParam", json!({"role": "user", "content": "text"})),
        ("CallToolResult", json!({crate::typescript::FREE: 1})),
        ("ElicitResult", json!({"action": "accept", "content": {crate::typescript::FREE: 1}})),
        ("JSONRPCMessage", json!({crate::typescript::FREE: 1})),
        ("UUID", json!("text")),
        // Our messages keep it as text; `FIELDS` in `declared` has the objects and the set of strings among the keys
        // that a type of ours reads.
        ("Settings", json!({crate::typescript::FREE: 1})),
        (
            "ToolAnnotations",
            json!({
                "title": "text", "readOnlyHint": true, "destructiveHint": true, "idempotentHint": true,
                "openWorldHint": true,
            }),
        ),
    ])
}

/// The same for the declarations of the Messages API.
pub(super) fn of_the_api() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([("Model", json!("text"))])
}
