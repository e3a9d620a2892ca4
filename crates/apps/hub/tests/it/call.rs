//! Calls through the hub: checks, time limits and results.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use agentwire_hub::{CallError, CallLimits, CallOutcome, CallRequest, Hub, TimeLimit, config::Sources};
use rmcp::model::ContentBlock;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    project::until,
    server::{LIMIT, config, hub, limited_to},
};

pub(crate) fn call(tool: &str, arguments: Value) -> CallRequest {
    CallRequest::new("test", tool).arguments(arguments)
}

pub(crate) fn text(outcome: &CallOutcome) -> &str {
    match &*outcome.content {
        [ContentBlock::Text(text)] => &text.text,
        other => panic!("{other:?}"),
    }
}

/// Returns what the server `test` has received.
pub(crate) async fn received(hub: &Hub) -> Value {
    received_by(hub, "test").await
}

pub(crate) async fn received_by(hub: &Hub, server: &str) -> Value {
    let request = CallRequest::new(server, "received").arguments(json!({}));
    serde_json::from_str(text(&hub.call(request).await.unwrap())).unwrap()
}

/// Sets the time limit of calls, including calls in flight.
pub(crate) fn limited(hub: &Hub, time: Duration) {
    hub.apply(Sources::new().server("test", limited_to(time)).read());
}

/// Adds a tool to a server, or replaces it, and waits until the hub lists it in this form.
pub(crate) async fn add_tool(hub: &Hub, server: &str, tool: &Value) {
    let arguments = json!({"method": "notifications/tools/list_changed", "params": {}, "add": tool});
    hub.call(CallRequest::new(server, "notify").arguments(arguments)).await.unwrap();
    let is_listed = || {
        let catalog = hub.catalog(server).unwrap();
        catalog.tools().iter().any(|listed| serde_json::to_value(listed).unwrap() == *tool)
    };
    until(hub, is_listed).await;
}

#[tokio::test]
async fn misspelled_tool_is_called_under_its_own_name() {
    let hub = hub(config(), |builder| builder).await;
    let outcome = hub.call(call("echo", json!({"text": "hé"}))).await.unwrap();
    assert_eq!((text(&outcome), outcome.is_error, outcome.left_out), ("hé", false, None));
    let outcome = hub.call(call("read_file", json!({"path": "a", "lines": [1]}))).await.unwrap();
    let called: Value = serde_json::from_str(text(&outcome)).unwrap();
    assert_eq!(called["name"], "read-file");
    assert_eq!(called["arguments"], json!({"path": "a", "lines": [1]}));
    // No arguments are an empty object.
    hub.call(CallRequest::new("test", "received")).await.unwrap();
}

#[tokio::test]
async fn unknown_name_is_reported_with_known_names() {
    let mut config = config();
    config.disabled_tools = ["d*"].into_iter().collect();
    let hub = hub(config, |builder| builder).await;
    let error = hub.call(CallRequest::new("tests", "echo")).await.unwrap_err();
    assert!(
        matches!(&error, CallError::UnknownServer { known, .. } if **known == ["test".into()]),
        "{error}"
    );
    assert!(error.to_string().contains("perhaps `test` is meant"), "{error}");
    let error = hub.call(call("Echo", json!({}))).await.unwrap_err();
    assert_eq!(error.code(), "unknown");
    assert!(
        error
            .to_string()
            .contains("no tool `Echo`, perhaps `echo` is meant; the names are: `echo`, `read-file`"),
        "{error}"
    );
    assert!(!error.to_string().contains("die"), "a disabled tool is not a choice: {error}");
    let error = hub.call(call("die", json!({}))).await.unwrap_err();
    assert!(matches!(&error, CallError::ToolDisabled { tool, .. } if **tool == *"die"), "{error}");
    hub.set_enabled(false);
    let error = hub.call(call("echo", json!({"text": ""}))).await.unwrap_err();
    assert_eq!(error.to_string(), "the server `test` is disabled with all MCP servers");
}

#[tokio::test]
async fn all_bad_arguments_are_reported_and_nothing_is_sent() {
    let hub = hub(config(), |builder| builder).await;
    let error = hub.call(call("read-file", json!({"lines": [1, "x"], "more": 1}))).await.unwrap_err();
    let CallError::BadArguments { violations, .. } = &error else { panic!("{error}") };
    assert_eq!(violations.len(), 3, "{error}");
    assert!(error.to_string().contains("\n- /lines/1: \"x\" is not of type \"integer\""), "{error}");
    assert!(!error.was_sent());
    for arguments in [json!([1]), json!("text"), json!(1)] {
        assert_eq!(hub.call(call("give", arguments)).await.unwrap_err().code(), "bad_arguments");
    }
}

