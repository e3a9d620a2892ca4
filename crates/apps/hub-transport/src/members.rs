//! Messages in a form that `rmcp` and clients read: members of tools that `rmcp` does not know, such as `execution`, are kept
//! in the tool's `_meta`, lists lose the items that do not fit MCP and the members that its SDKs refuse, fields of forms lose
//! their `null` and a `format` that MCP lacks, and lone surrogates become U+FFFD.

mod refused;

use std::borrow::Cow;

use agentwire_protocol::decode::repair_surrogates;
use rmcp::model::{
    CustomRequest, ErrorCode, ErrorData, ListToolsResult, MetaObject, PrimitiveSchemaDefinition, Prompt,
    Resource, ResourceTemplate, StringFormat, Tool,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::refused::without_refused;

/// Returns the message with the unknown members of listed tools moved into their `_meta`, under [`KEY`], without the items
/// of lists that do not fit MCP, without the [refused](without_refused) members of items, without the `null` and the unknown
/// `format` of a form's fields, and with U+FFFD for each lone surrogate escape.
pub(crate) fn kept(message: &[u8]) -> Cow<'_, [u8]> {
    // JSON allows half of a surrogate pair (`"\ud83d"`), which programs in JavaScript write when they cut a text. A Rust
    // string can't hold it, so one would make the whole message unreadable.
    match std::str::from_utf8(message).ok().and_then(repair_surrogates) {
        Some(repaired) => Cow::Owned(kept_values(repaired.as_bytes()).into_owned()),
        None => kept_values(message),
    }
}

/// Returns the message with the values of lists and forms changed as [`kept`] describes.
fn kept_values(message: &[u8]) -> Cow<'_, [u8]> {
    // Only lists and forms are parsed twice.
    let is_sign = |(at, byte): (usize, &u8)| {
        *byte == b'"' && SIGNS.iter().any(|sign| message[at..].starts_with(sign.as_bytes()))
    };
    if !message.iter().enumerate().any(is_sign) {
        return Cow::Borrowed(message);
    }
    let Ok(mut parsed) = serde_json::from_slice::<Value>(message) else { return Cow::Borrowed(message) };
    let mut changed = without_refused(&mut parsed);
    if let Some(tools) = parsed.pointer_mut("/result/tools").and_then(Value::as_array_mut) {
        tools.iter_mut().filter_map(Value::as_object_mut).for_each(|tool| changed |= keep(tool));
    }
    changed |= without_unfit(&mut parsed);
    changed |= repair_form(&mut parsed);
    // Servers without a handshake request forms in their answers.
    let asked = parsed.pointer_mut("/result/inputRequests").and_then(Value::as_object_mut);
    asked.into_iter().flat_map(Map::values_mut).for_each(|request| changed |= repair_form(request));
    match serde_json::to_vec(&parsed) {
        Ok(text) if changed => Cow::Owned(text),
        _ => Cow::Borrowed(message),
    }
}

/// Removes the items of a list that do not fit MCP, because `rmcp` would not read the others either. Their number is put
/// into the `_meta` of the list. Returns whether there were any.
fn without_unfit(message: &mut Value) -> bool {
    let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) else { return false };
    let mut unfit = 0;
    for (list, fits) in LISTS {
        if let Some(items) = result.get_mut(list).and_then(Value::as_array_mut) {
            let all = items.len();
            items.retain(fits);
            unfit += all - items.len();
        }
    }
    if unfit > 0 {
        put(result, UNFIT, unfit.into());
    }
    unfit > 0
}

type Fits = fn(&Value) -> bool;

fn fits<T: DeserializeOwned>(item: &Value) -> bool {
    T::deserialize(item).is_ok()
}

/// Returns the number of items that a list has lost because they do not fit MCP.
pub fn unfit(list: Option<&MetaObject>) -> u64 {
    list.and_then(|meta| meta.get(UNFIT)?.as_u64()).unwrap_or(0)
}

/// Puts a value into the `_meta` of an object.
fn put(object: &mut Map<String, Value>, key: &str, value: Value) {
    let meta = object.entry("_meta").or_insert(Value::Null);
    if meta.is_null() {
        *meta = Value::Object(Map::new());
    }
    if let Some(meta) = meta.as_object_mut() {
        meta.insert(key.to_owned(), value);
    }
}

