//! Calls, their progress, metadata, cancellation and errors; prompts and completions.

use agentwire_hub::{Approval, Audit, CallDecision, CallEnd, Gateway, Hub, Use, config::Sources};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _,
    model::{
        CallToolRequest, ClientCapabilities, ClientConfig, ClientRequest, CompleteRequestParams,
        GetPromptRequestParams, Implementation, ReadResourceRequestParams,
    },
    service::{PeerRequestOptions, ServiceError},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Received, connected, hub, hub_of, lacking, one, text};
use crate::{
    asking::params,
    server::{LIMIT, REFUSAL, config},
    tasks::Raw,
};

#[tokio::test]
async fn arguments_of_prompts_are_completed() {
    let connected = one().await;
    let params = json!({"ref": {"type": "ref/prompt", "name": "test__greet-all"}, "argument": {"name": "n", "value": "v"}});
    let params: CompleteRequestParams = serde_json::from_value(params).unwrap();
    assert_eq!(connected.client.complete(params).await.unwrap().completion.values, ["v"]);
}

#[tokio::test]
async fn argument_of_a_server_without_completions_has_no_completions() {
    let connected = connected(hub_of(&["test"], &lacking("NO_COMPLETIONS")), |gateway| gateway).await;
    let params = json!({"ref": {"type": "ref/prompt", "name": "test__greet-all"}, "argument": {"name": "n", "value": "v"}});
    let params: CompleteRequestParams = serde_json::from_value(params).unwrap();
    assert!(connected.client.complete(params).await.unwrap().completion.values.is_empty());
}

#[tokio::test]
async fn refusal_is_reported_to_the_model() {
    let ask = Approval::asked(async |call| {
        assert_eq!(&*call.caller, "rmcp");
        CallDecision::Deny { reason: Some("not today".to_owned()) }
    });
    let mut strict = config();
    strict.always_allow = ["received"].into_iter().collect();
    strict.disabled_tools = ["die"].into_iter().collect();
    let (audit, mut records) = Audit::new(100);
    let hub =
        Hub::builder().sources(Sources::new().server("test", strict)).approval(ask).audit(audit).build();
    let connected = connected(hub, |gateway| gateway).await;
    assert!(!connected.tools().await.contains(&"test__die".to_owned()));
    let denied = connected.call("test__echo", json!({"text": "hello"})).await;
    assert_eq!(denied.is_error, Some(true));
    assert!(text(&denied).contains("not today"), "{}", text(&denied));
    let bad = connected.call("test__echo", json!({"text": 1})).await;
    assert!(bad.is_error == Some(true) && text(&bad).contains("text"), "{bad:?}");
    assert_eq!(connected.call("test__received", json!({})).await.is_error, Some(false));
    while records.try_recv().is_some() {}
    let error = connected.client.call_tool(params("test__nothing", json!({}))).await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert!(error.message.contains("`test__") && !error.message.contains("die"), "{error}");
    let disabled = connected.call("test__die", json!({})).await;
    assert!(disabled.is_error == Some(true) && text(&disabled).contains("disabled"), "{disabled:?}");
    for code in ["unknown", "tool_disabled"] {
        assert_eq!(records.try_recv().unwrap().outcome, CallEnd::Failed(code));
    }
}

#[tokio::test]
async fn error_of_a_server_is_forwarded() {
    let connected = one().await;
    let error = connected.client.call_tool(params("test__refuse", json!({}))).await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert_eq!((error.code.0, &*error.message), (-32601, REFUSAL));
    assert!(error.data.unwrap()["id"].is_number());
}

#[tokio::test]
async fn unknown_prompt_and_resource_are_recorded() {
    let sources = Sources::new().server("one", config()).server("two", config());
    let (audit, mut records) = Audit::new(10);
    let connected = connected(Hub::builder().sources(sources).audit(audit).build(), |gateway| gateway).await;
    let prompt = GetPromptRequestParams::new("one__nothing");
    connected.client.get_prompt(prompt).await.unwrap_err();
    let resource = ReadResourceRequestParams::new("test://nothing");
    connected.client.read_resource(resource).await.unwrap_err();
    for (what, name) in [(Use::Prompt, "one__nothing"), (Use::Resource, "test://nothing")] {
        let record = records.try_recv().unwrap();
        assert_eq!((record.what, &*record.name, record.outcome), (what, name, CallEnd::Failed("unknown")));
    }
}

