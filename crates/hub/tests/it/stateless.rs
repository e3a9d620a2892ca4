//! Clients of the gateway that speak a version without a handshake.

use agentwire_hub::Gateway;
use rmcp::{
    ClientLifecycleMode,
    model::{CallToolResponse, ProtocolVersion, ServerNotification, SubscriptionFilter},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    asking::{Connected, asking, can_all, connected_as, form, params},
    server::LIMIT,
};

async fn stateless(gateway: Gateway, capabilities: Value) -> Connected {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    connected_as(ClientLifecycleMode::Discover { preferred_versions }, gateway, capabilities, true).await
}

#[tokio::test]
async fn a_client_without_a_handshake_is_asked_by_the_answer_to_its_call() {
    let hub = asking().await;
    let gateway = Gateway::new(&hub);
    let mut connected = stateless(gateway.clone(), can_all()).await;
    assert_eq!(connected.client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2026_07_28);
    assert!(connected.client.list_all_tools().await.unwrap().iter().any(|tool| tool.name == "test__ask"));
    let result = connected.client.call_tool(params("test__ask", form())).await.unwrap();
    let answer: Value = serde_json::from_str(&result.content[0].as_text().unwrap().text).unwrap();
    assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ada"}}));
    assert_eq!(connected.heard().await, "test: who?");
    let message = json!({"role": "user", "content": {"type": "text", "text": "hi"}});
    let sample =
        json!({"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": [message]}});
    let result = connected.client.call_tool(params("test__ask", sample)).await.unwrap();
    assert!(result.content[0].as_text().unwrap().text.contains("hello"), "{result:?}");
    // A client that can't answer is not asked.
    let silent = stateless(gateway, json!({})).await;
    let result = silent.client.call_tool(params("test__ask", form())).await.unwrap();
    assert!(result.content[0].as_text().unwrap().text.contains("decline"), "{result:?}");
    hub.close().await;
}

#[tokio::test]
async fn input_counts_only_for_the_call_that_waits_for_it() {
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
    again("test__heard", &state, json!({})).await.unwrap_err();
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
    assert!(result.content[0].as_text().unwrap().text.contains("decline"), "{result:?}");
    hub.close().await;
}

#[tokio::test]
async fn a_client_without_a_handshake_listens_to_changes_of_lists() {
    let hub = asking().await;
    let connected = stateless(Gateway::new(&hub), json!({})).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut changes = connected.client.listen(filter).await.unwrap();
    assert_eq!(changes.acknowledged().tools_list_changed, Some(true));
    let more = json!({"name": "more", "inputSchema": {"type": "object"}});
    let notify = json!({"method": "notifications/tools/list_changed", "params": {}, "add": more});
    connected.client.call_tool(params("test__notify", notify)).await.unwrap();
    let change = timeout(LIMIT, changes.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(change, ServerNotification::ToolListChangedNotification(_)), "{change:?}");
    hub.close().await;
}
