//! The scripted model, asked as the CLI asks it.

use agentwire_testkit::{
    Script, ScriptedModel,
    model::{
        Answer, ModelError,
        script::{Match, Reply},
    },
};
use serde_json::{Value, json};

use crate::http::{Exchange, Response};

async fn start(script: Value) -> ScriptedModel {
    ScriptedModel::start(Script::from_json(&script.to_string()).unwrap()).await.unwrap()
}

fn request(stream: bool) -> Value {
    json!({
        "model": "some-model", "stream": stream, "tools": [{"name": "Bash"}], "system": "be brief",
        "messages": [{"role": "user", "content": "hi"}],
    })
}

async fn post(model: &ScriptedModel, body: &Value) -> Response {
    Exchange::start(model.base_url(), "POST", "/v1/messages?beta=true", &body.to_string())
        .await
        .finish()
        .await
}

async fn open(model: &ScriptedModel) -> Exchange {
    Exchange::start(model.base_url(), "POST", "/v1/messages?beta=true", &request(true).to_string()).await
}

fn events(body: &str) -> Vec<Value> {
    let data =
        |event: &str| serde_json::from_str(event.lines().nth(1).unwrap().strip_prefix("data: ").unwrap());
    body.split_terminator("\n\n").map(|event| data(event).unwrap()).collect()
}

