//! The responses of the test server.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::lock;

/// Returns the answer to a request; a notification has none.
pub(super) fn answer(message: &Value, state: &super::State) -> Option<Value> {
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match message["method"].as_str()? {
        "initialize" => {
            let mut capabilities = json!({"tools": {"listChanged": true}});
            if state.takes_subscriptions.load(Ordering::Relaxed) {
                capabilities["resources"] = json!({"subscribe": true});
            }
            json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": capabilities,
                "serverInfo": {"name": "web", "version": "1"},
            })
        }
        "tools/list" => {
            let tool = |name: &String| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({"tools": lock(&state.tools).iter().map(tool).collect::<Vec<_>>()})
        }
        "tools/call" => {
            json!({"content": [{"type": "text", "text": params["arguments"]["text"]}]})
        }
        "resources/list" => json!({"resources": []}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "ping" | "resources/subscribe" => json!({}),
        other => {
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": other}}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
