//! The `Server` builder.

use std::{
    error::Error,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use agentwire_mcp::{McpServers, Server, Tool, ToolOutput, schemars::JsonSchema};
use agentwire_protocol::{RawJson, control::Interrupt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify, mpsc};

use crate::{
    calls::observed,
    cli::{Cli, NoInput, call, cancelled, initialize, within},
};

#[derive(Deserialize, JsonSchema)]
struct AddInput {
    /// The first number.
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

fn text(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

#[tokio::test]
async fn the_handshake_names_the_server() {
    let mut cli = Cli::serving(Server::new("calc", "1.2.3").instructions("Count.")).await;
    let result = cli.rpc(initialize()).await["result"].take();
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"], json!({"name": "calc", "version": "1.2.3"}));
    assert_eq!(result["instructions"], "Count.");
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    let pong = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(cli.rpc(initialize()).await["result"], result);
}

#[tokio::test]
async fn the_list_holds_the_schemas() {
    let server = Server::new("s", "1")
        .tool("add", "Adds.", async |input: AddInput, _| (input.a + input.b).to_string())
        .tool("area", "Measures.", async |_: Shape, _| ())
        .with(Tool::new("none", "Nothing.", async |_: NoInput, _| ()).read_only().title("None at all"));
    let mut cli = Cli::serving(server).await;
    let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await["result"].take();
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(
        tools[0],
        json!({"name": "add", "description": "Adds.", "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "format": "int64", "description": "The first number."},
                "b": {"type": "integer", "format": "int64"}
            },
            "required": ["a", "b"]
        }})
    );
    assert_eq!(tools[1]["inputSchema"]["type"], "object");
    // The CLI reads the title in the annotations, other clients the other one.
    assert_eq!(tools[2]["title"], "None at all");
    assert_eq!(tools[2]["annotations"], json!({"readOnlyHint": true, "title": "None at all"}));
    assert_eq!(listed.as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn every_kind_of_output_has_its_form() {
    #[derive(Debug)]
    struct Broken(fmt::Error);
    impl fmt::Display for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("broken")
        }
    }
    impl Error for Broken {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }
    let server = Server::new("s", "1")
        .tool("string", "", async |input: AddInput, _| (input.a + input.b).to_string())
        .tool("str", "", async |_: AddInput, _| "static")
        .tool("nothing", "", async |_: AddInput, _| ())
        .tool("fails", "", async |_: AddInput, _| Err::<(), _>(Broken(fmt::Error)))
        .tool("text", "", async |_: AddInput, _| Err::<(), _>("why"))
        .tool("works", "", async |_: AddInput, _| Ok::<_, Broken>("fine"))
        .tool("returns error", "", async |_: AddInput, _| ToolOutput::error("no"))
        .tool("panics", "", async |input: AddInput, _| assert!(input.a < 0, "a is {}", input.a))
        .tool("image", "", async |_: AddInput, _| ToolOutput::text("see").and_image(b"foob", "image/png"));
    let mut cli = Cli::serving(server).await;
    let cases = [
        ("string", text("3", false)),
        ("str", text("static", false)),
        ("nothing", json!({"content": [], "isError": false})),
        // The error and its source.
        ("fails", text(&format!("broken: {}", fmt::Error), true)),
        ("text", text("why", true)),
        ("works", text("fine", false)),
        ("returns error", text("no", true)),
        ("panics", text("the tool panicked: a is 1", true)),
        (
            "image",
            json!({"content": [
                {"type": "text", "text": "see"},
                {"type": "image", "data": "Zm9vYg==", "mimeType": "image/png"}
            ], "isError": false}),
        ),
    ];
    for (tool, expected) in cases {
        assert_eq!(cli.call(tool, json!({"a": 1, "b": 2})).await, expected, "{tool}");
    }
    let unknown = cli.rpc(call(1, "other", json!({}))).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("no tool is called `other`; known: `string`")
    );
}

