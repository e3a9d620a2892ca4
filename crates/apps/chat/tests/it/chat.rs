//! Tests of the chat loop with a scripted model and a server.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire_chat::{Api, ApiError, Chat, ChatAnswer, ChatError, Form, Step};
use agentwire_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    time::timeout,
};

use crate::toy::{PNG, hub};

pub(crate) async fn model(script: &Value) -> ScriptedModel {
    ScriptedModel::start(Script::from_json(&script.to_string()).unwrap()).await.unwrap()
}

/// Returns a conversation with a scripted model.
async fn chat(model: &ScriptedModel) -> Chat {
    Chat::new(Api::new(model.base_url(), "sk-fake", "scripted").unwrap(), hub().await)
}

async fn ask(chat: &mut Chat) -> Result<ChatAnswer, ChatError> {
    timeout(Duration::from_secs(30), chat.ask("Go.", drop)).await.unwrap()
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let calls = calls.iter().map(|(name, input)| json!({"tool_use": {"name": name, "input": input}}));
    json!({"blocks": calls.collect::<Vec<_>>()})
}

fn text_reply(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

/// Returns the blocks of the message before the last.
fn answered(chat: &Chat) -> Vec<Value> {
    let messages = chat.messages();
    messages[messages.len() - 2]["content"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_model_calls_tools_until_it_is_done() {
    let replies = [
        calls(&[("mcp__toy__echo", json!({"text": "one"}))]),
        calls(&[("mcp__toy__echo", json!({"text": "two"}))]),
        text_reply("Done."),
    ];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await.system("Be brief.");
    let steps = Arc::<Mutex<Vec<Step>>>::default();
    let seen = Arc::clone(&steps);
    let answer = chat.ask("Go.", move |step| seen.lock().unwrap().push(step)).await.unwrap();
    assert_eq!((&*answer.text, answer.stop_reason.as_deref(), answer.rounds), ("Done.", Some("end_turn"), 3));
    let name = "mcp__toy__echo".to_owned();
    let called = [Step::Calls { name: name.clone() }, Step::Called { name, failed: false }];
    let expected = [&called[..], &called, &[Step::Text("Done.".to_owned())]].concat();
    assert_eq!(*steps.lock().unwrap(), expected);
    let results: Vec<_> =
        model.requests().iter().map(|request| (request.tools, request.tool_results)).collect();
    assert_eq!(results, [(true, 0), (true, 1), (true, 2)]);
    assert_eq!(answered(&chat)[0]["content"], json!([{"type": "text", "text": "two"}]));
}

#[tokio::test]
async fn the_calls_of_a_message_are_made_at_the_same_time_and_answered_in_their_order() {
    let meet = |text: &str| ("mcp__toy__meet", json!({"text": text}));
    let replies = [calls(&[meet("a"), ("mcp__toy__picture", json!({})), meet("b")]), text_reply("Done.")];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    ask(&mut chat).await.unwrap();
    let results = answered(&chat);
    let uses = &chat.messages()[1]["content"];
    for (at, result) in results.iter().enumerate() {
        assert_eq!(result["tool_use_id"], uses[at]["id"]);
        assert_eq!(result["is_error"], false);
    }
    assert_eq!(results[0]["content"][0]["text"], "met a");
    assert_eq!(
        results[1]["content"][0]["source"],
        json!({"type": "base64", "media_type": "image/png", "data": PNG})
    );
    assert_eq!(results[2]["content"][0]["text"], "met b");
}

#[tokio::test]
async fn mistakes_and_failures_are_reported_to_the_model() {
    let wrong = [
        ("mcp__toy__nothing", json!({})),
        ("mcp__toy__secret", json!({})),
        ("mcp__toy__echo", json!({"text": 1})),
        ("mcp__toy__fail", json!({})),
        ("read_resource", json!({"server": "toy"})),
        ("mcp--toy--echo", json!({"text": "as it was meant"})),
        ("read_resource", json!({"server": "toy", "uri": "toy://one"})),
        ("read_resource", json!({"server": "toy", "uri": "file:///etc/passwd"})),
    ];
    let model = model(&json!({"replies": [calls(&wrong), text_reply("Done.")]})).await;
    let mut chat = chat(&model).await;
    ask(&mut chat).await.unwrap();
    let results = answered(&chat);
    let errors: Vec<_> =
        results.iter().map(|result| result["content"][0]["text"].as_str().unwrap()).collect();
    for (error, part) in errors.iter().zip([
        "`mcp__toy__echo`",
        "`secret`",
        "text",
        "it failed",
        "`server` and `uri`",
        "as it was meant",
        "this is toy://one",
        "was denied",
    ]) {
        assert!(error.contains(part), "{part} is not in {error}");
    }
    let failed: Vec<_> = results.iter().map(|result| result["is_error"].as_bool().unwrap()).collect();
    assert_eq!(failed, [true, true, true, true, true, false, false, true]);
}

#[tokio::test]
async fn images_of_a_failed_call_follow_the_results() {
    let failing = ("mcp__toy__picture", json!({"text": "broken"}));
    let replies = [calls(&[failing, ("mcp__toy__echo", json!({"text": "one"}))]), text_reply("Done.")];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    ask(&mut chat).await.unwrap();
    let answered = answered(&chat);
    let kinds: Vec<_> = answered.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "image"]);
    let note = json!([{"type": "text", "text": "(its images follow the results)"}]);
    assert_eq!((&answered[0]["is_error"], &answered[0]["content"]), (&json!(true), &note));
}

/// Returns the refusal of a request with an image that is too large.
fn refusal() -> Value {
    json!({"status": 400, "error_message": "image exceeds 5 MB maximum"})
}

#[tokio::test]
async fn results_that_the_api_refuses_are_replaced_by_an_error() {
    let pictures = ["", "broken"].map(|text| ("mcp__toy__picture", json!({"text": text})));
    let replies = [calls(&pictures), refusal(), text_reply("Done."), text_reply("On.")];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
    let results = answered(&chat);
    let uses = &chat.messages()[1]["content"];
    assert_eq!(results.len(), 2);
    for (at, result) in results.iter().enumerate() {
        assert_eq!((&result["tool_use_id"], &result["is_error"]), (&uses[at]["id"], &json!(true)));
        let [error] = &result["content"].as_array().unwrap()[..] else { panic!("{result}") };
        assert!(error["text"].as_str().unwrap().contains("image exceeds 5 MB maximum"), "{error}");
    }
    assert_eq!(ask(&mut chat).await.unwrap().text, "On.");
}

#[tokio::test]
async fn results_that_were_not_sent_at_first_can_be_replaced_later() {
    let picture = calls(&[("mcp__toy__picture", json!({}))]);
    let overloaded = json!({"status": 529, "retry_after": 0, "times": 3});
    let replies = [picture, overloaded, refusal(), text_reply("Done.")];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    ask(&mut chat).await.unwrap_err();
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
    let result = &chat.messages()[2]["content"][0];
    assert_eq!((&result["type"], &result["is_error"]), (&json!("tool_result"), &json!(true)));
}

#[tokio::test]
async fn results_stay_if_they_are_not_what_the_api_refuses() {
    let echo = calls(&[("mcp__toy__echo", json!({"text": "one"}))]);
    let model = model(&json!({"replies": [echo, refusal(), refusal(), text_reply("Done.")]})).await;
    let mut chat = chat(&model).await;
    match ask(&mut chat).await {
        Err(ChatError::Api(ApiError::Refused { status: 400, .. })) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
    assert_eq!(chat.messages()[2]["content"][0]["content"], json!([{"type": "text", "text": "one"}]));
}

#[tokio::test]
async fn a_prompt_that_the_api_refuses_is_removed() {
    let echo = calls(&[("mcp__toy__echo", json!({"text": "one"}))]);
    let replies = [refusal(), echo, refusal(), refusal(), refusal(), refusal(), text_reply("On.")];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    ask(&mut chat).await.unwrap_err();
    assert!(chat.messages().is_empty());
    // The first prompt stays, because its call was made. The second is refused with the results and without them.
    for _ in 0..2 {
        ask(&mut chat).await.unwrap_err();
        assert_eq!(chat.messages().len(), 3);
    }
    assert_eq!(ask(&mut chat).await.unwrap().text, "On.");
    assert_eq!(model.requests().last().unwrap().messages, 4);
}

#[tokio::test]
async fn a_prompt_that_was_not_answered_is_removed_with_the_one_that_the_api_refuses() {
    let overloaded = json!({"status": 529, "retry_after": 0, "times": 3});
    let model = model(&json!({"replies": [overloaded, refusal(), text_reply("On.")]})).await;
    let mut chat = chat(&model).await;
    ask(&mut chat).await.unwrap_err();
    assert_eq!(chat.messages().len(), 1);
    ask(&mut chat).await.unwrap_err();
    assert!(chat.messages().is_empty());
    assert_eq!(ask(&mut chat).await.unwrap().text, "On.");
    assert_eq!(model.requests().last().unwrap().messages, 1);
}

#[tokio::test]
async fn rounds_are_limited_and_the_conversation_goes_on() {
    let call = calls(&[("mcp__toy__echo", json!({"text": "x"}))]);
    let model = model(&json!({"replies": [call, call, text_reply("Done.")]})).await;
    let mut chat = chat(&model).await.rounds(2);
    assert!(matches!(ask(&mut chat).await, Err(ChatError::TooManyRounds(2))));
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
    let roles: Vec<_> = chat.messages().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user", "user", "assistant"]);
}

#[tokio::test]
async fn a_reply_that_was_cut_calls_nothing() {
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let mut cut = calls(&[("mcp__toy__echo", json!({}))]);
        cut["stop_reason"] = json!(reason);
        let model = model(&json!({"replies": [cut, text_reply("Done.")]})).await;
        let mut chat = chat(&model).await;
        ask(&mut chat).await.unwrap();
        let result = &answered(&chat)[0];
        assert_eq!(result["is_error"], true, "{reason}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("was cut"));
    }
}

#[tokio::test]
async fn an_api_that_is_overloaded_is_asked_again_and_one_that_refuses_is_not() {
    let failing = json!({"status": 529, "retry_after": 0});
    let replies = [
        failing.clone(),
        failing.clone(),
        text_reply("Done."),
        failing,
        json!({"status": 401, "error_message": "no key"}),
    ];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
    match ask(&mut chat).await {
        Err(ChatError::Api(ApiError::Refused { status: 401, message })) => assert_eq!(message, "no key"),
        other => panic!("{other:?}"),
    }
    assert_eq!(model.request_count(), 5);
}

/// Reads one request, and writes a response.
async fn respond(listener: &TcpListener, response: &str) {
    let (mut connection, _) = listener.accept().await.unwrap();
    assert!(connection.read(&mut [0; 1024]).await.unwrap() > 0);
    connection.write_all(response.as_bytes()).await.unwrap();
    connection.shutdown().await.unwrap();
    // Closing a connection with unread bytes would discard the response.
    while connection.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
}

async fn chat_at(listener: &TcpListener) -> Chat {
    let api = Api::new(format!("http://{}", listener.local_addr().unwrap()), "sk-fake", "m").unwrap();
    Chat::new(api, hub().await)
}

#[tokio::test]
async fn a_redirect_gets_no_key() {
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let location = format!("http://{}/v1/messages", other.local_addr().unwrap());
    let redirect = format!("HTTP/1.1 307 Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    let mut chat = chat_at(&listener).await;
    let asked = async { tokio::join!(ask(&mut chat), respond(&listener, &redirect)).0 };
    tokio::select! {
        answer = asked => match answer {
            Err(ChatError::Api(ApiError::Refused { status: 307, .. })) => {}
            other => panic!("{other:?}"),
        },
        _ = other.accept() => panic!("the other host got the request"),
    }
}

#[tokio::test]
async fn an_answer_that_is_no_message_is_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut chat = chat_at(&listener).await;
    let overloaded = r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
    for (body, shown) in [("<h1>Sign in</h1>", "<h1>Sign in</h1>"), (overloaded, "Overloaded")] {
        let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        match tokio::join!(ask(&mut chat), respond(&listener, &response)).0 {
            Err(ChatError::Api(ApiError::NoMessage(text))) => assert_eq!(text, shown),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_conversation_that_is_dropped_holds_what_was_complete() {
    let replies = [calls(&[("mcp__toy__meet", json!({}))]), text_reply("Done.")];
    let model = model(&json!({"replies": replies})).await;
    let mut chat = chat(&model).await;
    let called = Arc::new(tokio::sync::Notify::new());
    let calls = Arc::clone(&called);
    tokio::select! {
        _ = chat.ask("Go.", move |_| calls.notify_one()) => panic!("nobody meets it"),
        () = called.notified() => {}
    }
    assert_eq!(chat.messages(), [json!({"role": "user", "content": "Go."})]);
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
}

/// Returns replies of a model without tools.
fn without_tools(replies: &[&str]) -> Value {
    let replies: Vec<_> = replies.iter().map(|text| text_reply(text)).collect();
    json!({"match": [{"marker": "Go.", "replies": replies}]})
}

fn texts(chat: &Chat) -> String {
    answered(chat).iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_model_without_tools_calls_them_in_json() {
    let model = model(&without_tools(&[
        "Let me see.\n{\"tool\": \"mcp__toy__echo\", \"arguments\": {\"text\": \"one ``` two\"}}\n{\"tool\": \"mcp__toy__picture\", \"arguments\": {}}",
        "{\"tool\": \"mcp__toy__echo\"}",
        "It is {\"tool\": 1}.",
    ]))
    .await;
    let mut chat = chat(&model).await.form(Form::Json);
    let mut misread = Vec::new();
    let answer = chat
        .ask("Go.", |step| misread.extend(matches!(step, Step::Misread(_)).then_some(step)))
        .await
        .unwrap();
    assert_eq!((&*answer.text, answer.rounds, misread.len()), ("It is {\"tool\": 1}.", 3, 1));
    assert!(texts(&chat).contains("`arguments` is missing") && texts(&chat).contains("{\"tool\": \"NAME"));
    let results = chat.messages()[2]["content"].as_array().unwrap();
    assert_eq!(results[0]["text"], "Result of call 1 (mcp__toy__echo):");
    assert_eq!(results[1]["text"], "````text\none ``` two\n````\n");
    assert_eq!(
        (&results[2]["text"], &results[3]["type"]),
        (&json!("Result of call 2 (mcp__toy__picture):"), &json!("image"))
    );
    assert!(model.requests().iter().all(|request| !request.tools));
}

#[tokio::test]
async fn refused_results_of_a_model_without_tools_are_one_text() {
    let mut script = without_tools(&["{\"tool\": \"mcp__toy__picture\", \"arguments\": {}}", "", "Done."]);
    script["match"][0]["replies"][1] = refusal();
    let model = model(&script).await;
    let mut chat = chat(&model).await.form(Form::Json);
    assert_eq!(ask(&mut chat).await.unwrap().text, "Done.");
    assert_eq!(answered(&chat).len(), 1);
    assert!(texts(&chat).contains("image exceeds 5 MB maximum"), "{}", texts(&chat));
}

#[tokio::test]
async fn a_model_without_tools_calls_them_in_xml() {
    let model = model(&without_tools(&[
        "<use_mcp_tool><server_name>toy</server_name><tool_name>echo</tool_name><arguments>{\"text\": \"one\"}</arguments></use_mcp_tool>\n<use_mcp_tool><server_name>none</server_name><tool_name>echo</tool_name></use_mcp_tool>\n<access_mcp_resource><server_name>toy</server_name><uri>toy://one</uri></access_mcp_resource>",
        "Done.",
    ]))
    .await;
    let mut chat = chat(&model).await.form(Form::Xml);
    assert_eq!(chat.ask("Go.", drop).await.unwrap().text, "Done.");
    let text = texts(&chat);
    for part in [
        "Result of call 1 (toy/echo):\n```text\none\n```",
        "Error of call 2 (none/echo):",
        "the servers are: `toy`",
        "this is toy://one",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[tokio::test]
async fn a_text_that_was_cut_calls_nothing() {
    let cut = "{\"tool\": \"mcp__toy__echo\", \"arguments\": {}}\n{\"tool\": \"mcp__toy__ec";
    let mut script = without_tools(&[cut, "Done."]);
    script["match"][0]["replies"][0]["stop_reason"] = json!("max_tokens");
    let model = model(&script).await;
    let mut chat = chat(&model).await.form(Form::Json);
    // Checks that the future is `Send` and can be spawned.
    let (chat, answer) = tokio::spawn(async move {
        let answer = chat.ask("Go.", drop).await;
        (chat, answer)
    })
    .await
    .unwrap();
    assert_eq!(answer.unwrap().text, "Done.");
    assert_eq!(texts(&chat).matches("was cut").count(), 2);
}