#[tokio::test]
async fn long_name_of_a_client_is_cut_in_records() {
    let (audit, mut records) = Audit::new(1);
    let hub = Hub::builder().audit(audit).build();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let _server = tokio::spawn(Gateway::new(&hub).serve(ours));
    let name = Implementation::new("x".repeat(100_000), "1");
    let client = ClientConfig::new(ClientCapabilities::default(), name)
        .serve_with_lifecycle(theirs, ClientLifecycleMode::Initialize)
        .await
        .unwrap();
    client.call_tool(params("unknown", json!({}))).await.unwrap_err();
    assert_eq!(records.recv().await.unwrap().caller.len(), 1024);
}

#[tokio::test]
async fn progress_is_forwarded_in_order_and_before_the_result() {
    let hub = hub(&["test"]);
    // A client of rmcp handles each notification in a task of its own, which loses the order.
    let (mut client, _) = Raw::connect(&hub).await;
    client.tick(20, 1).await;
    let (steps, _) = client.ticked().await;
    assert_eq!(steps, (1..=20).map(f64::from).collect::<Vec<_>>());
}

#[tokio::test]
async fn last_of_fast_progress_is_forwarded() {
    let mut connected = one().await;
    connected.client.call_tool(params("test__tick", json!({"times": 200, "every": 0}))).await.unwrap();
    while !matches!(connected.next_event().await, Received::Progress(step) if step == 200.0) {}
}

#[tokio::test]
async fn metadata_of_a_request_reaches_the_server_without_that_of_the_connection() {
    let hub = hub(&["test"]);
    let (mut client, _) = Raw::connect(&hub).await;
    let meta = json!({"x.y/z": 1, "progressToken": "mine", "io.modelcontextprotocol/logLevel": "debug"});
    let params = json!({"name": "test__read-file", "arguments": {"path": "a"}, "_meta": meta});
    let answer = client.request("tools/call", params).await;
    let received: Value =
        serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(received["_meta"]["x.y/z"], 1);
    assert_ne!(received["_meta"]["progressToken"], "mine");
    assert_eq!(received["_meta"].as_object().unwrap().len(), 2, "{received}");
}

#[tokio::test]
async fn metadata_of_a_completion_reaches_the_server() {
    let hub = hub(&["test"]);
    let (mut client, _) = Raw::connect(&hub).await;
    let argument = json!({"name": "n", "value": "v"});
    let prompt = json!({"type": "ref/prompt", "name": "test__greet-all"});
    let meta = json!({"x.y/z": "of the client", "progressToken": "mine"});
    let params = json!({"ref": prompt, "argument": argument, "_meta": meta});
    let answer = client.request("completion/complete", params).await;
    assert_eq!(answer["result"]["completion"]["values"], json!(["v", "of the client"]), "{answer}");
}

#[tokio::test]
async fn unfit_parameters_are_distinguished_from_an_unknown_method() {
    let hub = hub(&["test"]);
    let (mut client, _) = Raw::connect(&hub).await;
    for (method, params, code) in [
        ("tools/call", json!({"name": "test__echo", "arguments": []}), -32602),
        ("resources/read", json!({}), -32602),
        ("completion/complete", json!({"ref": {"type": "ref/other"}, "argument": {}}), -32602),
        ("resources/unsubscribe", json!({}), -32602),
        // This gateway passes no logs on.
        ("logging/setLevel", json!({"level": "warn"}), -32601),
        // Only versions without a handshake have it.
        ("subscriptions/listen", json!({}), -32601),
        ("tools/other", json!({}), -32601),
    ] {
        let answer = client.request(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
}

#[tokio::test]
async fn cancelled_call_is_cancelled_at_the_server() {
    let mut connected = one().await;
    let request = CallToolRequest::new(params("test__tick", json!({"times": 10_000, "every": 20})));
    let handle = connected
        .client
        .send_request_with_option(ClientRequest::CallToolRequest(request), PeerRequestOptions::no_options())
        .await
        .unwrap();
    // The call has reached the server.
    assert_eq!(connected.next_event().await, Received::Progress(1.0));
    handle.cancel(Some("no more".to_owned())).await.unwrap();
    let cancelled = async {
        loop {
            let received: Value =
                serde_json::from_str(text(&connected.call("test__received", json!({})).await)).unwrap();
            if received["cancelled"].as_array().is_some_and(|cancelled| !cancelled.is_empty()) {
                return;
            }
        }
    };
    timeout(LIMIT, cancelled).await.unwrap();
}