#[tokio::test]
async fn a_tagged_enum_is_an_input() {
    let server = Server::new("s", "1").tool("area", "", async |shape: Shape, _| match shape {
        Shape::Circle { radius } => format!("{:.1}", 3.0 * radius * radius),
        Shape::Square { side } => (side * side).to_string(),
    });
    let mut cli = Cli::serving(server).await;
    assert_eq!(cli.call("area", json!({"kind": "square", "side": 3})).await, text("9", false));
    assert_eq!(cli.call("area", json!({"kind": "circle", "radius": 1})).await, text("3.0", false));
    assert_eq!(cli.call("area", json!({"kind": "line"})).await["isError"], true);
}

#[tokio::test]
async fn an_input_type_that_is_no_object_is_refused_and_not_sent_to_the_model() {
    let mut cli = Cli::serving(Server::new("s", "1").tool("t", "", async |_: i32, _| ())).await;
    let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    assert_eq!(listed["result"]["tools"][0]["inputSchema"]["type"], "object");
    assert_eq!(cli.call("t", json!({})).await["isError"], true);
}

#[tokio::test]
async fn a_tool_with_its_own_schema_gets_raw_input() {
    let schema =
        RawJson::parse(r#"{"type":"object","properties":{"q":{"type":"string","maxLength":3}}}"#).unwrap();
    let tool = Tool::with_schema("raw", "", &schema, async |input: RawJson, _| input.to_string()).unwrap();
    let mut cli = Cli::serving(Server::new("s", "1").with(tool)).await;
    assert_eq!(cli.call("raw", json!({"q": "abc"})).await, text(r#"{"q":"abc"}"#, false));
    assert_eq!(cli.call("raw", json!({"q": "abcd"})).await["isError"], true);
    // With one of these, the CLI (2.1.330) drops all tools of the server.
    for dropped in [
        "true",
        r#"{"type":["object","null"]}"#,
        r#"{"type":"objct"}"#,
        r#"{"type":null}"#,
        r#"{"required":"a"}"#,
        r#"{"properties":[]}"#,
    ] {
        let schema = RawJson::parse(dropped).unwrap();
        assert!(Tool::with_schema("raw", "", &schema, async |_, _| ()).is_err(), "{dropped}");
    }
}

#[tokio::test]
async fn schemas_without_a_type_are_listed_as_those_of_objects() {
    let schema = RawJson::parse(r#"{"required":["a"]}"#).unwrap();
    let tool = Tool::with_schema("t", "", &schema, async |_, _| ()).unwrap().output_schema(&schema).unwrap();
    let mut cli = Cli::serving(Server::new("s", "1").with(tool)).await;
    let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    let tool = &listed["result"]["tools"][0];
    assert_eq!([&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]], ["object"; 2]);
}

#[test]
fn structured_content_that_is_no_object_is_an_error() {
    let output = ToolOutput::text("3 rows").with_structured(json!([1, 2, 3]));
    assert_eq!(
        output,
        ToolOutput::error("the tool's output is not an object, which structured content must be")
    );
}

#[tokio::test]
async fn long_error_of_a_tool_reaches_the_model_whole() {
    let server = Server::new("s", "1").tool("t", "", async |_: NoInput, _| Err::<(), _>("x".repeat(6000)));
    let mut cli = Cli::serving(server).await;
    assert_eq!(cli.call("t", json!({})).await, text(&"x".repeat(6000), true));
}

#[tokio::test]
async fn the_context_has_the_tool_use_and_reaches_the_session() {
    let server = Server::new("s", "1").tool("stop", "", async |_: NoInput, cx| {
        let id = cx.tool_use_id.map(|id| id.to_string());
        cx.control.call(&Interrupt::default()).await.map(|_| id.unwrap_or_default())
    });
    let mut cli = Cli::serving(server).await;
    cli.post("one", "s", call(1, "stop", json!({}))).await;
    let line = cli.line().await;
    assert_eq!(line["request"]["subtype"], "interrupt");
    cli.reply(&line, json!({"subtype": "success"})).await;
    assert_eq!(cli.answer().await.1.unwrap()["mcp_response"]["result"], text("toolu_1", false));
}

#[tokio::test]
async fn calls_run_concurrently() {
    let all = Arc::new(Barrier::new(50));
    let server = Server::new("s", "1").tool("wait", "", move |_: NoInput, _| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
        }
    });
    let mut cli = Cli::serving(server).await;
    for id in 0..50 {
        cli.post(&format!("r{id}"), "s", call(id, "wait", json!({}))).await;
    }
    for _ in 0..50 {
        let (request, answer) = cli.answer().await;
        let answer = answer.unwrap();
        assert_eq!(request, format!("r{}", answer["mcp_response"]["id"]));
        assert_eq!(answer["mcp_response"]["result"]["isError"], false);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reused_id_gets_the_answer_of_its_own_call() {
    #[derive(Deserialize, JsonSchema)]
    struct Named {
        name: String,
    }
    let (events, mut came) = mpsc::channel(8);
    let finish = Arc::new([Notify::new(), Notify::new()]);
    let may_finish = Arc::clone(&finish);
    let server = Server::new("s", "1").tool("work", "", move |Named { name }, cx| {
        let (events, may_finish) = (events.clone(), Arc::clone(&may_finish));
        async move {
            events.send("started").await.unwrap();
            if name == "old" {
                cx.cancelled.cancelled().await;
                events.send("cancelled").await.unwrap();
                may_finish[0].notified().await;
                events.send("cleaned up").await.unwrap();
            } else {
                may_finish[1].notified().await;
            }
            format!("{name}, cancelled: {}", cx.cancelled.is_cancelled())
        }
    });
    let mut cli = Cli::serving(server).await;
    cli.post("a", "s", call(7, "work", json!({"name": "old"}))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    cli.post("note", "s", cancelled(7)).await;
    let answers = [cli.answer().await.0, cli.answer().await.0];
    assert!(answers.contains(&"a".to_owned()), "{answers:?}");
    assert_eq!(within(came.recv()).await, Some("cancelled"));
    // The first call is over for the CLI, and its handler still cleans up.
    cli.post("b", "s", call(7, "work", json!({"name": "new"}))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    finish[0].notify_one();
    assert_eq!(within(came.recv()).await, Some("cleaned up"));
    // Only these answers arrive: the first handler's answer is discarded.
    for id in 8..12 {
        assert_eq!(cli.rpc(json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).await["id"], id);
    }
    finish[1].notify_one();
    let (request, answer) = cli.answer().await;
    let answer = answer.unwrap()["mcp_response"].take();
    assert_eq!((request.as_str(), &answer["id"]), ("b", &json!(7)));
    assert_eq!(answer["result"], text("new, cancelled: false", false));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_reaches_its_own_call_only() {
    let (server, mut came, _go_on) = observed();
    let mut cli = Cli::serving(server).await;
    cli.post("a", "s", call(100, "hang", json!({}))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    // None of these requests is open.
    for id in [json!(0), json!(1), json!(2), json!(3), json!("100"), json!(-1)] {
        assert_eq!(cli.rpc(cancelled(id)).await["result"], json!({}));
    }
    assert_eq!(cli.rpc(json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})).await["id"], "p");
    assert_eq!(came.try_recv().ok(), None);
    cli.post("note", "s", cancelled(100)).await;
    let answers = [cli.answer().await.0, cli.answer().await.0];
    assert!(answers.contains(&"a".to_owned()), "{answers:?}");
    assert_eq!(within(came.recv()).await, Some("cancelled"));
}

#[tokio::test]
async fn one_value_serves_two_sessions() {
    let count = Arc::new(AtomicUsize::new(0));
    let server = Server::new("s", "1").tool("count", "", move |_: NoInput, _| {
        let count = count.fetch_add(1, Ordering::Relaxed);
        async move { count.to_string() }
    });
    let servers = McpServers::new().with("s", server);
    let (mut one, mut two) = (Cli::start(servers.bridge()).await, Cli::start(servers.bridge()).await);
    assert_eq!(one.call("count", json!({})).await, text("0", false));
    assert_eq!(two.call("count", json!({})).await, text("1", false));
}
