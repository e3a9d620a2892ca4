//! Members of tools that `rmcp` does not know, such as `execution`. They are kept in the tool's `_meta`.

use std::borrow::Cow;

use rmcp::model::{ListToolsResult, Tool};
use serde_json::{Map, Value};

/// Returns the message with the unknown members of listed tools moved into their `_meta`, under [`KEY`].
pub(crate) fn kept(message: &[u8]) -> Cow<'_, [u8]> {
    // Only lists of tools are parsed twice.
    if !message.windows(SIGN.len()).any(|part| part == SIGN) {
        return Cow::Borrowed(message);
    }
    let Ok(mut parsed) = serde_json::from_slice::<Value>(message) else { return Cow::Borrowed(message) };
    let Some(tools) = parsed.pointer_mut("/result/tools").and_then(Value::as_array_mut) else {
        return Cow::Borrowed(message);
    };
    let moved = tools.iter_mut().filter_map(Value::as_object_mut).map(keep).fold(false, |any, one| any | one);
    match serde_json::to_vec(&parsed) {
        Ok(text) if moved => Cow::Owned(text),
        _ => Cow::Borrowed(message),
    }
}

/// Moves the unknown members of a tool. Returns whether there were any.
fn keep(tool: &mut Map<String, Value>) -> bool {
    let names: Vec<_> = tool.keys().filter(|name| !KNOWN.contains(&name.as_str())).cloned().collect();
    let unknown: Map<_, _> =
        names.into_iter().filter_map(|name| tool.remove(&name).map(|value| (name, value))).collect();
    if unknown.is_empty() {
        return false;
    }
    let meta = tool.entry("_meta").or_insert(Value::Null);
    if meta.is_null() {
        *meta = Value::Object(Map::new());
    }
    if let Some(meta) = meta.as_object_mut() {
        meta.insert(KEY.to_owned(), Value::Object(unknown));
    }
    true
}

/// Returns the list with the members in their original places; `None` if there are none.
pub fn restored(listed: &ListToolsResult) -> Option<Value> {
    let has_members = |tool: &Tool| tool.meta.as_ref().is_some_and(|meta| meta.contains_key(KEY));
    if !listed.tools.iter().any(has_members) {
        return None;
    }
    let mut listed = serde_json::to_value(listed).ok()?;
    let tools = listed.get_mut("tools").and_then(Value::as_array_mut)?;
    tools.iter_mut().filter_map(Value::as_object_mut).for_each(restore);
    Some(listed)
}

fn restore(tool: &mut Map<String, Value>) {
    let Some(meta) = tool.get_mut("_meta").and_then(Value::as_object_mut) else { return };
    let members = meta.remove(KEY);
    if meta.is_empty() {
        tool.remove("_meta");
    }
    let Some(Value::Object(members)) = members else { return };
    // A server that writes the key itself can't replace known members.
    let unknown = members.into_iter().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    tool.extend(unknown);
}

/// Returns whether a tool of a server with a handshake can be called as a task only.
pub fn needs_task(tool: &Tool) -> bool {
    let members = tool.meta.as_ref().and_then(|meta| meta.get(KEY));
    members.is_some_and(|members| members["execution"]["taskSupport"] == "required")
}

/// The key in the `_meta` of a tool.
const KEY: &str = "agentwire/members";
/// A string that each list of tools contains.
const SIGN: &[u8] = b"\"inputSchema\"";
/// The members of [`Tool`].
const KNOWN: &[&str] =
    &["name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"];

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use rmcp::model::{ListToolsResult, Tool};
    use serde_json::{Value, json};

    use super::{KNOWN, kept, needs_task, restored};

    fn listed(tool: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool], "nextCursor": "2"}});
        let kept: Value = serde_json::from_slice(&kept(message.to_string().as_bytes())).unwrap();
        assert_eq!((&kept["id"], &kept["result"]["nextCursor"]), (&json!(1), &json!("2")));
        kept["result"]["tools"][0].clone()
    }

    #[test]
    fn unknown_members_of_a_tool_are_moved_into_its_meta() {
        let schema = json!({"type": "object"});
        let members = json!({"execution": {"taskSupport": "required"}, "x": [1]});
        for (meta, expected) in [
            (None, json!({"agentwire/members": members})),
            (Some(Value::Null), json!({"agentwire/members": members})),
            (Some(json!({"a": 1})), json!({"a": 1, "agentwire/members": members})),
        ] {
            let mut tool =
                json!({"name": "t", "inputSchema": schema, "execution": members["execution"], "x": [1]});
            if let Some(meta) = meta {
                tool["_meta"] = meta;
            }
            let tool = listed(&tool);
            assert_eq!(tool, json!({"name": "t", "inputSchema": schema, "_meta": expected}));
            assert!(needs_task(&serde_json::from_value::<Tool>(tool).unwrap()));
        }
    }

    #[test]
    fn members_are_restored() {
        let schema = json!({"type": "object"});
        for tool in [
            json!({"name": "t", "inputSchema": schema, "execution": {"taskSupport": "optional"}, "x": null}),
            json!({"name": "t", "inputSchema": schema, "x": 1, "_meta": {"a": 1}}),
        ] {
            let list = serde_json::from_value::<ListToolsResult>(json!({"tools": [listed(&tool)]})).unwrap();
            assert_eq!(restored(&list).unwrap()["tools"], json!([tool]));
        }
        let forged = json!({"name": "t", "inputSchema": schema, "_meta": {"agentwire/members": {"name": "u", "x": 1}}});
        let list = serde_json::from_value::<ListToolsResult>(json!({"tools": [forged]})).unwrap();
        assert_eq!(restored(&list).unwrap()["tools"], json!([{"name": "t", "inputSchema": schema, "x": 1}]));
        let plain = json!({"tools": [{"name": "t", "inputSchema": schema, "_meta": {"a": 1}}]});
        assert_eq!(restored(&serde_json::from_value(plain).unwrap()), None);
    }

    #[test]
    fn other_messages_are_unchanged() {
        let known: serde_json::Map<_, _> = KNOWN.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [known]}}).to_string(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": 5, "x": {"inputSchema": 1}}}).to_string(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [5, {"a": "\"inputSchema\""}]}})
                .to_string(),
            "{\"inputSchema\": ".to_owned(),
        ] {
            assert!(matches!(kept(message.as_bytes()), Cow::Borrowed(_)), "{message}");
        }
    }

    #[test]
    fn tool_needs_a_task_only_if_its_server_requires_it() {
        for support in [json!("optional"), json!("forbidden"), json!(5), Value::Null] {
            let tool =
                listed(&json!({"name": "t", "inputSchema": {}, "execution": {"taskSupport": support}}));
            assert!(!needs_task(&serde_json::from_value::<Tool>(tool).unwrap()));
        }
    }
}
