//! What the server has, as JSON of the protocol.

use serde_json::{Value, json};

/// Returns the tools; `more` adds one.
pub(super) fn tools(more: bool) -> Vec<Value> {
    let empty = json!({"type": "object", "properties": {}});
    let text =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let header = json!({
        "type": "object",
        "properties": {"value": {"type": "string", "x-mcp-header": "Value"}},
        "required": ["value"],
    });
    let with_schema = [
        ("test_sampling", text("prompt")),
        ("test_elicitation", text("message")),
        ("test_custom_header", header),
        ("json_schema_2020_12_tool", json_schema()),
    ];
    let extra = more.then_some("test_extra_tool");
    let plain = PLAIN.iter().copied().chain(extra).map(|name| (name, empty.clone()));
    let tool = |(name, schema): (&str, Value)| json!({"name": name, "description": format!("The suite's {name}"), "inputSchema": schema});
    plain.chain(with_schema).map(tool).collect()
}

/// Returns a schema with keywords that are easily lost.
fn json_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// Returns the constant result of a tool, if it has one.
pub(super) fn content(tool: &str) -> Option<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "data": IMAGE, "mimeType": "image/png"});
    Some(match tool {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{"type": "audio", "data": AUDIO, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => {
            let text = "This is an embedded resource content.";
            json!([{"type": "resource", "resource":
                {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": text}}])
        }
        "test_multiple_content_types" => {
            let data = json!({"test": "data", "value": 123}).to_string();
            json!([text("Multiple content types test:"), image, {"type": "resource", "resource":
                {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": data}}])
        }
        _ => return None,
    })
}

pub(super) fn resources() -> Value {
    json!([
        {"uri": "test://static-text", "name": "static-text", "description": "Text", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "static-binary", "description": "Bytes", "mimeType": "image/png"},
        {"uri": "test://watched-resource", "name": "watched-resource", "description": "Text that changes", "mimeType": "text/plain"},
    ])
}

pub(super) fn templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data", "name": "template",
        "description": "Data of an id", "mimeType": "application/json",
    }])
}

/// Returns the contents of a resource.
pub(super) fn contents(uri: &str) -> Option<Value> {
    Some(match uri {
        "test://static-text" => {
            let text = "This is the content of the static text resource.";
            json!({"uri": uri, "mimeType": "text/plain", "text": text})
        }
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": IMAGE}),
        "test://watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Watched resource content"})
        }
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    })
}

/// Returns the prompts; `more` adds one.
pub(super) fn prompts(more: bool) -> Vec<Value> {
    let argument = |name: &str| json!({"name": name, "description": format!("The {name}"), "required": true});
    let all = [
        ("test_simple_prompt", vec![]),
        ("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")]),
        ("test_prompt_with_embedded_resource", vec![argument("resourceUri")]),
        ("test_prompt_with_image", vec![]),
        ("test_input_required_result_prompt", vec![]),
    ];
    let extra = more.then(|| ("test_extra_prompt", vec![]));
    let prompt = |(name, arguments): (&str, Vec<Value>)| json!({"name": name, "description": format!("The suite's {name}"), "arguments": arguments});
    all.into_iter().chain(extra).map(prompt).collect()
}

/// Returns the messages of a prompt.
pub(super) fn messages(prompt: &str, arguments: &Value) -> Option<Value> {
    let user = |content: Value| json!({"role": "user", "content": content});
    let text = |text: &str| user(json!({"type": "text", "text": text}));
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default();
    Some(match prompt {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            json!([text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))])
        }
        "test_prompt_with_embedded_resource" => json!([
            user(json!({"type": "resource", "resource": {
                "uri": argument("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            }})),
            text("Please process the embedded resource above."),
        ]),
        "test_prompt_with_image" => json!([
            user(json!({"type": "image", "data": IMAGE, "mimeType": "image/png"})),
            text("Please analyze the image above."),
        ]),
        "test_input_required_result_prompt" => json!([text("The context has arrived.")]),
        "test_extra_prompt" => json!([text("This prompt comes and goes.")]),
        _ => return None,
    })
}

/// Tools without arguments.
const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_streaming_elicitation",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_missing_capability",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];
/// A red pixel.
const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// Silence.
const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
