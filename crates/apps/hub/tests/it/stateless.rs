//! Clients of the gateway that speak a version without a handshake.
#![expect(deprecated, reason = "roots are deprecated in MCP, and clients still list them")]

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use agentwire_hub::{
    CallError, CallLimits, CallRequest, ClientHandlers, Gateway, Hub, TimeLimit, config::Sources,
};
use futures_util::FutureExt as _;
use rmcp::{
    ClientLifecycleMode, ServerHandler as _, ServiceError,
    model::{
        CallToolResponse, ElicitResult, ElicitationAction, ErrorCode, GetPromptRequestParams,
        ProtocolVersion, ReadResourceRequestParams, ResultType, Root, ServerNotification, SubscriptionFilter,
    },
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    asking::{Connected, asking, can_all, connected_as, form, params},
    call,
    gateway::text,
    server::{self, LIMIT},
};

pub(crate) async fn stateless(gateway: Gateway, capabilities: Value) -> Connected {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    connected_as(ClientLifecycleMode::Discover { preferred_versions }, gateway, capabilities, true).await
}

#[tokio::test]
async fn client_without_a_handshake_gets_questions_as_responses() {
    let hub = asking().await;
    let gateway = Gateway::new(&hub);
    let mut connected = stateless(gateway.clone(), can_all()).await;
    assert_eq!(connected.client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2026_07_28);
    assert!(connected.client.list_all_tools().await.unwrap().iter().any(|tool| tool.name == "test__ask"));
    let answer = connected.asks(form()).await;
    assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ada"}}));
    assert_eq!(connected.next_message().await, "test: who?");
    let message = json!({"role": "user", "content": {"type": "text", "text": "hi"}});
    let sample =
        json!({"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": [message]}});
    let answer = connected.asks(sample).await;
    assert!(answer.to_string().contains("hello"), "{answer}");
    // A client that can't answer is not asked.
    let silent = stateless(gateway, json!({})).await;
    assert_eq!(silent.asks(form()).await["result"]["action"], "decline");
}

#[tokio::test]
async fn roots_of_a_client_without_a_handshake_are_requested_in_its_call() {
    let hub = asking().await;
    let connected = stateless(Gateway::new(&hub), json!({"roots": {}})).await;
    connected.client.service().roots.lock().unwrap().push(Root::new("file:///a"));
    let answer = connected.asks(json!({"method": "roots/list"})).await;
    assert_eq!(answer["result"]["roots"], json!([{"uri": "file:///a"}]), "{answer}");
}

#[tokio::test]
async fn log_messages_are_not_declared_to_a_client_without_a_handshake() {
    let hub = asking().await;
    let connected = stateless(Gateway::new(&hub).pass_logs(), json!({})).await;
    let capabilities = connected.client.peer_info().unwrap().capabilities.clone();
    assert!(capabilities.tools.is_some() && capabilities.logging.is_none(), "{capabilities:?}");
}

#[tokio::test]
async fn server_that_declares_no_logging_is_asked_for_log_messages() {
    let hub = server::hub(server::stateless(), |builder| builder).await;
    let outcome = hub.call(call::call("read-file", json!({"path": "a"}))).await.unwrap();
    let received: Value = serde_json::from_str(call::text(&outcome)).unwrap();
    assert_eq!(received["_meta"]["io.modelcontextprotocol/logLevel"], "info", "{received}");
}

#[tokio::test]
async fn input_is_accepted_only_for_its_call() {
    let hub = asking().await;
    let connected = stateless(Gateway::new(&hub), can_all()).await;
    let asks = || async {
        match connected.client.call_tool_once(params("test__ask", form())).await.unwrap() {
            CallToolResponse::InputRequired(required) => required,
            other => panic!("{other:?}"),
        }
    };
    let required = asks().await;
    let (state, key) = (required.request_state.unwrap(), required.input_requests.unwrap());
    let key = key.keys().next().unwrap().clone();
    let again = |tool, state: &str, answers: Value| {
        let mut again = params(tool, form());
        again.request_state = Some(state.to_owned());
        again.input_responses = serde_json::from_value(answers).unwrap();
        connected.client.call_tool_once(again)
    };
    again("test__ask", "1-made-up", json!({})).await.unwrap_err();
    again("test__received", &state, json!({})).await.unwrap_err();
    // An answer to something else leaves the question open, under another state.
    let CallToolResponse::InputRequired(still) = again("test__ask", &state, json!({"x": 1})).await.unwrap()
    else {
        panic!()
    };
    again("test__ask", &state, json!({})).await.unwrap_err();
    let state = still.request_state.unwrap();
    let answers = json!({key: {"action": "decline"}});
    let CallToolResponse::Complete(result) = again("test__ask", &state, answers).await.unwrap() else {
        panic!()
    };
    assert!(text(&result).contains("decline"), "{result:?}");
}

