//! Names of tools and prompts, and instructions.

use agentwire_hub::{Naming, config::Sources};
use rmcp::model::GetPromptRequestParams;
use serde_json::json;

use super::{Received, connected, hub, hub_of, one, text, with_variable};
use crate::server::config;

#[tokio::test]
async fn tools_and_prompts_have_unique_names() {
    let connected = connected(hub(&["test", "my other"]), |gateway| gateway).await;
    let info = connected.client.peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!(server.name, "agentwire-hub");
    let instructions = info.instructions.as_deref().unwrap();
    assert!(instructions.contains("`my other`") && instructions.contains("Be kind."), "{instructions}");
    let tools = connected.tools().await;
    for name in ["test__echo", "my_other__echo", "test__read-file"] {
        assert!(tools.iter().any(|tool| tool == name), "{name} is not in {tools:?}");
    }
    let echo = connected.call("my_other__echo", json!({"text": "hello"})).await;
    assert_eq!((text(&echo), echo.is_error), ("hello", Some(false)));
    // A model's spelling.
    assert_eq!(text(&connected.call("my-other__echo", json!({"text": "hello"})).await), "hello");
    let prompts = connected.client.list_all_prompts().await.unwrap();
    let names: Vec<_> = prompts.iter().map(|prompt| &*prompt.name).collect();
    assert_eq!(names, ["test__greet-all", "my_other__greet-all"]);
    let greeting = connected.client.get_prompt(GetPromptRequestParams::new("test__greet-all")).await.unwrap();
    let text = serde_json::to_string(&greeting).unwrap();
    assert!(text.contains("greet-all") && text.contains("{}"), "{text}");
}

#[tokio::test]
async fn long_instructions_are_cut_with_a_note() {
    let hub = hub_of(&["test"], &with_variable("INSTRUCTIONS", &"x".repeat(2500)));
    let connected = connected(hub, |gateway| gateway).await;
    let info = connected.client.peer_info().unwrap();
    let instructions = info.instructions.as_deref().unwrap();
    assert!(instructions.ends_with("```\n[500 characters left out]\n"), "{instructions}");
}

#[tokio::test]
async fn schema_without_a_type_is_listed_as_that_of_an_object() {
    let mut connected = one().await;
    let tool = json!({"name": "grown", "inputSchema": {}, "outputSchema": {}});
    let add = json!({"method": "notifications/tools/list_changed", "add": tool});
    connected.call("test__notify", add).await;
    assert_eq!(connected.next_event().await, Received::Tools);
    let tools = connected.client.list_all_tools().await.unwrap();
    let grown = tools.iter().find(|tool| tool.name == "test__grown").unwrap();
    assert_eq!(grown.input_schema["type"], "object");
    assert_eq!(grown.output_schema.as_ref().unwrap()["type"], "object");
}

#[tokio::test]
async fn disabled_tool_is_not_listed() {
    let mut connected = one().await;
    assert!(connected.tools().await.contains(&"test__echo".to_owned()));
    let mut without = config();
    without.disabled_tools = ["echo"].into_iter().collect();
    connected.hub.apply(Sources::new().server("test", without).read());
    assert_eq!(connected.next_event().await, Received::Tools);
    assert!(!connected.tools().await.contains(&"test__echo".to_owned()));
}

#[tokio::test]
async fn known_name_never_leads_to_another_tool() {
    let mut connected = connected(hub(&["x_y", "x y"]), |gateway| gateway).await;
    let before = connected.tools().await;
    assert!(before.contains(&"x_y__echo".to_owned()));
    for by_tool in [true, false] {
        let mut without = config();
        if by_tool {
            without.disabled_tools = ["echo"].into_iter().collect();
        } else {
            without.disabled = true;
        }
        connected.hub.apply(Sources::new().server("x_y", without).server("x y", config()).read());
        assert_eq!(connected.next_event().await, Received::Tools);
        let now = connected.tools().await;
        assert!(!now.contains(&"x_y__echo".to_owned()) && now.iter().all(|name| before.contains(name)));
        for name in ["x_y__echo", "x-y__echo"] {
            let refused = connected.call(name, json!({"text": "hello"})).await;
            assert_eq!(refused.is_error, Some(true), "{refused:?}");
            assert!(text(&refused).contains("`x_y`") && text(&refused).contains("disabled"), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn names_follow_the_naming() {
    let connected = connected(hub(&["test"]), |gateway| gateway.naming(Naming::DASHES)).await;
    assert!(connected.tools().await.contains(&"mcp--test--echo".to_owned()));
    assert_eq!(text(&connected.call("mcp--test--echo", json!({"text": "hello"})).await), "hello");
}
