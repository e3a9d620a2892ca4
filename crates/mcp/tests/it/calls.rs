//! Calls of a `Server`'s tools: every kind of answer, and cancellation.

use std::{fmt::Write as _, future::pending, sync::Arc};

use agentwire_mcp::{Json, Server, Tool, ToolOutput, schemars::JsonSchema};
use agentwire_protocol::RawJson;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::cli::{Cli, NoInput, call, cancelled, initialize, within};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    what: String,
    #[serde(default)]
    #[schemars(range(max = 3))]
    times: u32,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Starts a session, and sends `initialize` to the server `s`.
async fn start(server: Server) -> Cli {
    let mut cli = Cli::serving(server).await;
    cli.rpc(initialize()).await;
    cli
}

fn raw(value: &Value) -> RawJson {
    RawJson::encode(value).unwrap()
}

fn every_output() -> Server {
    let promise =
        raw(&json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
    Server::new("s", "1")
        .tool("works", "", async |input: Wanted, cx| {
            let id = cx.tool_use_id.map(|id| id.to_string());
            ToolOutput::text(input.what.repeat(input.times as usize))
                .and_image(b"foob", "image/png")
                .and_link("u:1", "one")
                .meta("of", id)
        })
        .tool("fails", "", async |input: Wanted, _| Err::<(), _>(input.what))
        .tool("panics", "", async |input: Wanted, _| assert!(input.times > 3, "as {}", input.what))
        .tool("panics early", "", |input: Wanted, _| {
            assert!(input.times > 3, "as {}", input.what);
            async {}
        })
        .tool("typed", "", async |input: Wanted, _| Json(Sum { sum: input.times.into() }))
        .with(
            Tool::new("breaks", "", async |_: Wanted, _| ToolOutput::structured(json!({"n": "1"})))
                .output_schema(&promise)
                .unwrap(),
        )
        .with(Tool::new("forgets", "", async |_: Wanted, _| "nothing").output_schema(&promise).unwrap())
        .with(Tool::with_schema("no schema", "", &raw(&json!({"not": 5})), async |_, _| ()).unwrap())
        .with(
            Tool::with_schema("raw", "", &raw(&json!({})), async |input: RawJson, _| input.to_string())
                .unwrap(),
        )
}

#[tokio::test]
async fn each_output_and_each_wrong_input_has_its_answer() {
    let mut cli = start(every_output()).await;
    let tools = [
        "works",
        "fails",
        "panics",
        "panics early",
        "typed",
        "breaks",
        "forgets",
        "no schema",
        "raw",
        "none",
    ];
    let mut inputs = [
        json!({"what": "so", "times": 2}),
        json!({"what": "so", "times": 4}),
        json!({"what": 1, "more": 1}),
        json!({"times": 1.0, "what": "so"}),
        json!([1]),
        Value::Null,
    ];
    // Keys keep their order if another crate of the workspace enables `preserve_order` of serde_json.
    inputs.iter_mut().for_each(Value::sort_all_objects);
    let mut answers = String::new();
    for tool in tools {
        for input in &inputs {
            let mut call = call(5, tool, input.clone());
            let mut answer = cli.rpc(call.clone()).await;
            answer.sort_all_objects();
            writeln!(answers, "{tool} {input}\n    {answer}").unwrap();
            call["id"] = "a\"b".into();
            let mut named = cli.rpc(call).await;
            assert_eq!(named["id"], "a\"b");
            named["id"] = 5.into();
            assert_eq!(named, answer, "{tool} {input}");
        }
    }
    insta::assert_snapshot!(answers);
    let mut bare = call(5, "raw", json!({}));
    bare["params"] = json!({"name": "raw"});
    assert_eq!(cli.rpc(bare).await["result"]["content"][0]["text"], "{}");
}

#[tokio::test]
async fn a_raw_input_is_as_the_cli_wrote_it() {
    let mut cli = start(every_output()).await;
    let input = r#"{"b": 1.0, "a": 12345678901234567890123, "b": 2}"#;
    let frame = format!(
        r#"{{"type":"control_request","request_id":"one","request":{{"subtype":"mcp_message","server_name":"s","message":{{"method":"tools/call","params":{{"name":"raw","arguments":{input}}},"jsonrpc":"2.0","id":1}}}}}}"#
    );
    cli.peer.write(format!("{frame}\n").into_bytes()).await.unwrap();
    let answer = cli.answer().await.1.unwrap();
    assert_eq!(answer["mcp_response"]["result"]["content"][0]["text"], input);
}

#[tokio::test]
async fn an_input_is_refused_with_all_its_errors() {
    let mut cli = start(every_output()).await;
    let unfit = cli.call("works", json!({"times": 4, "more": 1})).await;
    let text = unfit["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert_eq!(unfit["isError"], true);
}

/// A server with a tool that reports its progress, and waits for a signal to clean up.
pub(crate) fn observed() -> (Server, mpsc::Receiver<&'static str>, Arc<Notify>) {
    struct Dropped(mpsc::Sender<&'static str>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            // A test may end before.
            let _ = self.0.try_send("dropped");
        }
    }
    let (events, came) = mpsc::channel(8);
    let go_on = Arc::new(Notify::new());
    let may_go_on = Arc::clone(&go_on);
    let server = Server::new("s", "1").tool("hang", "", move |_: NoInput, cx| {
        let (events, may_go_on) = (events.clone(), Arc::clone(&may_go_on));
        async move {
            let _dropped = Dropped(events.clone());
            events.send("started").await.unwrap();
            cx.cancelled.cancelled().await;
            events.send("cancelled").await.unwrap();
            may_go_on.notified().await;
            events.send("cleaned up").await.unwrap();
            pending::<()>().await;
        }
    });
    (server, came, go_on)
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_may_clean_up_for_the_grace_period() {
    let (server, mut came, go_on) = observed();
    let mut cli = start(server).await;
    cli.post("a", "s", call(1, "hang", json!({}))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    cli.post("note", "s", cancelled(1)).await;
    let mut answers = [cli.answer().await, cli.answer().await];
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    let expected =
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32800, "message": "the request was cancelled"}});
    assert_eq!(answers[0].1.as_ref().unwrap()["mcp_response"], expected);
    assert_eq!(within(came.recv()).await, Some("cancelled"));
    // The id is free while the handler cleans up.
    cli.post("b", "s", call(1, "hang", json!({}))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    go_on.notify_one();
    assert_eq!((within(came.recv()).await, within(came.recv()).await), (Some("cleaned up"), Some("dropped")));
    cli.cancel("b").await;
    assert_eq!((within(came.recv()).await, within(came.recv()).await), (Some("cancelled"), Some("dropped")));
    cli.post("c", "s", call(1, "hang", json!({}))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    // The open call gets its answer in the last write.
    let answers = cli.end().await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["response"]["error"], "the session is ending");
    assert_eq!((within(came.recv()).await, within(came.recv()).await), (Some("cancelled"), Some("dropped")));
}

#[tokio::test]
async fn a_tool_that_stops_its_own_work_by_its_token_is_answered() {
    let server = Server::new("s", "1").tool("stop", "", async |_: NoInput, cx| {
        cx.cancelled.cancel();
        tokio::task::yield_now().await;
        "stopped"
    });
    let mut cli = start(server).await;
    assert_eq!(cli.call("stop", json!({})).await["content"][0]["text"], "stopped");
}