#[tokio::test]
async fn optional_null_argument_is_removed() {
    let hub = hub(config(), |builder| builder).await;
    let outcome = hub.call(call("read-file", json!({"path": "a", "lines": null}))).await.unwrap();
    let called: Value = serde_json::from_str(text(&outcome)).unwrap();
    assert_eq!(called["arguments"], json!({"path": "a"}));
    let error = hub.call(call("read-file", json!({"path": null}))).await.unwrap_err();
    assert!(error.to_string().contains("/path: null is not of type \"string\""), "{error}");
    // `null` is sent if the schema allows it.
    let outcome = hub.call(call("give", json!({"content": [], "_meta": null}))).await.unwrap();
    assert!(!outcome.is_error);
}

#[tokio::test]
async fn each_kind_of_content_is_forwarded() {
    let hub = hub(config(), |builder| builder).await;
    let content = json!([
        {"type": "text", "text": "t", "annotations": {"priority": 1.0}},
        {"type": "image", "data": "QQ==", "mimeType": "image/png"},
        {"type": "audio", "data": "QQ==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "test://a", "name": "a"},
        {"type": "resource", "resource": {"uri": "test://b", "text": "b"}},
        {"type": "resource", "resource": {"uri": "test://c", "blob": "QQ=="}},
    ]);
    let given =
        json!({"content": content, "structuredContent": {"a": [1]}, "isError": true, "_meta": {"m": 1}});
    let outcome = hub.call(call("give", given)).await.unwrap();
    assert_eq!(serde_json::to_value(&outcome.content).unwrap(), content);
    assert_eq!((outcome.structured.clone(), outcome.is_error), (Some(json!({"a": [1]})), true));
    assert_eq!(serde_json::to_value(&outcome.meta).unwrap(), json!({"m": 1}));
    let result = rmcp::model::CallToolResult::from(outcome);
    assert_eq!(serde_json::to_value(result).unwrap()["structuredContent"], json!({"a": [1]}));
    // Content of a later version of MCP becomes its JSON.
    let odd = json!({"content": [{"type": "hologram", "cube": 1}, {"type": "text", "text": "t"}]});
    let outcome = hub.call(call("give", odd)).await.unwrap();
    assert_eq!(outcome.content.len(), 2);
    assert!(matches!(&outcome.content[0], ContentBlock::Text(text) if text.text.contains("hologram")));
    // A result that is not valid for the request is an error.
    let error = hub.call(call("give", json!({"content": 5}))).await.unwrap_err();
    assert_eq!(error.code(), "protocol", "{error}");
    let error = hub.call(call("refuse", json!({}))).await.unwrap_err();
    assert!(error.to_string().contains("not like this (code -32601)"), "{error}");
}

#[tokio::test]
async fn tool_that_does_not_fit_hides_no_other_tool() {
    let hub = hub(config(), |builder| builder).await;
    let add = json!({"method": "notifications/tools/list_changed", "params": {}, "add": {"name": "unfit"}});
    hub.call(call("notify", add)).await.unwrap();
    let catalog = || hub.catalog("test").unwrap();
    until(&hub, || catalog().problems().next().is_some()).await;
    let problem = catalog().problems().next().unwrap().to_string();
    assert_eq!(problem, "the list of tools: items that do not fit MCP are left out: 1");
    assert!(catalog().tools().iter().any(|tool| tool.name == "received"), "it is on the same page");
}

#[tokio::test]
async fn large_content_is_cut_and_marked() {
    let hub =
        hub(config(), |builder| builder.limits(CallLimits { text: 10, media: 8, ..CallLimits::default() }))
            .await;
    let give = async |given: Value| hub.call(call("give", given)).await.unwrap();
    let texts = json!([{"type": "text", "text": "1234567"}, {"type": "text", "text": "éééé"}, {"type": "text", "text": "x"}]);
    let outcome = give(json!({"content": texts})).await;
    let blocks: Vec<_> = outcome.content.iter().map(|block| block.as_text().unwrap().text.clone()).collect();
    assert_eq!(blocks[0], "1234567");
    assert_eq!(blocks[1], "é\n[6 of 8 bytes left out: the output is too large]");
    assert_eq!(blocks[2], "\n[1 of 1 bytes left out: the output is too large]");
    let left_out = outcome.left_out.unwrap();
    assert_eq!((left_out.text, left_out.media), (7, 0));
    let media = json!([{"type": "image", "data": "QUJDREVG", "mimeType": "image/png"},
        {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "test://c", "blob": "QQ=="}}]);
    let outcome = give(json!({"content": media})).await;
    assert_eq!(outcome.left_out.unwrap().media, 8);
    assert!(matches!(&outcome.content[0], ContentBlock::Image(_)));
    assert_eq!(
        outcome.content[1].as_text().unwrap().text,
        "[sound (audio/wav, 4 bytes of base64) left out: the output is too large]"
    );
    assert!(serde_json::to_string(&outcome.content[2]).unwrap().contains("test://c"));
    let outcome = give(json!({"content": [], "structuredContent": {"a": "too long for it"}})).await;
    assert_eq!(outcome.structured, None);
    assert!(text(&outcome).contains("structured content ("));
    let outcome = give(json!({"content": [], "structuredContent": {"a": 12_345_678}})).await;
    assert_eq!((outcome.structured, outcome.left_out), (None, Some(left_out_of(14))));
}

