//! Resources and views of tools.

use agentwire_hub::{Hub, ServerState, config::Sources};
use rmcp::{
    model::{ReadResourceRequestParams, ResourceContents},
    service::ServiceError,
};
use serde_json::json;

use super::{Connected, Received, connected, hub, hub_of, lacking, one};
use crate::{project::until, server::config};

#[tokio::test]
async fn view_of_a_tool_is_read_from_its_server() {
    let connected = connected(hub_of(&["a", "b"], &lacking("NO_LIST_CHANGES")), |gateway| gateway).await;
    let (shared, own) = ("ui://app/x.html", "ui://b/own.html");
    for (call, uri) in [("a__notify", shared), ("b__notify", shared), ("b__notify", own)] {
        let meta = json!({"ui": {"resourceUri": uri}, "ui/resourceUri": uri, "openai/outputTemplate": uri, "x": uri});
        let name = uri.split('/').next_back().unwrap();
        let tool = json!({"name": name, "inputSchema": {"type": "object"}, "_meta": meta});
        let resource = json!({"uri": uri, "name": name});
        connected.call(call, json!({"times": 0, "add": tool, "addResource": resource})).await;
    }
    connected.client.list_all_resources().await.unwrap();
    let tools = connected.client.list_all_tools().await.unwrap();
    for (name, unique, inner) in [
        ("a__x_html", "ui://mcp-hub/a/ui://app/x.html", shared),
        ("b__x_html", "ui://mcp-hub/b/ui://app/x.html", shared),
        ("b__own_html", own, own),
    ] {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        let meta = json!({"ui": {"resourceUri": unique}, "ui/resourceUri": unique,
            "openai/outputTemplate": unique, "x": inner});
        assert_eq!(serde_json::to_value(&tool.meta).unwrap(), meta);
        let read = connected.client.read_resource(ReadResourceRequestParams::new(unique)).await.unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap()["contents"][0]["uri"], unique);
    }
}

#[tokio::test]
async fn changed_uri_of_a_view_is_reported_as_a_change_of_the_tools() {
    let mut connected = connected(hub(&["a", "b"]), |gateway| gateway).await;
    let (uri, unique) = ("ui://app/x.html", "ui://mcp-hub/a/ui://app/x.html");
    let tool = json!({"name": "x", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": uri}}});
    connected.call("a__notify", json!({"method": "notifications/tools/list_changed", "add": tool})).await;
    assert_eq!(connected.next_event().await, Received::Tools);
    assert_eq!(connected.view("a__x").await, unique);
    for (notify, expected) in [("a__notify", uri), ("b__notify", unique)] {
        let resource = json!({"uri": uri, "name": "x"});
        let added = json!({"method": "notifications/resources/list_changed", "addResource": resource});
        connected.call(notify, added).await;
        for expected in [Received::Tools, Received::Resources] {
            assert_eq!(connected.next_event().await, expected);
        }
        assert_eq!(connected.view("a__x").await, expected);
        connected.client.read_resource(ReadResourceRequestParams::new(expected)).await.unwrap();
    }
}

#[tokio::test]
async fn resource_of_two_servers_is_read_from_the_right_one() {
    let connected = connected(hub(&["a", "b c"]), |gateway| gateway).await;
    let resources = connected.client.list_all_resources().await.unwrap();
    let uris: Vec<_> = resources.iter().map(|resource| &*resource.uri).collect();
    assert_eq!(uris, ["mcp-hub:a/test://a", "mcp-hub:b%20c/test://a"]);
    for uri in uris {
        let read = connected.client.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        let ResourceContents::TextResourceContents { uri: read, .. } = &read.contents[0] else {
            panic!("{read:?}")
        };
        assert_eq!(read, uri);
    }
    let error = connected.client.read_resource(ReadResourceRequestParams::new("test://a")).await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert!(error.message.contains("mcp-hub:b%20c/test://a"), "{error}");
    // What a result links to can be read too.
    let link = json!({"content": [
        {"type": "resource_link", "uri": "test://other", "name": "o"},
        {"type": "resource_link", "uri": "https://example.com/", "name": "p"},
        {"type": "resource", "resource": {"uri": "test://a", "text": "x"}},
    ]});
    let given = serde_json::to_value(connected.call("a__give", link).await).unwrap();
    let uris = ["/content/0/uri", "/content/1/uri", "/content/2/resource/uri"]
        .map(|path| given.pointer(path).unwrap());
    assert_eq!(uris, ["mcp-hub:a/test://other", "https://example.com/", "mcp-hub:a/test://a"]);
}

#[tokio::test]
async fn resource_of_one_server_keeps_its_uri() {
    let connected = one().await;
    assert_eq!(connected.client.list_all_resources().await.unwrap()[0].uri, "test://a");
    let read = connected.client.read_resource(ReadResourceRequestParams::new("test://a")).await.unwrap();
    let ResourceContents::TextResourceContents { uri, .. } = &read.contents[0] else { panic!("{read:?}") };
    assert_eq!(uri, "test://a");
    // No other server has resources.
    let unlisted = ReadResourceRequestParams::new("test://unlisted");
    let read = connected.client.read_resource(unlisted).await.unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap()["contents"][0]["uri"], "test://unlisted");
}

#[tokio::test]
async fn resource_of_a_disabled_server_is_read_from_no_other() {
    let connected = connected(hub(&["a", "b"]), |gateway| gateway).await;
    let mut disabled = config();
    disabled.disabled = true;
    connected.hub.apply(Sources::new().server("a", config()).server("b", disabled).read());
    let state = || connected.hub.server("b").unwrap().state;
    until(&connected.hub, || matches!(state(), ServerState::Disabled(_))).await;
    let read = async |uri: &str| connected.client.read_resource(ReadResourceRequestParams::new(uri)).await;
    for uri in ["test://a", "test://unlisted"] {
        read(uri).await.unwrap_err();
    }
    read("mcp-hub:a/test://a").await.unwrap();
}

#[tokio::test]
async fn reading_a_resource_needs_approval_by_default() {
    let sources = || Sources::new().server("test", config());
    let read = async |connected: &Connected| {
        connected.client.read_resource(ReadResourceRequestParams::new("test://a")).await.map(drop)
    };
    let asks = connected(Hub::builder().sources(sources()).build(), |gateway| gateway).await;
    let Err(ServiceError::McpError(error)) = read(&asks).await else { panic!("it was read") };
    assert!(error.message.contains("was denied"), "{error}");
    // A clone serves another client in the same way.
    let hub = asks.hub.clone();
    let free = connected(hub, |gateway| gateway.resource_approval(false).clone()).await;
    read(&free).await.unwrap();
}
