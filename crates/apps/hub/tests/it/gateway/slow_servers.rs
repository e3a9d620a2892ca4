//! Servers that start slowly, hang or fail, and those beside them.

use std::{
    future::pending,
    time::{Duration, Instant},
};

use agentwire_hub::{Gateway, Hub, KeepAlive, ServerState, config::Sources};
use rmcp::{ServiceExt as _, model::GetPromptRequestParams};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{NEVER, PATIENCE, Received, connected, hub, hub_of, lacking, shell, until_listed};
use crate::{
    asking::params,
    project::{is_connected, until},
    server::{LIMIT, config, started},
};

#[tokio::test]
async fn first_list_of_a_client_causes_no_reading_after_a_slow_start() {
    let mut config = config();
    config.launch = started("sleep 2").into();
    let hub = hub_of(&["test"], &config);
    assert!(hub.wait_until_ready(LIMIT).await);
    let start = Instant::now();
    let connected = connected(hub, |gateway| gateway).await;
    connected.tools().await;
    // A reading would start now.
    assert!(timeout(PATIENCE / 4, pending::<()>()).await.is_err());
    let listings = connected.listings().await;
    assert!(listings <= start.elapsed().as_secs() + 1, "{listings} in {:?}", start.elapsed());
}

#[tokio::test]
async fn slow_list_of_a_server_that_reports_its_changes_delays_only_an_unknown_name() {
    let mut connected = connected(hub(&["test"]), |gateway| gateway.patience(PATIENCE)).await;
    // For each of two pages.
    let delays = json!({"tools/list": 1500});
    connected.call("test__notify", json!({"times": 0, "delays": delays})).await;
    // A list of this age is read again.
    assert!(timeout(PATIENCE, pending::<()>()).await.is_err());
    connected.lists_at_once().await;
    let tool = json!({"name": "new", "inputSchema": {"type": "object"}});
    let added = json!({"method": "notifications/tools/list_changed", "delays": delays, "add": tool});
    connected.call("test__notify", added).await;
    assert_eq!(connected.next_event().await, Received::Tools);
    assert!(connected.tools().await.contains(&"test__new".to_owned()));
    connected.lists_at_once().await;
    for (least, most) in [(PATIENCE, PATIENCE * 3 / 2), (Duration::ZERO, PATIENCE / 2)] {
        let start = Instant::now();
        connected.client.call_tool(params("test__nothing", json!({}))).await.unwrap_err();
        let waited = start.elapsed();
        assert!(waited >= least && waited < most, "{waited:?}");
    }
    // No reading was cancelled.
    let troubles = connected.hub.troubles("test").unwrap();
    assert!(troubles.iter().all(|trouble| !trouble.what.contains("did not come")), "{troubles:?}");
}

#[tokio::test]
async fn server_that_does_not_answer_lists_in_time_delays_one_request() {
    for (delay, limit) in [(NEVER, LIMIT), (NEVER, PATIENCE / 2), (3000, LIMIT)] {
        let mut config = lacking("NO_LIST_CHANGES");
        config.timeout = limit;
        let hub = hub_of(&["test"], &config);
        assert!(hub.wait_until_ready(LIMIT).await);
        let connected = connected(hub, |gateway| gateway.patience(PATIENCE)).await;
        let add = async |name, delays: Value| {
            let tool = json!({"name": name, "inputSchema": {"type": "object"}});
            connected.call("test__notify", json!({"times": 0, "add": tool, "delays": delays})).await;
        };
        add("give-1", json!({"tools/list": delay})).await;
        let start = Instant::now();
        connected.tools().await;
        let waited = start.elapsed();
        assert!(waited >= PATIENCE.min(limit) && waited < PATIENCE * 3 / 2, "{waited:?}");
        connected.lists_at_once().await;
        let start = Instant::now();
        connected.client.call_tool(params("test__nothing", json!({}))).await.unwrap_err();
        assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
        // Requests wait again once the server is fast again.
        add("give-2", json!({})).await;
        until_listed(&connected, "test__give-2").await;
        add("give-3", json!({})).await;
        assert!(connected.tools().await.contains(&"test__give-3".to_owned()));
    }
}

#[tokio::test]
async fn reported_changes_and_the_reading_of_another_list_do_not_delay_each_other() {
    let mut connected = connected(hub(&["test"]), |gateway| gateway.patience(PATIENCE)).await;
    let delays = json!({"resources/list": 1000});
    let resource = json!({"name": "new", "uri": "test://new"});
    connected.call("test__notify", json!({"times": 0, "addResource": resource, "delays": delays})).await;
    let client = connected.client.peer().clone();
    let listing = tokio::spawn(async move { client.list_all_resources().await });
    for number in 0..6 {
        assert!(timeout(PATIENCE / 8, pending::<()>()).await.is_err());
        let name = format!("give-{number}");
        let added = json!({"method": "notifications/tools/list_changed", "params": {}, "delays": delays,
            "add": {"name": name, "inputSchema": {"type": "object"}}});
        connected.call("test__notify", added).await;
        let reported = async { while connected.events.recv().await != Some(Received::Tools) {} };
        timeout(PATIENCE / 4, reported).await.unwrap();
        assert!(number > 0 || !listing.is_finished());
    }
    let listed = listing.await.unwrap().unwrap();
    assert!(listed.iter().any(|resource| resource.uri == "test://new"), "{listed:?}");
}

