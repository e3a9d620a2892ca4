//! Messages of a tool during its call: in order, and before its result.

use agentwire_mcp::{Server, ServerRequestError, ToolContext};
use serde_json::{Value, json};

use crate::cli::{Cli, NoInput, call, within};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Times {
    times: u32,
}

async fn start() -> Cli {
    let server = Server::new("s", "1")
        .tool("count", "", async |input: Times, cx| {
            for done in 1..=input.times {
                cx.progress(done.into(), f64::from(input.times), format!("step {done}")).await;
            }
            "counted"
        })
        .tool("log", "", async |input: Times, cx| {
            cx.log("warning", format!("{} times", input.times)).await;
            cx.progress(1.0, None, "").await;
        });
    Cli::serving(server).await
}

#[tokio::test]
async fn progress_comes_before_the_result_whatever_the_cli_acknowledges() {
    let mut cli = start().await;
    cli.post("one", "s", call(1, "count", json!({"times": 60}))).await;
    for done in 1..=60 {
        let params = cli.line().await["request"]["message"]["params"].take();
        let message = format!("step {done}");
        let expected =
            json!({"progressToken": 1, "progress": f64::from(done), "total": 60.0, "message": message});
        assert_eq!(params, expected);
    }
    assert_eq!(cli.answer().await.1.unwrap()["mcp_response"]["result"]["content"][0]["text"], "counted");
}

#[tokio::test]
async fn a_tool_that_sends_many_messages_waits_for_the_cli() {
    let mut cli = start().await;
    cli.post("one", "s", call(1, "count", json!({"times": 1000}))).await;
    for done in 1..=1000 {
        let message = cli.server_message().await;
        assert_eq!(message["message"]["params"]["progress"], f64::from(done), "{message}");
    }
    assert_eq!(cli.answer().await.0, "one");
}

#[tokio::test]
async fn request_of_a_task_fails_when_the_session_ends() {
    let (sender, mut failed) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::new("s", "1").tool("leave", "", move |_: NoInput, cx: ToolContext| {
        let sender = sender.clone();
        async move {
            tokio::spawn(async move { sender.send(cx.request("ping", json!({})).await) });
            "left"
        }
    });
    let mut cli = Cli::serving(server).await;
    cli.post("one", "s", call(1, "leave", json!({}))).await;
    // The result of the call and the request may come in either order.
    for line in [cli.line().await, cli.line().await] {
        if line["type"] == "control_request" {
            assert_eq!(line["request"]["message"]["method"], "ping");
            cli.reply(&line, json!({"subtype": "success", "response": {}})).await;
        }
    }
    cli.end().await;
    let outcome = within(failed.recv()).await.unwrap();
    assert_eq!(outcome.unwrap_err(), ServerRequestError::Closed);
}

#[tokio::test]
async fn concurrent_calls_keep_their_own_order() {
    let mut cli = start().await;
    for id in 0..8 {
        let mut call = call(id, "count", json!({"times": 5}));
        call["params"]["_meta"]["progressToken"] = id.into();
        cli.post(&id.to_string(), "s", call).await;
    }
    let mut sent = [0_u32; 8];
    for _ in 0..8 * 6 {
        let line = cli.line().await;
        if line["type"] == "control_response" {
            let id: usize = line["response"]["request_id"].as_str().unwrap().parse().unwrap();
            assert_eq!(sent[id], 5, "the result of {id} came too early");
            continue;
        }
        let params = &line["request"]["message"]["params"];
        let id = usize::try_from(params["progressToken"].as_u64().unwrap()).unwrap();
        sent[id] += 1;
        assert_eq!(params["progress"], f64::from(sent[id]));
    }
}

#[tokio::test]
async fn a_log_message_has_its_level() {
    let mut cli = start().await;
    let mut unasked = call(1, "log", json!({"times": 2}));
    unasked["params"].as_object_mut().unwrap().remove("_meta");
    cli.post("one", "s", unasked).await;
    let message: Value = cli.server_message().await["message"].take();
    let expected = json!({"level": "warning", "data": "2 times"});
    assert_eq!((&message["method"], &message["params"]), (&json!("notifications/message"), &expected));
    // The call has no progress token, so no progress is sent.
    assert_eq!(cli.answer().await.0, "one");
}