fn kinds(body: &str) -> Vec<String> {
    events(body).iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

fn text_of(response: &Response) -> String {
    let message: Value = serde_json::from_str(&response.body).unwrap();
    message["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_streamed_reply_has_every_event_in_order() {
    let model = start(json!({"replies": [{"chunks": 2, "blocks": [
        {"thinking": "hmm", "signature": "sig"}, {"text": "grüße"},
        {"tool_use": {"name": "Bash", "input": {"command": "ls"}}}]}]}))
    .await;
    let response = post(&model, &request(true)).await;
    assert_eq!(response.status, 200);
    assert!(response.complete);
    assert!(response.head.contains("content-type: text/event-stream"));
    assert!(response.head.contains("request-id: req_01m"));
    let (open, delta, stop) = ("content_block_start", "content_block_delta", "content_block_stop");
    let block = |deltas| [vec![open], vec![delta; deltas], vec![stop]].concat();
    let ends = vec!["message_delta", "message_stop"];
    let expected = [vec!["message_start"], block(3), block(2), block(2), ends];
    assert_eq!(kinds(&response.body), expected.concat());
    let events = events(&response.body);
    let joined: String = events.iter().filter_map(|event| event["delta"]["text"].as_str()).collect();
    let input: String = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    assert_eq!(joined, "grüße");
    assert_eq!(input, r#"{"command":"ls"}"#);
    assert_eq!(events[0]["message"]["model"], "some-model");
    assert_eq!(events[0]["message"]["id"], "msg_01M000000000000000000001");
    assert_eq!(events[10]["content_block"]["id"], "toolu_01M000000000000000000003");
    assert_eq!(events[14]["delta"]["stop_reason"], "tool_use");
}

#[tokio::test]
async fn a_reply_without_a_stream_is_the_whole_message() {
    let model =
        start(json!({"replies": [{"usage": {"output_tokens": 7}, "blocks": [{"text": "hello"}]}]})).await;
    let response = post(&model, &request(false)).await;
    let message: Value = serde_json::from_str(&response.body).unwrap();
    assert_eq!(message["content"], json!([{"type": "text", "text": "hello"}]));
    assert_eq!(message["stop_reason"], "end_turn");
    assert_eq!(message["usage"]["output_tokens"], 7);
}

#[tokio::test]
async fn script_can_be_built_without_json() {
    let mut script = Script::of([Reply::tool_use("Bash", &json!({"command": "ls"})), Reply::text("main")]);
    script.matches.push(Match::new("AGENT-ONE", [Reply::text("agent")]));
    let model = ScriptedModel::start(script).await.unwrap();
    let message: Value = serde_json::from_str(&post(&model, &request(false)).await.body).unwrap();
    assert_eq!(message["content"][0]["name"], "Bash");
    assert_eq!(message["content"][0]["input"], json!({"command": "ls"}));
    assert_eq!(message["stop_reason"], "tool_use");
    let mut agent = request(false);
    agent["system"] = json!("You are AGENT-ONE.");
    assert_eq!(text_of(&post(&model, &agent).await), "agent");
    assert_eq!(text_of(&post(&model, &request(false)).await), "main");
}

#[tokio::test]
async fn refusal_has_its_reason_with_and_without_a_stream() {
    let details = json!({"type": "refusal", "category": "cyber", "explanation": "scripted"});
    let refusal =
        json!({"stop_reason": "refusal", "stop_details": details, "blocks": [{"text": "no"}], "times": 2});
    let model = start(json!({"replies": [refusal, {"blocks": [{"text": "yes"}]}]})).await;
    let delta_of = |response: Response| {
        let mut deltas = events(&response.body).into_iter().filter(|event| event["type"] == "message_delta");
        deltas.next().unwrap()["delta"].take()
    };
    let refused = delta_of(post(&model, &request(true)).await);
    assert_eq!((&refused["stop_reason"], &refused["stop_details"]), (&json!("refusal"), &details));
    let whole: Value = serde_json::from_str(&post(&model, &request(false)).await.body).unwrap();
    assert_eq!(whole["stop_details"], details);
    let answered = delta_of(post(&model, &request(true)).await);
    assert!(answered.get("stop_details").is_none(), "{answered}");
}

#[tokio::test]
async fn other_routes_are_answered() {
    let model = start(json!({})).await;
    for (method, path, status, body) in [
        ("HEAD", "/", 200, ""),
        ("GET", "/api/hello", 404, ""),
        ("POST", "/v1/messages/count_tokens?beta=true", 200, r#"{"input_tokens":10}"#),
    ] {
        let response = Exchange::start(model.base_url(), method, path, "").await.finish().await;
        assert_eq!((response.status, &*response.body), (status, body), "{method} {path}");
    }
    let nonsense = Exchange::start(model.base_url(), "POST", "/v1/messages", "{").await.finish().await;
    assert_eq!(nonsense.status, 400);
    let answers: Vec<_> = model.requests().iter().map(|fact| fact.answer).collect();
    assert_eq!(answers, [Answer::Other, Answer::Other, Answer::TokenCount, Answer::Other]);
}

#[tokio::test]
async fn each_list_of_replies_runs_out_on_its_own() {
    let model = start(json!({
        "replies": [{"blocks": [{"text": "main"}]}],
        "match": [
            {"marker": "AGENT \"ONE\"", "replies": [{"blocks": [{"text": "agent"}], "times": 2}]},
            {"marker": "SUMMARISE", "in": "last", "replies": [{"blocks": [{"text": "summary"}]}]},
        ],
        "side_text": "title",
    }))
    .await;
    assert_eq!(model.unused(), 4);
    let main = request(false);
    let (mut agent, mut last, mut side) = (main.clone(), main.clone(), main.clone());
    agent["system"] = json!([{"type": "text", "text": "You are AGENT \"ONE\"."}]);
    last["messages"] =
        json!([{"content": "hi"}, {"content": [{"type": "tool_result"}]}, {"content": "SUMMARISE it"}]);
    side["tools"] = json!([]);
    let mut texts = Vec::new();
    for body in [&agent, &main, &side, &last, &agent, &agent, &main] {
        texts.push(text_of(&post(&model, body).await));
    }
    let exhausted = "(script exhausted)";
    assert_eq!(texts, ["agent", "main", "title", "summary", "agent", exhausted, exhausted]);
    assert_eq!((model.unused(), model.exhausted(), model.request_count()), (0, 2, 7));
    let facts = model.requests();
    assert_eq!((facts[3].messages, facts[3].tool_results, facts[3].answer), (3, 1, Answer::Matched(1)));
    assert_eq!((facts[2].tools, facts[2].answer), (false, Answer::Side));
    assert_eq!(facts[1].path.as_ref(), "/v1/messages");
}

#[tokio::test]
async fn agent_without_tools_gets_the_replies() {
    let model = start(json!({"replies": [{"blocks": [{"text": "main"}]}], "side_text": "title"})).await;
    let mut side = request(false);
    side["tools"] = json!([]);
    let mut main = side.clone();
    main["context_management"] = json!({"edits": []});
    assert_eq!(
        (text_of(&post(&model, &side).await), text_of(&post(&model, &main).await)),
        ("title".to_owned(), "main".to_owned())
    );
    assert_eq!(model.requests()[1].answer, Answer::Main);
}

#[tokio::test]
async fn marker_of_the_prompt_is_not_searched_in_later_messages() {
    let model = start(json!({
        "replies": [{"blocks": [{"text": "main"}]}],
        "match": [{"marker": "AGENT-ONE", "replies": [{"blocks": [{"text": "agent"}]}]}],
    }))
    .await;
    let mut body = request(false);
    body["messages"] = json!([{"content": "hi"}, {"content": "AGENT-ONE was started"}]);
    assert_eq!(text_of(&post(&model, &body).await), "main");
}

#[tokio::test]
async fn failures_have_their_status_and_kind() {
    for (status, kind) in [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ] {
        let model = start(json!({"replies": [{"status": status, "retry_after": 3}]})).await;
        let response = post(&model, &request(true)).await;
        let body: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!((response.status, &body["error"]["type"]), (status, &json!(kind)));
        assert!(response.head.contains("retry-after: 3"), "{}", response.head);
    }
}

#[tokio::test]
async fn a_gate_holds_the_stream_in_its_middle() {
    let model = start(json!({"replies": [{"blocks": [{"text": "firstother"}], "hold": "mid"}]})).await;
    let mut exchange = open(&model).await;
    model.held("mid").await.unwrap();
    let before = exchange.until("first").await;
    assert!(!before.contains("other"));
    model.release("mid").unwrap();
    let after = exchange.finish().await;
    assert!(after.complete);
    assert_eq!(kinds(&after.body).last().unwrap(), "message_stop");
    assert!(matches!(model.release("min"), Err(ModelError::NoSuchGate { .. })));
}

#[tokio::test]
async fn a_gate_holds_a_reply_before_its_first_byte() {
    let model = start(json!({"replies": [{"status": 500, "hold_before": "start"}]})).await;
    let body = request(true);
    let (response, ()) = tokio::join!(post(&model, &body), async {
        model.held("start").await.unwrap();
        model.release("start").unwrap();
    });
    assert_eq!(response.status, 500);
}

#[tokio::test]
async fn a_cut_stream_breaks_off_after_its_first_half() {
    let model = start(json!({"replies": [{"blocks": [{"text": "firstother"}], "cut": true}]})).await;
    let response = open(&model).await.finish().await;
    assert!(!response.complete);
    assert_eq!(kinds(&response.body), ["message_start", "content_block_start", "content_block_delta"]);
}

#[tokio::test]
async fn a_cut_message_breaks_off() {
    let model = start(json!({"replies": [{"blocks": [{"text": "firstother"}], "cut": true}]})).await;
    let response = post(&model, &request(false)).await;
    assert!(!response.complete);
    assert!(response.body.starts_with("{\"id\""));
}

#[tokio::test]
async fn an_error_event_ends_the_stream() {
    let failing = json!({"blocks": [{"text": "firstother"}], "error_event": true, "error_message": "mine"});
    let model = start(json!({"replies": [failing]})).await;
    let response = open(&model).await.finish().await;
    assert!(response.complete);
    let events = events(&response.body);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["error"]["message"]), (&json!("error"), &json!("mine")));
}

#[tokio::test]
async fn long_texts_are_repeated() {
    let text = json!({"blocks": [{"text": "0123456789abcdef"}], "repeat_text": 131_072, "chunks": 3});
    let model = start(json!({"replies": [text]})).await;
    let response = post(&model, &request(true)).await;
    let events = events(&response.body);
    let length: usize = events.iter().filter_map(|event| event["delta"]["text"].as_str()).map(str::len).sum();
    assert_eq!(length, 2 << 20);
}

#[tokio::test]
async fn text_with_a_lone_surrogate_is_accepted() {
    let model = start(json!({"replies": [{"blocks": [{"text": "fine"}]}]})).await;
    let body = r#"{"tools": [{}], "messages": [{"content": "\ud800"}], "system": "\udfff"}"#;
    let response = Exchange::start(model.base_url(), "POST", "/v1/messages", body).await.finish().await;
    assert_eq!(text_of(&response), "fine");
}

#[tokio::test]
async fn dropped_model_breaks_held_replies_and_closes_its_port() {
    let model = start(json!({"replies": [{"blocks": [{"text": "firstother"}], "hold": "mid"}]})).await;
    let base = model.base_url().to_owned();
    let mut exchange = open(&model).await;
    exchange.until("first").await;
    drop(model);
    assert!(!exchange.finish().await.complete);
    let address = base.strip_prefix("http://").unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[test]
fn error_of_a_script_names_line_and_field() {
    let text = "{\"replies\": [\n  {\"blocks\": [{\"text\": \"a\"}],\n   \"status\": \"many\"}\n]}";
    let error = Script::from_json(text).unwrap_err().to_string();
    assert_eq!(error, "the script cannot be read: line 3, near `status`");
    let error = Script::from_json("{\"replies\": []\n,\"a\": 1}").unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("unknown field `a`"));
}

#[tokio::test]
async fn scripts_that_cannot_be_played_are_refused() {
    for reply in [
        json!({"status": 200}),
        json!({"times": 0}),
        json!({"status": 500, "blocks": [{"text": "both"}]}),
        json!({"status": 500, "hold": "mid"}),
        json!({"cut": true, "error_event": true}),
        json!({"error_message": "no"}),
        json!({"retry_after": 1, "blocks": [{"text": "both"}]}),
    ] {
        let script = Script::from_json(&json!({"replies": [reply]}).to_string()).unwrap();
        let error = ScriptedModel::start(script).await.unwrap_err();
        assert!(matches!(error, ModelError::Script { .. }), "{error}");
    }
    let (good, bad) = (json!({"error_event": true, "error_message": "no"}), json!({"times": 0}));
    let matched = |marker: &str, replies: Value| json!({"marker": marker, "replies": replies});
    for (script, place) in [
        (json!({"replies": [good, bad]}), "`replies[1]`: "),
        (
            json!({"replies": [good], "match": [matched("a", json!([])), matched("b", json!([bad]))]}),
            "`match[1].replies[0]`: ",
        ),
        (json!({"match": [matched("a", json!([])), matched("", json!([]))]}), "`match[1]`: an empty marker"),
    ] {
        let script = Script::from_json(&script.to_string()).unwrap();
        let error = ScriptedModel::start(script).await.unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
    for script in [json!({"reply": []}), json!({"replies": [{"blocks": [{"text": "a", "thinking": "b"}]}]})] {
        assert!(matches!(Script::from_json(&script.to_string()), Err(ModelError::Json { .. })));
    }
}
