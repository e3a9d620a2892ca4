//! The members of listed items that the TypeScript SDK refuses.

use serde_json::{Map, Value, json};

use super::LISTS;

/// Changes what `rmcp` reads in listed items and the TypeScript SDK refuses, because a client with it would lose the lists of
/// all servers. Returns whether there was any.
pub(super) fn without_refused(message: &mut Value) -> bool {
    let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) else { return false };
    let lists = result.iter_mut().filter(|(name, _)| LISTS.iter().any(|(list, _)| list == name));
    let items = lists.filter_map(|(_, list)| list.as_array_mut()).flatten().filter_map(Value::as_object_mut);
    items.fold(false, |any, item| {
        let mut changed = without(item, |name, value| name == "execution" && value.is_null());
        if let Some(annotations) = item.get_mut("annotations").and_then(Value::as_object_mut) {
            changed |= without(annotations, |name, value| match name {
                "lastModified" => !value.as_str().is_some_and(has_offset),
                "priority" => !value.as_f64().is_some_and(|priority| (0.0..=1.0).contains(&priority)),
                _ => false,
            });
        }
        for schema in ["inputSchema", "outputSchema"] {
            let Some(schema) = item.get_mut(schema).and_then(Value::as_object_mut) else { continue };
            changed |=
                without(schema, |name, value| matches!(name, "properties" | "required") && value.is_null());
            let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
            for property in properties.into_iter().flat_map(Map::values_mut) {
                if let Value::Bool(is_any) = *property {
                    *property = if is_any { json!({}) } else { json!({"not": {}}) };
                    changed = true;
                }
            }
        }
        any | changed
    })
}

/// Removes the members that are refused. Returns whether there were any.
fn without(object: &mut Map<String, Value>, is_refused: impl Fn(&str, &Value) -> bool) -> bool {
    let all = object.len();
    object.retain(|name, value| !is_refused(name, value));
    object.len() < all
}

/// Returns whether a time has an offset from UTC, as in `2026-07-28T12:00:00Z`.
fn has_offset(time: &str) -> bool {
    let clock = time.split_once('T').map(|(_, clock)| clock);
    clock.is_some_and(|clock| clock.ends_with('Z') || clock.contains(['+', '-']))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::members::kept;

    /// Returns a listed item as it is kept.
    fn listed(list: &str, item: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "result": {list: [item]}}).to_string();
        let kept: Value = serde_json::from_slice(&kept(message.as_bytes())).unwrap();
        kept["result"][list][0].clone()
    }

    #[test]
    fn members_that_the_typescript_sdk_refuses_are_removed() {
        let tool = json!({"name": "t", "execution": null, "inputSchema": {"type": "object", "required": null,
            "properties": {"any": true, "none": false}}, "outputSchema": {"type": "object", "properties": null}});
        let properties = json!({"any": {}, "none": {"not": {}}});
        let expected = json!({"name": "t", "inputSchema": {"type": "object", "properties": properties},
            "outputSchema": {"type": "object"}});
        assert_eq!(listed("tools", &tool), expected);
        for (member, value, is_kept) in [
            ("lastModified", json!("2026-07-28"), false),
            ("lastModified", json!("2026-07-28T12:00:00"), false),
            ("lastModified", json!("2026-07-28T12:00:00.5-02:00"), true),
            ("lastModified", json!("2026-07-28T12:00:00Z"), true),
            ("priority", json!(2), false),
            ("priority", json!(1), true),
        ] {
            let resource = json!({"uri": "test://a", "name": "a", "annotations": {member: value}});
            let annotations = &listed("resources", &resource)["annotations"];
            assert_eq!(annotations.get(member), is_kept.then_some(&value), "{value}");
        }
    }
}
