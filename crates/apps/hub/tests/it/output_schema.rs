//! Structured content, and the schema that its tool promises for it.

use agentwire_hub::{CallLimits, CallOutcome, Gateway, Hub, HubBuilder, llm::messages_content};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};

use crate::{
    asking::params,
    call::{add_tool, call},
    server::{LIMIT, config, hub},
};

/// Returns a hub with a tool `give-sum` that promises an integer.
async fn promising(build: impl FnOnce(HubBuilder) -> HubBuilder) -> Hub {
    let hub = hub(config(), build).await;
    let promise = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
    let tool = json!({"name": "give-sum", "inputSchema": {"type": "object"}, "outputSchema": promise});
    add_tool(&hub, "test", &tool).await;
    hub
}

async fn give(hub: &Hub, result: Value) -> CallOutcome {
    hub.call(call("give-sum", result)).await.unwrap()
}

fn text() -> Value {
    json!([{"type": "text", "text": "the sum"}])
}

#[tokio::test]
async fn violation_of_the_output_schema_is_reported() {
    let hub = promising(|builder| builder).await;
    let kept = give(&hub, json!({"content": text(), "structuredContent": {"sum": 5}})).await;
    assert_eq!((kept.violations.len(), kept.structured), (0, Some(json!({"sum": 5}))));
    let broken = give(&hub, json!({"content": text(), "structuredContent": {"sum": "five"}})).await;
    assert_eq!(broken.violations.len(), 1, "{broken:?}");
    assert_eq!(broken.violations[0].pointer, "/sum");
    assert_eq!((broken.content.len(), broken.is_error), (1, false));
    assert_eq!(broken.structured, Some(json!({"sum": "five"})));
    let content = messages_content(&broken);
    assert_eq!(content[0]["text"], "the sum");
    assert!(
        content[1]["text"].as_str().unwrap().contains("not what the tool promises: /sum: "),
        "{content:?}"
    );
    let missing = give(&hub, json!({"content": text()})).await;
    assert_eq!(missing.violations[0].problem, "there is none");
    // The schema does not apply to a failed call.
    let failed = give(&hub, json!({"content": text(), "isError": true})).await;
    assert_eq!(failed.violations, []);
}

#[tokio::test]
async fn content_that_was_cut_is_no_violation() {
    let hub = promising(|builder| builder.limits(CallLimits { text: 20, ..CallLimits::default() })).await;
    let large = json!({"content": [], "structuredContent": {"sum": 5, "more": "x".repeat(100)}});
    let outcome = give(&hub, large).await;
    assert!(outcome.left_out.is_some());
    assert_eq!((outcome.structured, outcome.violations), (None, vec![]));
}

#[tokio::test]
async fn client_gets_a_readable_error() {
    let hub = promising(|builder| builder).await;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (server, client) = tokio::join!(Gateway::new(&hub).patience(LIMIT).serve(ours), ().serve(theirs));
    let (_server, client) = (server.unwrap(), client.unwrap());
    let broken = json!({"content": text(), "structuredContent": {"sum": "five"}});
    let result = client.call_tool(params("test__give-sum", broken)).await.unwrap();
    assert_eq!((result.is_error, &result.structured_content), (Some(true), &None));
    assert_eq!(result.content[0].as_text().unwrap().text, "the sum");
    assert!(result.content[1].as_text().unwrap().text.contains("/sum"), "{result:?}");
}