/// Changes the fields of a form; see [`without_null`] and [`without_format`]. Returns whether a field has changed.
fn repair_form(request: &mut Value) -> bool {
    let fields = request.pointer_mut("/params/requestedSchema/properties").and_then(Value::as_object_mut);
    let fields = fields.into_iter().flat_map(Map::values_mut);
    fields.fold(false, |any, field| any | without_null(field) | without_format(field))
}

/// Replaces an `anyOf` of a schema and `null` with the schema: the Python SDK writes optional fields of a form in this
/// way. Returns whether the field had one.
fn without_null(field: &mut Value) -> bool {
    let Some(Value::Array(choices)) = field.get_mut("anyOf") else { return false };
    let is_null = |choice: &Value| choice["type"] == "null";
    let (Some(null), 2) = (choices.iter().position(is_null), choices.len()) else { return false };
    let Value::Object(schema) = choices.swap_remove(1 - null) else { return false };
    if let Some(field) = field.as_object_mut() {
        field.remove("anyOf");
        field.retain(|name, value| name != "default" || !value.is_null());
        field.extend(schema);
    }
    true
}

/// Removes a `format` that MCP lacks, such as `uuid`, because `rmcp` would not read the form. Returns whether the field had
/// one.
fn without_format(field: &mut Value) -> bool {
    let Some(field) = field.as_object_mut() else { return false };
    let is_unknown = field.get("format").is_some_and(|format| !fits::<StringFormat>(format));
    is_unknown && field.remove("format").is_some()
}

/// Returns the error for a request of a server that `rmcp` could not read: it reads a known method with unfit parameters as
/// an unknown method.
pub fn unread_request(request: &CustomRequest) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    if !REQUESTS.contains(&method.as_str()) {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.clone(), None);
    }
    let field = params.as_ref().and_then(unfit_field);
    let cause = field.map(|field| format!(": MCP does not allow the schema of the field `{field}`"));
    let cause = cause.unwrap_or_default();
    ErrorData::invalid_params(format!("the parameters do not fit `{method}`{cause}"), None)
}

/// Returns the name of the first field of a form that does not fit MCP.
fn unfit_field(params: &Value) -> Option<&str> {
    let fields = params.pointer("/requestedSchema/properties")?.as_object()?;
    let unfit = fields.iter().find(|(_, field)| !fits::<PrimitiveSchemaDefinition>(field));
    unfit.map(|(name, _)| name.as_str())
}