#[tokio::test]
async fn a_tool_may_send_any_notification_and_request() {
    let server = Server::new("s", "1").tool("talk", "", async |_: NoInput, cx| {
        cx.notify("notifications/tools/list_changed", json!({})).await.unwrap();
        let mut answers = Vec::new();
        for method in ["ping", "roots/list", "elicitation/create"] {
            answers.push(match cx.request(method, json!({"of": method})).await {
                Ok(result) => result.to_string(),
                Err(error) => error.to_string(),
            });
        }
        answers.join("; ")
    });
    let mut cli = Cli::serving(server).await;
    cli.post("one", "s", call(1, "talk", json!({}))).await;
    let note = cli.server_message().await["message"].take();
    let expected = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}});
    assert_eq!(note, expected);
    // The CLI answers by a message of its own, which it may do with an error.
    let refusal = json!({"code": -32601, "message": "no"});
    for (name, answer) in [("result", json!({"n": 1})), ("error", refusal)] {
        let message = cli.server_message().await["message"].take();
        let mut response = json!({"jsonrpc": "2.0", "id": message["id"]});
        response[name] = answer;
        assert_eq!(message["params"]["of"], message["method"]);
        cli.post(name, "s", response).await;
        assert_eq!(cli.answer().await.0, name);
    }
    // Or it refuses the message that carries the request.
    let line = cli.line().await;
    cli.reply(&line, json!({"subtype": "error", "error": "no such server"})).await;
    let answer = cli.answer().await.1.unwrap();
    let text = answer["mcp_response"]["result"]["content"][0]["text"].as_str().unwrap();
    let [result, refused, failed] = text.split("; ").collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(result, r#"{"n":1}"#);
    assert_eq!(refused, "the CLI refused the request with code -32601: no");
    assert!(failed.contains("-32603") && failed.contains("no such server"), "{failed}");
}

#[tokio::test]
async fn a_result_of_null_is_a_result() {
    let server = Server::new("s", "1")
        .tool("talk", "", async |_: NoInput, cx| cx.request("ping", json!({})).await.unwrap().to_string());
    let mut cli = Cli::serving(server).await;
    cli.post("one", "s", call(1, "talk", json!({}))).await;
    let message = cli.server_message().await["message"].take();
    cli.post("two", "s", json!({"jsonrpc": "2.0", "id": message["id"], "result": null})).await;
    // The result of the call and the acknowledgement may come in either order.
    let answers = [cli.answer().await, cli.answer().await];
    let (_, result) = answers.into_iter().find(|(id, _)| id == "one").unwrap();
    assert_eq!(result.unwrap()["mcp_response"]["result"]["content"][0]["text"], "null");
}

#[tokio::test]
async fn an_answer_that_can_not_be_read_fails_its_request_with_the_reason() {
    let server = Server::new("s", "1").tool("talk", "", async |_: NoInput, cx| {
        cx.request("ping", json!({})).await.unwrap_err().to_string()
    });
    let mut cli = Cli::serving(server).await;
    cli.post("one", "s", call(1, "talk", json!({}))).await;
    let message = cli.server_message().await["message"].take();
    let error = json!({"code": 1.5, "message": "no"});
    cli.post("two", "s", json!({"jsonrpc": "2.0", "id": message["id"], "error": error})).await;
    // The result of the call and the acknowledgement may come in either order.
    let answers = [cli.answer().await, cli.answer().await];
    let (_, result) = answers.into_iter().find(|(id, _)| id == "one").unwrap();
    let text = result.unwrap()["mcp_response"]["result"]["content"][0]["text"].take();
    assert!(text.as_str().unwrap().contains("the answer can't be read: "), "{text}");
}