#[tokio::test]
async fn client_without_a_handshake_receives_list_changes() {
    let hub = asking().await;
    let connected = stateless(Gateway::new(&hub), json!({})).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut changes = connected.client.listen(filter).await.unwrap();
    assert_eq!(changes.acknowledged().tools_list_changed, Some(true));
    let more = json!({"name": "more", "inputSchema": {"type": "object"}});
    let notify = json!({"method": "notifications/tools/list_changed", "params": {}, "add": more});
    connected.call("test__notify", notify).await;
    let change = timeout(LIMIT, changes.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(change, ServerNotification::ToolListChangedNotification(_)), "{change:?}");
}

/// Returns a hub with a server without a handshake.
async fn both() -> Hub {
    server::hub(server::stateless(), |builder| builder.handlers(ClientHandlers::new().ask_callers())).await
}

fn question() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let params = json!({"message": "who?", "requestedSchema": schema});
    let requests = json!({"user_name": {"method": "elicitation/create", "params": params}});
    json!({"resultType": "input_required", "inputRequests": requests})
}

#[tokio::test]
async fn question_keeps_the_key_of_its_server() {
    let hub = both().await;
    let connected = stateless(Gateway::new(&hub), can_all()).await;
    let first = connected.client.call_tool_once(params("test__give", question())).await.unwrap();
    let CallToolResponse::InputRequired(required) = first else { panic!("{first:?}") };
    assert_eq!(required.input_requests.unwrap().keys().collect::<Vec<_>>(), ["user_name"]);
}

#[tokio::test]
async fn early_answer_is_used_without_a_question() {
    let hub = both().await;
    let connected = stateless(Gateway::new(&hub), can_all()).await;
    let with = async |answers: Value| {
        let mut call = params("test__give", question());
        call.input_responses = serde_json::from_value(answers).unwrap();
        connected.client.call_tool_once(call).await.unwrap()
    };
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let response = with(json!({"user_name": answer, "other": {"action": "decline"}})).await;
    let CallToolResponse::Complete(result) = response else { panic!("{response:?}") };
    assert_eq!(serde_json::from_str::<Value>(text(&result)).unwrap(), json!({"user_name": answer}));
    for wrong in [json!({"user_name": 5}), json!({"other": answer}), json!({})] {
        let response = with(wrong).await;
        assert!(matches!(response, CallToolResponse::InputRequired(_)), "{response:?}");
    }
}

#[tokio::test]
async fn question_of_a_tool_that_has_left_the_list_can_be_answered() {
    let hub = both().await;
    let connected = stateless(Gateway::new(&hub), can_all()).await;
    let first = connected.client.call_tool_once(params("test__give", question())).await.unwrap();
    let CallToolResponse::InputRequired(required) = first else { panic!("{first:?}") };
    let mut config = server::stateless();
    config.disabled_tools = ["give"].into_iter().collect();
    hub.apply(Sources::new().server("test", config).read());
    let answer = json!({"user_name": {"action": "accept", "content": {"name": "Ada"}}});
    let mut again = params("test__give", question());
    again.request_state = required.request_state;
    again.input_responses = serde_json::from_value(answer.clone()).unwrap();
    let response = connected.client.call_tool_once(again).await.unwrap();
    let CallToolResponse::Complete(result) = response else { panic!("{response:?}") };
    assert_eq!(serde_json::from_str::<Value>(text(&result)).unwrap(), answer);
}

/// Returns a hub with these time limits, and with a handler that answers questions after some time.
async fn answering(timeout: Duration, longest: Duration, after: Duration) -> Hub {
    let mut config = server::stateless();
    config.timeout = timeout;
    let handlers = ClientHandlers::new().elicitation(move |_| async move {
        tokio::time::sleep(after).await;
        ElicitResult::new(ElicitationAction::Decline)
    });
    let limits = CallLimits { longest, ..CallLimits::default() };
    server::hub(config, |builder| builder.handlers(handlers).limits(limits)).await
}

#[tokio::test]
async fn longer_timeout_of_a_server_applies_to_its_questions() {
    let hub = answering(LIMIT, Duration::from_millis(100), Duration::from_millis(300)).await;
    let outcome = hub.call(call::call("give", question())).await.unwrap();
    assert!(call::text(&outcome).contains("decline"), "{outcome:?}");
}

#[tokio::test]
async fn time_limit_of_a_call_includes_its_questions() {
    let longest = Duration::from_millis(3500);
    let hub = answering(Duration::from_secs(3), longest, Duration::from_millis(800)).await;
    let mut silent = question();
    silent["requestState"] = json!("silent");
    let error = hub.call(call::call("give", silent)).await.unwrap_err();
    let CallError::TimedOut { after, limit, .. } = error else { panic!("{error}") };
    assert_eq!(limit, TimeLimit::Longest(longest));
    assert!(after >= longest, "{after:?}");
}