/// Moves the unknown members of a tool. Returns whether there were any.
fn keep(tool: &mut Map<String, Value>) -> bool {
    let names: Vec<_> = tool.keys().filter(|name| !KNOWN.contains(&name.as_str())).cloned().collect();
    let unknown: Map<_, _> =
        names.into_iter().filter_map(|name| tool.remove(&name).map(|value| (name, value))).collect();
    if unknown.is_empty() {
        return false;
    }
    put(tool, KEY, Value::Object(unknown));
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

/// Returns whether a tool of a server with a handshake can only be called as a task.
pub fn needs_task(tool: &Tool) -> bool {
    let members = tool.meta.as_ref().and_then(|meta| meta.get(KEY));
    members.is_some_and(|members| members["execution"]["taskSupport"] == "required")
}

/// The key in the `_meta` of a tool.
const KEY: &str = "agentwire/members";
/// The key in the `_meta` of a list.
const UNFIT: &str = "agentwire/unfit";
/// The lists of items.
const LISTS: [(&str, Fits); 4] = [
    ("tools", fits::<Tool>),
    ("prompts", fits::<Prompt>),
    ("resources", fits::<Resource>),
    ("resourceTemplates", fits::<ResourceTemplate>),
];
/// The members of lists and forms.
const SIGNS: [&str; 5] =
    ["\"tools\"", "\"prompts\"", "\"resources\"", "\"resourceTemplates\"", "\"requestedSchema\""];
/// The methods of servers that have parameters.
const REQUESTS: [&str; 2] = ["elicitation/create", "sampling/createMessage"];
/// The members of [`Tool`].
const KNOWN: &[&str] =
    &["name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"];

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use rmcp::model::{CustomRequest, ErrorCode, ListToolsResult, Tool};
    use serde_json::{Value, json};

    use super::{kept, needs_task, restored, unfit, unread_request};

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
    fn optional_field_of_a_form_loses_its_null() {
        let form =
            |field: Value| json!({"params": {"requestedSchema": {"properties": {"a": field}}}}).to_string();
        let read = |field| -> Value { serde_json::from_slice(&kept(form(field).as_bytes())).unwrap() };
        let optional =
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "A"});
        let expected = json!({"type": "string", "title": "A"});
        let form_in_answer =
            |field: &Value| json!({"params": {"requestedSchema": {"properties": {"a": field}}}});
        let answer = json!({"result": {"inputRequests": {"k": form_in_answer(&optional)}}}).to_string();
        let answer: Value = serde_json::from_slice(&kept(answer.as_bytes())).unwrap();
        assert_eq!(answer["result"]["inputRequests"]["k"], form_in_answer(&expected));
        assert_eq!(read(optional)["params"]["requestedSchema"]["properties"]["a"], expected);
        for other in [
            json!({"type": "string", "default": null}),
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
            json!({"anyOf": [{"type": "null"}]}),
        ] {
            assert!(matches!(kept(form(other).as_bytes()), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn field_of_a_form_loses_a_format_that_mcp_lacks() {
        let form =
            |field: Value| json!({"params": {"requestedSchema": {"properties": {"a": field}}}}).to_string();
        let nullable = json!({"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]});
        for field in [json!({"type": "string", "format": "password"}), nullable] {
            let read: Value = serde_json::from_slice(&kept(form(field).as_bytes())).unwrap();
            assert_eq!(read["params"]["requestedSchema"]["properties"]["a"], json!({"type": "string"}));
        }
        for format in ["email", "uri", "date", "date-time"] {
            let known = form(json!({"type": "string", "format": format}));
            assert!(matches!(kept(known.as_bytes()), Cow::Borrowed(_)), "{format}");
        }
    }

    #[test]
    fn error_for_an_unread_request_names_the_problem() {
        let fields =
            json!({"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}});
        let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": fields}});
        for (method, params, code, problem) in [
            ("elicitation/create", Some(form), ErrorCode::INVALID_PARAMS, "the field `tags`"),
            ("elicitation/create", Some(json!({"message": 5})), ErrorCode::INVALID_PARAMS, "do not fit"),
            ("sampling/createMessage", None, ErrorCode::INVALID_PARAMS, "do not fit"),
            ("no/such", None, ErrorCode::METHOD_NOT_FOUND, "no/such"),
        ] {
            let error = unread_request(&CustomRequest::new(method, params));
            assert!(error.code == code && error.message.contains(problem), "{method}: {error:?}");
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
    fn item_that_does_not_fit_is_removed_and_counted() {
        for (list, good, bad) in [
            ("tools", json!({"name": "t", "inputSchema": {"type": "object"}}), json!({"name": "t"})),
            ("prompts", json!({"name": "p"}), json!({"name": 5})),
            ("resources", json!({"uri": "test://a", "name": "a"}), json!({"name": "a"})),
            ("resourceTemplates", json!({"uriTemplate": "test://{a}", "name": "a"}), json!(null)),
        ] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "result": {list: [bad, good, bad]}}).to_string();
            let kept: Value = serde_json::from_slice(&kept(message.as_bytes())).unwrap();
            assert_eq!(kept["result"][list], json!([good]));
            let meta = serde_json::from_value(kept["result"]["_meta"].clone()).unwrap();
            assert_eq!(unfit(Some(&meta)), 2, "{list}");
        }
    }

    #[test]
    fn lone_surrogate_in_a_description_hides_no_tool() {
        let tools = r#"[{"name":"a","description":"\ud83d","inputSchema":{},"x":1},{"name":"b"}]"#;
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{tools}}}}}"#);
        let kept: Value = serde_json::from_slice(&kept(message.as_bytes())).unwrap();
        let meta = json!({"agentwire/members": {"x": 1}});
        let expected = json!({"name": "a", "description": "\u{fffd}", "inputSchema": {}, "_meta": meta});
        assert_eq!(kept["result"]["tools"], json!([expected]));
    }

    #[test]
    fn other_messages_are_unchanged() {
        let known = json!({"name": "t", "title": "T", "description": "d", "inputSchema": {}, "outputSchema": {},
            "annotations": {}, "icons": [], "_meta": {}});
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [known]}}).to_string(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": 5, "x": {"inputSchema": 1}}}).to_string(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {"tools": {}}}}).to_string(),
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[],"a":"\ud83d\ude00 \\ud83d"}}"#.to_owned(),
            "{\"tools\": ".to_owned(),
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
