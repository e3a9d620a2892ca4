//! Lists: pages, changes, and readings of servers that report none.

use std::time::Instant;

use agentwire_hub::config::Sources;
use futures_util::future::join_all;
use rmcp::model::{GetPromptRequestParams, PaginatedRequestParams, ReadResourceRequestParams};
use serde_json::json;

use super::{Connected, Received, connected, hub, hub_of, lacking, one, text, until_listed};
use crate::{
    asking::params,
    server::{LIMIT, config},
    tasks::Raw,
};

#[tokio::test]
async fn cursor_that_no_list_has_returned_is_invalid() {
    let hub = hub(&["test"]);
    let (mut client, _) = Raw::connect(&hub).await;
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let answer = client.request(method, json!({"cursor": "2"})).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        // Some clients write an empty cursor for the first page.
        for first in [json!({}), json!({"cursor": ""}), json!({"cursor": null})] {
            let answer = client.request(method, first).await;
            assert!(answer["result"].is_object(), "{method}: {answer}");
        }
    }
}

#[tokio::test]
async fn large_list_has_several_pages() {
    let connected = connected(hub(&["test"]), |gateway| gateway.patience(LIMIT * 3)).await;
    for number in 0..5 {
        let resource =
            json!({"name": "large", "uri": format!("test://{number}"), "description": "x".repeat(3 << 20)});
        connected.call("test__notify", json!({"times": 0, "addResource": resource})).await;
    }
    let (mut uris, mut pages, mut cursor) = (Vec::new(), 0, None);
    loop {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let listed = connected.client.list_resources(Some(page)).await.unwrap();
        assert!(serde_json::to_string(&listed).unwrap().len() < 8 << 20);
        uris.extend(listed.resources.into_iter().map(|resource| resource.uri));
        pages += 1;
        cursor = listed.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(uris, ["test://a", "test://0", "test://1", "test://2", "test://3", "test://4"]);
    assert_eq!(pages, 3);
}

#[tokio::test]
async fn only_changed_lists_are_reported() {
    let mut connected = one().await;
    let before = connected.tools().await;
    let add = json!({"method": "notifications/tools/list_changed",
        "add": {"name": "grown", "inputSchema": {"type": "object"}}});
    connected.call("test__notify", add).await;
    assert_eq!(connected.next_event().await, Received::Tools);
    let after = connected.tools().await;
    assert_eq!(after.len(), before.len() + 1);
    assert!(after.contains(&"test__grown".to_owned()));
    // Add a server and remove one.
    let configuration = Sources::new().server("new", config()).server("test", config()).read();
    connected.hub.apply(configuration);
    for expected in [Received::Tools, Received::Resources, Received::Prompts] {
        assert_eq!(connected.next_event().await, expected);
    }
    assert_eq!(text(&connected.call("new__echo", json!({"text": "hello"})).await), "hello");
    connected.hub.apply(Sources::new().server("test", config()).read());
    for expected in [Received::Tools, Received::Resources, Received::Prompts] {
        assert_eq!(connected.next_event().await, expected);
    }
    assert_eq!(connected.tools().await.len(), after.len());
    connected.call("test__tick", json!({"times": 1, "every": 0})).await;
    assert_eq!(connected.next_event().await, Received::Progress(1.0));
}

#[tokio::test]
async fn list_without_change_notifications_is_read_again() {
    let hub = hub_of(&["one", "two"], &lacking("NO_LIST_CHANGES"));
    let mut connected = connected(hub, |gateway| gateway).await;
    let add = async |connected: &Connected, name: &str| {
        let tool = json!({"name": name, "inputSchema": {"type": "object"}});
        let resource = json!({"name": name, "uri": format!("test://{name}")});
        let all = json!({"times": 0, "add": tool, "addPrompt": {"name": name}, "addResource": resource});
        connected.call("one__notify", all).await;
    };
    add(&connected, "give-1").await;
    assert!(connected.tools().await.contains(&"one__give-1".to_owned()));
    let prompts = connected.client.list_all_prompts().await.unwrap();
    assert!(prompts.iter().any(|prompt| prompt.name == "one__give-1"), "{prompts:?}");
    let resources = connected.client.list_all_resources().await.unwrap();
    assert!(resources.iter().any(|resource| resource.uri == "test://give-1"), "{resources:?}");
    // A model may know of them from another result.
    add(&connected, "give-2").await;
    let given = connected.call("one__give-2", json!({"content": []})).await;
    assert_eq!(given.is_error, Some(false), "{given:?}");
    connected.client.get_prompt(GetPromptRequestParams::new("one__give-2")).await.unwrap();
    connected.client.read_resource(ReadResourceRequestParams::new("test://give-2")).await.unwrap();
    // If clients were notified, a list that differs each time would be read without end.
    connected.call("one__tick", json!({"times": 1, "every": 0})).await;
    assert_eq!(connected.next_event().await, Received::Progress(1.0));
}

#[tokio::test]
async fn tool_that_a_server_does_not_report_is_found() {
    // The server announces that it reports changes of its tools.
    let connected = connected(hub(&["one", "two"]), |gateway| gateway).await;
    let add = async |name: &str| {
        let tool = json!({"name": name, "inputSchema": {"type": "object"}});
        connected.call("one__notify", json!({"times": 0, "add": tool})).await;
    };
    add("give-1").await;
    let given = connected.call("one__give-1", json!({"content": []})).await;
    assert_eq!(given.is_error, Some(false), "{given:?}");
    assert!(connected.tools().await.contains(&"one__give-1".to_owned()));
    add("give-2").await;
    until_listed(&connected, "one__give-2").await;
}

#[tokio::test]
async fn unknown_names_and_lists_cause_one_reading_a_second() {
    let connected = connected(hub(&["test"]), |gateway| gateway).await;
    let start = Instant::now();
    for _ in 0..3 {
        let unknown = || connected.client.call_tool(params("test__nothing", json!({})));
        for call in join_all((0..20).map(|_| unknown())).await {
            call.unwrap_err();
        }
        join_all((0..20).map(|_| connected.tools())).await;
    }
    let listings = connected.listings().await;
    // One more is that of the start.
    assert!(listings <= start.elapsed().as_secs() + 2, "{listings} in {:?}", start.elapsed());
}

#[tokio::test]
async fn tools_stay_while_their_page_can_not_be_read() {
    let connected = connected(hub_of(&["test"], &lacking("NO_LIST_CHANGES")), |gateway| gateway).await;
    let before = connected.tools().await;
    connected.call("test__notify", json!({"times": 0, "lacksPage": true})).await;
    assert_eq!(connected.tools().await, before);
    connected.call("test__received", json!({})).await;
}

#[tokio::test]
async fn another_definition_has_no_tools_of_the_earlier_one() {
    let connected = connected(hub_of(&["test"], &config()), |gateway| gateway).await;
    assert!(connected.tools().await.contains(&"test__notify".to_owned()));
    connected.hub.apply(Sources::new().server("test", lacking("NO_SECOND_PAGE")).read());
    assert!(connected.hub.wait_until_ready(LIMIT).await);
    let tools = connected.tools().await;
    assert!(
        tools.contains(&"test__echo".to_owned()) && !tools.contains(&"test__notify".to_owned()),
        "{tools:?}"
    );
}

#[tokio::test]
async fn tool_that_differs_at_each_listing_is_noted_once() {
    let connected = connected(hub_of(&["test"], &lacking("NO_LIST_CHANGES")), |gateway| gateway).await;
    for number in 0..5 {
        let tool =
            json!({"name": "clock", "inputSchema": {"type": "object"}, "description": number.to_string()});
        connected.call("test__notify", json!({"times": 0, "add": tool})).await;
        connected.tools().await;
    }
    let troubles = connected.hub.troubles("test").unwrap();
    assert!(
        matches!(&troubles[..], [only] if only.times == 1 && only.what.contains("`clock`")),
        "{troubles:?}"
    );
}
