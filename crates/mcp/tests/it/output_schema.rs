//! The check of a tool's structured output against the declared schema.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use agentwire_mcp::{Json, Server, Tool, ToolOutput, schemars::JsonSchema};
use agentwire_protocol::RawJson;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    cli::{Cli, NoInput},
    played::{Answer, Played, hello},
};

#[derive(Serialize, JsonSchema)]
struct Sum {
    /// The total.
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
struct AddInput {
    a: i64,
    b: i64,
}

fn raw(value: &Value) -> RawJson {
    RawJson::encode(value).unwrap()
}

#[tokio::test]
async fn a_typed_output_declares_its_schema_and_is_text_too() {
    let server =
        Server::new("s", "1")
            .tool("add", "", async |input: AddInput, _| Json(Sum { sum: input.a + input.b }))
            .tool("may fail", "", async |input: AddInput, _| {
                if input.a < 0 { Err("too small") } else { Ok(Json(Sum { sum: input.b })) }
            });
    let mut cli = Cli::serving(server).await;
    let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let schema = json!({
        "type": "object",
        "properties": {"sum": {"type": "integer", "format": "int64", "description": "The total."}},
        "required": ["sum"],
    });
    assert_eq!((&tools[0]["outputSchema"], &tools[1]["outputSchema"]), (&schema, &schema));
    assert_eq!(
        cli.call("add", json!({"a": 1, "b": 2})).await,
        json!({
            "content": [{"type": "text", "text": "{\"sum\":3}"}], "structuredContent": {"sum": 3}, "isError": false,
        })
    );
    let failed = cli.call("may fail", json!({"a": -1, "b": 2})).await;
    assert_eq!(failed, json!({"content": [{"type": "text", "text": "too small"}], "isError": true}));
}

#[tokio::test]
async fn a_tool_with_an_output_type_that_is_no_object_does_not_run() {
    let ran = Arc::new(AtomicUsize::new(0));
    let runs = Arc::clone(&ran);
    let server = Server::new("s", "1").tool("list", "", move |_: NoInput, _| {
        runs.fetch_add(1, Ordering::Relaxed);
        async { Json(vec![1]) }
    });
    let mut cli = Cli::serving(server).await;
    let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    let tool = &listed["result"]["tools"][0];
    assert_eq!((&tool["inputSchema"]["type"], tool.get("outputSchema")), (&json!("object"), None));
    let result = cli.call("list", json!({})).await;
    assert_eq!(result["isError"], true);
    let text = "the tool's output is not an object, which structured content must be";
    assert_eq!(result["content"][0]["text"], text);
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_tool_with_an_input_type_that_is_no_object_names_the_cause() {
    let mut cli = Cli::serving(Server::new("s", "1").tool("take", "", async |_: String, _| "taken")).await;
    let result = cli.call("take", json!({"text": "x"})).await;
    let why = "the tool's input type is not an object: put its values into a struct";
    assert_eq!(result, json!({"content": [{"type": "text", "text": why}], "isError": true}));
}

#[tokio::test]
async fn an_optional_map_is_structured_content() {
    let server = Server::new("s", "1")
        .tool("some", "", async |_: NoInput, _| Json(Some(BTreeMap::from([("n", 1)]))))
        .tool("none", "", async |_: NoInput, _| Json(None::<BTreeMap<String, i32>>));
    let mut cli = Cli::serving(server).await;
    let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    assert_eq!(listed["result"]["tools"][0]["outputSchema"]["type"], "object");
    assert_eq!(cli.call("some", json!({})).await["structuredContent"], json!({"n": 1}));
    assert_eq!(cli.call("none", json!({})).await["isError"], true);
}

#[tokio::test]
async fn an_output_that_violates_its_schema_becomes_an_error() {
    let schema = raw(&json!({
        "type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "string"}}, "required": ["n"],
    }));
    let tool = |name: &str, output: fn() -> ToolOutput| {
        let tool = Tool::new(name, "", move |_: NoInput, _| async move { output() });
        tool.output_schema(&schema).unwrap()
    };
    let server = Server::new("s", "1")
        .with(tool("keeps", || ToolOutput::structured(json!({"n": 1}))))
        .with(tool("breaks", || ToolOutput::structured(json!({"n": "1", "m": 2}))))
        .with(tool("forgets", || ToolOutput::text("1")))
        .with(tool("fails", || ToolOutput::error("no")));
    let mut cli = Cli::serving(server).await;
    let mut call = async |tool| cli.call(tool, json!({})).await;
    assert_eq!(call("keeps").await["structuredContent"], json!({"n": 1}));
    // The schema does not apply to errors.
    assert_eq!(call("fails").await["content"][0]["text"], "no");
    let head = |tool| format!("The output of the tool `{tool}` does not match the schema that it declares.");
    let broken = call("breaks").await;
    let text = broken["content"][0]["text"].as_str().unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.remove(0), head("breaks"));
    lines.sort_unstable();
    assert_eq!(lines, ["- /m: 2 is not of type \"string\"", "- /n: \"1\" is not of type \"integer\""]);
    assert_eq!(broken["isError"], true);
    let forgotten = call("forgets").await;
    let expected = format!("{}\n- there is no structured content", head("forgets"));
    assert_eq!(forgotten, json!({"content": [{"type": "text", "text": expected}], "isError": true}));
}

#[tokio::test]
async fn an_output_that_can_not_be_checked_passes() {
    let server = Played::new(|message, _| {
        Answer::Result(match message["method"].as_str() {
            Some("initialize") => hello(),
            Some("tools/list") => json!({"tools": [
                {"name": "odd", "inputSchema": {"type": "object"}, "outputSchema": {"type": "no such type"}},
                {"name": "task", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
            ]}),
            _ if message["params"]["name"] == "task" => json!({"task": {"taskId": "1"}}),
            _ => json!({"content": [], "structuredContent": [1]}),
        })
    });
    let mut cli = Cli::serving(server).await;
    assert_eq!(cli.call("odd", json!({})).await["structuredContent"], json!([1]));
    // The result of a task comes later.
    assert_eq!(cli.call("task", json!({})).await, json!({"task": {"taskId": "1"}}));
}

#[tokio::test]
async fn structured_output_without_content_is_checked() {
    let server = Played::new(|message, _| {
        Answer::Result(match message["method"].as_str() {
            Some("initialize") => hello(),
            Some("tools/list") => json!({"tools": [{
                "name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["n"]},
            }]}),
            _ => json!({"structuredContent": {"m": 1}}),
        })
    });
    let mut cli = Cli::serving(server).await;
    let result = cli.call("t", json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
}