#[tokio::test]
async fn call_may_have_been_executed_if_a_later_round_is_not_sent() {
    let slot = Arc::new(OnceLock::<Hub>::new());
    let filled = Arc::clone(&slot);
    let handlers = ClientHandlers::new().elicitation(move |_| {
        let hub = filled.get().unwrap().clone();
        async move {
            assert!(hub.call(call::call("give", json!({"stopReading": true}))).now_or_never().is_none());
            // One of the calls fills the whole queue, so the other one is refused.
            let [one, other] = [hub.clone(), hub].map(|hub| {
                let large = call::call("give", json!({"text": "x".repeat(65 << 20)}));
                tokio::spawn(async move { hub.call(large).await })
            });
            let refused = tokio::select! {
                refused = one => refused,
                refused = other => refused,
            };
            assert_eq!(refused.unwrap().unwrap_err().code(), "not_sent");
            ElicitResult::new(ElicitationAction::Decline)
        }
    });
    let hub = server::hub(server::stateless(), |builder| builder.handlers(handlers)).await;
    slot.set(hub.clone()).unwrap();
    let error = hub.call(call::call("give", question())).await.unwrap_err();
    assert!(error.was_sent() && error.to_string().contains("takes no input"), "{error}");
    hub.close().await;
}

#[tokio::test]
async fn server_without_a_handshake_gets_the_capabilities_of_the_caller() {
    let hub = both().await;
    let gateway = Gateway::new(&hub);
    for (capabilities, form, sampling) in [
        (can_all(), true, true),
        (json!({"sampling": {}}), false, true),
        (json!({"elicitation": {}}), true, false),
        (json!({}), false, false),
    ] {
        let connected = stateless(gateway.clone(), capabilities).await;
        let received = connected.call("test__read-file", json!({"path": "a"})).await;
        let received: Value = serde_json::from_str(&received).unwrap();
        let can = &received["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(can["elicitation"]["form"].is_object(), form, "{can}");
        assert_eq!(can["sampling"].is_object(), sampling, "{can}");
    }
    // This refusal is an error for the client, not a result for the model.
    let connected = stateless(gateway, json!({})).await;
    let refused = connected.client.call_tool(params("test__refuse", json!({}))).await.unwrap_err();
    let ServiceError::McpError(error) = refused else { panic!("{refused}") };
    assert_eq!(error.code, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY);
    assert_eq!(error.data.unwrap(), json!({"requiredCapabilities": {"sampling": {}}}));
}

#[tokio::test]
async fn results_of_older_servers_are_complete_for_newer_clients() {
    let hub =
        server::hub(server::config(), |builder| builder.approval(agentwire_hub::Approval::allowed())).await;
    let connected = stateless(Gateway::new(&hub), json!({})).await;
    let prompt = connected.client.get_prompt(GetPromptRequestParams::new("test__greet-all")).await.unwrap();
    let read = connected.client.read_resource(ReadResourceRequestParams::new("test://a")).await.unwrap();
    let complete = Some(ResultType::COMPLETE);
    assert_eq!((prompt.result_type, read.result_type), (complete.clone(), complete));
}

#[tokio::test]
async fn transports_can_find_a_tool() {
    let hub = asking().await;
    let gateway = Gateway::new(&hub);
    let tool = gateway.get_tool("test__echo").unwrap();
    assert!(tool.name == "test__echo" && tool.input_schema.contains_key("properties"));
    assert!(gateway.get_tool("echo").is_none());
}

#[tokio::test]
async fn slow_subscription_delays_no_notification_of_another_server() {
    let sources = Sources::new().server("one", server::config()).server("two", server::config());
    let hub = Hub::builder().sources(sources).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    let slow = json!({"method": "notifications/x", "params": {}, "delays": {"resources/subscribe": 60_000}});
    hub.call(CallRequest::new("one", "notify").arguments(slow)).await.unwrap();
    let connected = stateless(Gateway::new(&hub), json!({})).await;
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = Some(true);
    filter.resource_subscriptions = Some(vec!["mcp-hub:one/test://a".to_owned()]);
    let mut changes = connected.client.listen(filter).await.unwrap();
    let more = json!({"name": "more", "inputSchema": {"type": "object"}});
    let changed = json!({"method": "notifications/tools/list_changed", "params": {}, "add": more});
    hub.call(CallRequest::new("two", "notify").arguments(changed)).await.unwrap();
    let change = timeout(LIMIT, changes.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(change, ServerNotification::ToolListChangedNotification(_)), "{change:?}");
}

#[tokio::test]
async fn update_before_the_answer_to_its_subscription_is_reported() {
    let hub = Hub::builder().sources(Sources::new().server("one", server::config())).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    let notify = |method: &str, params: Value, delays: Value| {
        let arguments = json!({"method": method, "params": params, "delays": delays});
        hub.call(CallRequest::new("one", "notify").arguments(arguments))
    };
    notify("notifications/x", json!({}), json!({"resources/subscribe": 1500})).await.unwrap();
    let connected = stateless(Gateway::new(&hub), json!({})).await;
    let mut filter = SubscriptionFilter::default();
    filter.resource_subscriptions = Some(vec!["test://a".to_owned()]);
    let mut changes = connected.client.listen(filter).await.unwrap();
    notify("notifications/resources/updated", json!({"uri": "test://a"}), json!({})).await.unwrap();
    let change = timeout(LIMIT, changes.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(change, ServerNotification::ResourceUpdatedNotification(_)), "{change:?}");
}
