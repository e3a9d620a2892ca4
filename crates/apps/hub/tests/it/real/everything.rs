//! `server-everything`, which uses all features of MCP.
#![expect(deprecated, reason = "sampling and roots are on their way out of MCP, and this server uses them")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire_hub::{CallRequest, ClientHandlers, Hub, PromptRequest, ReadRequest, config::ServerConfig};
use rmcp::model::{
    ContentBlock, CreateMessageResult, ElicitResult, ElicitationAction, Root, SamplingMessage,
};
use serde_json::json;

use super::{call, connected, node, text};

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn all_lists_of_the_server_are_read() {
    let hub = everything(ClientHandlers::new()).await;
    let catalog = hub.catalog(NAME).unwrap();
    let counts = (
        catalog.tools().len(),
        catalog.resources().len(),
        catalog.templates().len(),
        catalog.prompts().len(),
    );
    assert_eq!(counts, (13, 7, 2, 4));
    assert!(catalog.instructions().is_some_and(|text| !text.is_empty()));
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn content_of_every_kind_comes_through() {
    let hub = everything(ClientHandlers::new()).await;
    assert_eq!(text(&call(&hub, NAME, "echo", json!({"message": "hello"})).await), "Echo: hello");
    assert!(text(&call(&hub, NAME, "get-sum", json!({"a": 40, "b": 2})).await).contains("42"));
    let image = call(&hub, NAME, "get-tiny-image", json!({})).await;
    assert!(
        image
            .content
            .iter()
            .any(|part| matches!(part, ContentBlock::Image(image) if image.mime_type == "image/png"))
    );
    let links = call(&hub, NAME, "get-resource-links", json!({"count": 3})).await;
    let is_link = |part: &&ContentBlock| matches!(part, ContentBlock::ResourceLink(_));
    assert_eq!(links.content.iter().filter(is_link).count(), 3);
    let structured = call(&hub, NAME, "get-structured-content", json!({"location": "Chicago"})).await;
    assert!(structured.structured.unwrap()["temperature"].is_number());
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn resources_and_prompts_are_read() {
    let hub = everything(ClientHandlers::new()).await;
    let catalog = hub.catalog(NAME).unwrap();
    let read = hub.read_resource(ReadRequest::new(NAME, catalog.resources()[0].uri.as_str())).await.unwrap();
    assert!(!read.contents.is_empty());
    let prompt = catalog.prompts().iter().find(|prompt| prompt.arguments.is_none()).unwrap();
    let prompt = hub.get_prompt(PromptRequest::new(NAME, prompt.name.as_str())).await.unwrap();
    assert!(!prompt.messages.is_empty());
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn progress_extends_the_time_limit() {
    let mut config = config();
    config.timeout = Duration::from_secs(3);
    let hub = connected(NAME, config, ClientHandlers::new()).await;
    let updates = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&updates);
    let request = CallRequest::new(NAME, "trigger-long-running-operation")
        .arguments(json!({"duration": 4, "steps": 16}))
        .on_progress(move |_| _ = counter.fetch_add(1, Ordering::Relaxed));
    assert!(text(&hub.call(request).await.unwrap()).contains("completed"));
    assert_eq!(updates.load(Ordering::Relaxed), 16);
    // Without progress, the call exceeds its time limit.
    let silent = CallRequest::new(NAME, "trigger-long-running-operation")
        .arguments(json!({"duration": 30, "steps": 1}));
    let error = hub.call(silent).await.unwrap_err();
    assert!(matches!(error, agentwire_hub::CallError::TimedOut { .. }), "{error}");
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn server_questions_reach_the_handler() {
    let handlers = ClientHandlers::new()
        .elicitation(async |_| ElicitResult::new(ElicitationAction::Decline))
        .sampling(async |_| {
            Ok(CreateMessageResult::new(SamplingMessage::assistant_text("forty-two"), "scripted".to_owned()))
        })
        .roots(|_| vec![Root::new("file:///somewhere")]);
    let hub = everything(handlers).await;
    let tools = hub.catalog(NAME).unwrap();
    for tool in ["trigger-elicitation-request", "trigger-sampling-request", "get-roots-list"] {
        assert!(tools.tools().iter().any(|offered| offered.name == tool), "{tool} is not offered");
    }
    assert!(text(&call(&hub, NAME, "trigger-elicitation-request", json!({})).await).contains("declined"));
    let sampled =
        call(&hub, NAME, "trigger-sampling-request", json!({"prompt": "how much?", "maxTokens": 10})).await;
    assert!(text(&sampled).contains("forty-two"));
    assert!(text(&call(&hub, NAME, "get-roots-list", json!({})).await).contains("file:///somewhere"));
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn its_environment_has_what_was_configured_and_little_else() {
    let mut config = config();
    let agentwire_hub::config::Launch::Stdio(stdio) = &mut config.launch else { unreachable!() };
    stdio.env.insert("GIVEN".to_owned(), "a \"quoted\" \\ value".to_owned());
    let hub = connected(NAME, config, ClientHandlers::new()).await;
    let seen: serde_json::Map<_, _> =
        serde_json::from_str(&text(&call(&hub, NAME, "get-env", json!({})).await)).unwrap();
    assert_eq!(seen["GIVEN"], "a \"quoted\" \\ value");
    assert!(seen.contains_key("PATH"));
    // The variable that this test was started with.
    assert!(!seen.contains_key("AGENTWIRE_MCP_SERVERS"));
    hub.close().await;
}

async fn everything(handlers: ClientHandlers) -> Hub {
    connected(NAME, config(), handlers).await
}

fn config() -> ServerConfig {
    node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"])
}

const NAME: &str = "everything";