#[tokio::test]
async fn notes_and_metadata_are_bounded_too() {
    let hub =
        hub(config(), |builder| builder.limits(CallLimits { text: 10, media: 8, ..CallLimits::default() }))
            .await;
    let give = async |given: Value| hub.call(call("give", given)).await.unwrap();
    let many = vec![json!({"type": "text", "text": "12345"}); 1000];
    let outcome = give(json!({"content": many})).await;
    assert_eq!(outcome.content.len(), 2 + 20);
    assert!(outcome.content[21].as_text().unwrap().text.contains("and more left out"));
    assert_eq!(outcome.left_out.unwrap().text, 5 * 998);
    let images = vec![json!({"type": "image", "data": "QUJDREVGR0hJ", "mimeType": "image/png"}); 1000];
    let outcome = give(json!({"content": images})).await;
    assert_eq!((outcome.content.len(), outcome.left_out.unwrap().media), (20, 12_000));
    let large = json!({"m": "x".repeat(100_000)});
    let text = json!({"type": "text", "text": "t", "_meta": large});
    let link = json!({"type": "resource_link", "uri": "test://a", "name": "x".repeat(100_000)});
    let outcome = give(json!({"content": [text, link], "_meta": large})).await;
    assert!(serde_json::to_string(&outcome.content).unwrap().len() < 1000, "{:?}", outcome.content);
    assert_eq!(outcome.meta, None);
}

fn left_out_of(text: usize) -> agentwire_hub::LeftOut {
    let mut left_out = agentwire_hub::LeftOut::default();
    left_out.text = text;
    left_out
}

#[tokio::test]
async fn progress_is_received_in_order_and_before_the_outcome() {
    let hub = hub(config(), |builder| builder).await;
    let received = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&received);
    let request = call("tick", json!({"times": 500, "every": 0}))
        .on_progress(move |progress| recorder.lock().unwrap().push(progress));
    hub.call(request).await.unwrap();
    let received = std::mem::take(&mut *received.lock().unwrap());
    assert_eq!(received.len(), 500);
    for (index, progress) in received.iter().enumerate() {
        assert_eq!(progress.message.as_deref(), Some(&*format!("tick {}", index + 1)));
    }
}

#[tokio::test]
async fn timed_out_call_is_cancelled_at_the_server() {
    let hub = hub(limited_to(Duration::from_millis(200)), |builder| builder).await;
    let started = Instant::now();
    let error = hub.call(call("wait", json!({}))).await.unwrap_err();
    assert!(matches!(&error, CallError::TimedOut { limit: TimeLimit::Timeout(_), .. }), "{error}");
    assert!(started.elapsed() >= Duration::from_millis(200));
    limited(&hub, LIMIT);
    let cancelled = received(&hub).await["cancelled"].clone();
    assert_eq!(cancelled.as_array().unwrap().len(), 1);
    assert_eq!(cancelled[0]["reason"], "the time is over");
}

