//! The responses of the test server.

use serde_json::{Value, json};

/// Returns the answer to a request; a notification has none.
pub(super) fn answer(message: &Value, tools: &[String]) -> Option<Value> {
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "web", "version": "1"},
        }),
        "tools/list" => {
            let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({"tools": tools.iter().map(tool).collect::<Vec<_>>()})
        }
        "tools/call" => {
            json!({"content": [{"type": "text", "text": params["arguments"]["text"]}]})
        }
        "ping" => json!({}),
        other => {
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": other}}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
