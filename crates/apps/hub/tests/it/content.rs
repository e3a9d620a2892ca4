//! Outcomes of calls as content for the Messages API.

use agentwire_hub::{
    CallRequest, Hub, NamedTool,
    llm::{messages_content, messages_contents, messages_definition, quoted},
};
use rmcp::model::{ResourceContents, Tool};
use serde_json::{Map, Value, json};

use crate::server::{config, hub};

/// Returns the text of a tool's result for a model.
async fn content(hub: &Hub, result: Value) -> Vec<Value> {
    messages_content(&hub.call(CallRequest::new("test", "give").arguments(result)).await.unwrap())
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[tokio::test]
async fn each_kind_of_content_is_described() {
    let hub = hub(config(), |builder| builder).await;
    let all = json!({"content": [
        {"type": "text", "text": "hello"},
        {"type": "text", "text": " "},
        {"type": "image", "data": "AAAA", "mimeType": "image/PNG"},
        {"type": "image", "data": "AAAA", "mimeType": "image/svg+xml"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "test://a", "name": "a", "description": "An a."},
        {"type": "resource", "resource": {"uri": "test://t", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "test://b", "blob": "AAAA", "mimeType": "image/gif"}},
    ], "structuredContent": {"a": 1}});
    let image =
        |kind| json!({"type": "image", "source": {"type": "base64", "media_type": kind, "data": "AAAA"}});
    assert_eq!(
        content(&hub, all).await,
        [
            text("hello"),
            image("image/png"),
            text("[an image (image/svg+xml, 4 bytes of base64) that can't be shown here]"),
            text("[sound (audio/wav, 4 bytes of base64) that can't be shown here]"),
            text("[resource test://a (a): An a.]"),
            text("[resource test://t]\ninside"),
            image("image/gif"),
        ]
    );
    assert_eq!(content(&hub, json!({"content": []})).await, [text("(no output)")]);
    assert_eq!(
        content(&hub, json!({"content": [], "structuredContent": {"a": 1}})).await,
        [text("{\"a\":1}")]
    );
    let blank = json!({"content": [{"type": "text", "text": ""}], "structuredContent": {"a": 1}});
    assert_eq!(content(&hub, blank).await, [text("{\"a\":1}")]);
}

#[test]
fn resource_contents_become_text_blocks() {
    assert_eq!(messages_contents(&[ResourceContents::text("inside", "test://t")]), [text("inside")]);
    assert_eq!(messages_contents(&[]), [text("(no output)")]);
    assert_eq!(quoted("a\n```"), "````text\na\n```\n````\n");
}

#[test]
fn properties_keep_the_order_of_their_author() {
    let schema = json!({"properties": {"c": {}, "not a name": {}, "b": {}, "a": {}}});
    let schema: Map<_, _> = schema.as_object().unwrap().clone();
    let definition = messages_definition(&NamedTool::new("t", "test", Tool::new("t", "T.", schema)));
    let properties = definition["input_schema"]["properties"].as_object().unwrap();
    assert!(properties.keys().eq(["c", "b", "a"]), "{definition}");
}