#[tokio::test]
async fn progress_extends_the_time_limit_up_to_a_maximum() {
    let time = Duration::from_secs(2);
    let started = Instant::now();
    let hub = hub(limited_to(time), |builder| builder).await;
    let outcome = hub.call(call("tick", json!({"times": 25, "every": 100}))).await.unwrap();
    assert_eq!((text(&outcome), started.elapsed() > time), ("done", true));
    hub.close().await;
    // The maximum duration equals the timeout, so a single progress distinguishes the two limits.
    let longest = CallLimits { longest: time, ..CallLimits::default() };
    let hub = crate::server::hub(limited_to(time), |builder| builder.limits(longest)).await;
    let started = Instant::now();
    let endless = hub.call(call("tick", json!({"times": 100_000, "every": 50})));
    let error = timeout(LIMIT, endless).await.unwrap().unwrap_err();
    assert!(matches!(&error, CallError::TimedOut { limit: TimeLimit::Longest(_), .. }), "{error}");
    assert!(started.elapsed() >= time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn constant_progress_does_not_delay_the_timeout() {
    let time = Duration::from_secs(1);
    let longest = CallLimits { longest: time, ..CallLimits::default() };
    let hub = hub(limited_to(time), |builder| builder.limits(longest)).await;
    // Handling a notification takes longer than the server takes to send the next one.
    let request = call("tick", json!({"times": 1_000_000, "every": 0}))
        .on_progress(|_| std::thread::park_timeout(Duration::from_micros(200)));
    let error = timeout(LIMIT, hub.call(request)).await.unwrap().unwrap_err();
    assert!(matches!(&error, CallError::TimedOut { limit: TimeLimit::Longest(_), .. }), "{error}");
}

#[tokio::test]
async fn dropped_call_is_cancelled() {
    let hub = hub(config(), |builder| builder).await;
    for number in 1..=3 {
        tokio::select! {
            biased;
            outcome = hub.call(call("wait", json!({}))) => panic!("{outcome:?}"),
            // The call has been sent when the next one is answered.
            _ = received(&hub) => {}
        }
        let cancelled = received(&hub).await["cancelled"].clone();
        assert_eq!(cancelled.as_array().unwrap().len(), number, "{cancelled}");
    }
    // An answered call is not cancelled, and a dropped call leaves no state.
    hub.call(call("echo", json!({"text": ""}))).await.unwrap();
    assert_eq!(received(&hub).await["cancelled"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn very_long_limits_are_accepted() {
    let longest = CallLimits { longest: Duration::MAX, ..CallLimits::default() };
    let hub = hub(limited_to(Duration::MAX), |builder| builder.limits(longest)).await;
    hub.call(call("tick", json!({"times": 1, "every": 1}))).await.unwrap();
}

#[tokio::test]
async fn changed_time_limit_applies_to_calls_in_flight() {
    let hub = hub(limited_to(Duration::from_secs(3600)), |builder| builder).await;
    let calling = tokio::spawn({
        let hub = hub.clone();
        async move { hub.call(call("wait", json!({}))).await }
    });
    // The call has been sent when the next one is answered.
    hub.call(call("echo", json!({"text": ""}))).await.unwrap();
    limited(&hub, Duration::from_millis(1));
    let error = timeout(LIMIT, calling).await.unwrap().unwrap().unwrap_err();
    assert_eq!(error.code(), "timed_out", "{error}");
}

#[tokio::test]
async fn death_of_a_server_fails_its_call_at_once() {
    let hub = hub(config(), |builder| builder).await;
    let calls = (0..10).map(|_| hub.call(call("wait", json!({}))));
    let waiting = futures_util::future::join_all(calls);
    let dying = hub.call(call("die", json!({})));
    let (waiting, dying) = timeout(LIMIT, async { tokio::join!(waiting, dying) }).await.unwrap();
    for outcome in waiting.into_iter().chain([dying]) {
        let error = outcome.unwrap_err();
        assert_eq!(error.code(), "connection_lost", "{error}");
        assert!(error.was_sent());
        assert!(error.to_string().contains("may have executed it: exited with code 3"), "{error}");
    }
}

#[tokio::test]
async fn lost_call_names_the_restart_of_its_server() {
    let hub = hub(config(), |builder| builder).await;
    let calling = tokio::spawn({
        let hub = hub.clone();
        async move { hub.call(call("wait", json!({}))).await }
    });
    // The call has been sent when the next one is answered.
    hub.call(call("echo", json!({"text": ""}))).await.unwrap();
    hub.restart("test").await.unwrap();
    let error = timeout(LIMIT, calling).await.unwrap().unwrap().unwrap_err();
    assert!(error.to_string().contains("may have executed it: it was restarted"), "{error}");
}