#[tokio::test]
async fn server_that_hangs_is_noticed_while_clients_request_its_lists() {
    let often = KeepAlive { idle: PATIENCE / 10, limit: PATIENCE / 2 };
    let sources = Sources::new().server("test", lacking("NO_LIST_CHANGES"));
    let hub = Hub::builder().sources(sources).keep_alive(often).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    let connected = connected(hub, |gateway| gateway.patience(PATIENCE)).await;
    // Until a ping was answered.
    assert!(timeout(PATIENCE, pending::<()>()).await.is_err());
    let hangs = json!({"ping": NEVER, "tools/list": NEVER});
    connected.call("test__notify", json!({"times": 0, "delays": hangs})).await;
    let noticed = async {
        while connected.hub.troubles("test").unwrap().iter().all(|trouble| !trouble.what.contains("ping")) {
            connected.tools().await;
        }
    };
    timeout(LIMIT / 2, noticed).await.unwrap();
}

#[tokio::test]
async fn list_that_a_server_does_not_answer_delays_none_of_its_other_lists() {
    let connected = connected(hub(&["test"]), |gateway| gateway.patience(PATIENCE)).await;
    let added = json!({"times": 0, "addPrompt": {"name": "new"}, "delays": {"resources/list": NEVER}});
    connected.call("test__notify", added).await;
    connected.client.list_all_resources().await.unwrap();
    let start = Instant::now();
    connected.client.list_all_resources().await.unwrap();
    let prompts = connected.client.list_all_prompts().await.unwrap();
    assert!(prompts.iter().any(|prompt| prompt.name == "test__new"), "{prompts:?}");
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
}

#[tokio::test]
async fn server_that_cannot_start_delays_no_other() {
    let sources = Sources::new().server("test", config()).server("broken", shell("sleep 1000"));
    let hub = Hub::builder().sources(sources).build();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let gateway = Gateway::new(&hub).patience(Duration::from_secs(1));
    let listed = async {
        let (server, client) = tokio::join!(gateway.serve(ours), ().serve(theirs));
        let (_server, client) = (server.unwrap(), client.unwrap());
        // On a busy machine the other server may need longer than the patience.
        while !client.list_all_tools().await.unwrap().iter().any(|tool| tool.name == "test__echo") {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, listed).await.unwrap();
}

#[tokio::test]
async fn server_that_hangs_delays_only_the_first_requests_of_a_client() {
    let sources = Sources::new().server("test", config()).server("hangs", shell("sleep 1000"));
    let hub = Hub::builder().sources(sources).build();
    until(&hub, || is_connected(&hub, "test")).await;
    let connected = connected(hub, |gateway| gateway.patience(PATIENCE)).await;
    connected.tools().await;
    connected.lists_at_once().await;
}

#[tokio::test]
async fn unknown_name_of_a_server_that_is_not_connected_is_reported_with_its_state() {
    let mut disabled = config();
    disabled.disabled = true;
    let sources = Sources::new()
        .server("test", config())
        .server("hangs", shell("sleep 1000"))
        .server("my failed", shell("exit 3"))
        .server("off", disabled);
    let hub = Hub::builder().sources(sources).build();
    let is_failed = || matches!(hub.server("my failed").unwrap().state, ServerState::Failed { .. });
    until(&hub, || is_connected(&hub, "test") && is_failed()).await;
    let connected = connected(hub, |gateway| gateway.patience(Duration::from_secs(1))).await;
    for (name, state) in [
        ("hangs__echo", "; the server `hangs` is not connected: it is still starting"),
        ("my-failed__echo", "; the server `my failed` is not connected: exited with code 3"),
        ("off__echo", "; the server `off` is disabled in its configuration"),
    ] {
        let tool = connected.client.call_tool(params(name, json!({}))).await.unwrap_err();
        let prompt = connected.client.get_prompt(GetPromptRequestParams::new(name)).await.unwrap_err();
        assert!(tool.to_string().contains(state) && prompt.to_string().contains(state), "{tool}\n{prompt}");
    }
    let error = connected.client.call_tool(params("test__nothing", json!({}))).await.unwrap_err();
    assert!(!error.to_string().contains("; the server"), "{error}");
}
