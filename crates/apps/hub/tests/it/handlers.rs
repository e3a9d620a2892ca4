//! What servers send on their own: changed lists, log messages, and questions to the user, the model and the program.

#![expect(deprecated, reason = "roots are on their way out of MCP, and servers still use them")]

use std::{
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agentwire_hub::{
    CallError, CallLimits, CallRequest, ClientHandlers, Hub, PromptRequest, ReadRequest, ServerState,
    TimeLimit,
};
use rmcp::model::{CompleteRequestParams, ElicitRequestParams, ElicitResult, ElicitationAction, Root};
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, Semaphore, oneshot},
    time::timeout,
};

use crate::{
    call::{add_tool, call, limited, received, text},
    server::{LIMIT, config, hub},
};

async fn hub_with(handlers: ClientHandlers) -> Hub {
    hub(config(), |builder| builder.handlers(handlers)).await
}

/// Returns the answer to a request of the server.
async fn asks(hub: &Hub, method: &str, params: Value) -> Value {
    let request = call("ask", json!({"method": method, "params": params}));
    serde_json::from_str(text(&hub.call(request).await.unwrap())).unwrap()
}

async fn notify(hub: &Hub, method: &str, params: Value) {
    hub.call(call("notify", json!({"method": method, "params": params}))).await.unwrap();
}

fn form() -> Value {
    json!({"message": "who?", "requestedSchema": {"type": "object", "properties": {
        "name": {"type": "string"}, "age": {"type": "integer", "default": 5}}}})
}

fn page() -> Value {
    json!({"mode": "url", "message": "m", "url": "https://example.com", "elicitationId": "1"})
}

fn message() -> Value {
    json!({"maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]})
}

#[tokio::test]
async fn without_handlers_all_requests_are_declined() {
    let hub = hub_with(ClientHandlers::new()).await;
    assert_eq!(received(&hub).await["client"]["capabilities"], json!({}));
    assert_eq!(asks(&hub, "elicitation/create", form()).await["result"], json!({"action": "decline"}));
    assert_eq!(asks(&hub, "roots/list", json!({})).await["result"], json!({"roots": []}));
    assert_eq!(asks(&hub, "sampling/createMessage", message()).await["error"]["code"], -32601);
    assert_eq!(asks(&hub, "ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn handlers_answer_and_are_part_of_the_capabilities() {
    let handlers = ClientHandlers::new()
        .elicitation(async |question| {
            assert_eq!(question.server.as_str(), "test");
            ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"}))
        })
        .sampling(async |_| Err("not now".to_owned()))
        .roots(|server| vec![Root::new(format!("file:///{server}"))]);
    let hub = hub_with(handlers).await;
    let client = &received(&hub).await["client"];
    let offered = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {"listChanged": true}});
    assert_eq!(client["capabilities"], offered);
    // The last version that has a handshake.
    assert_eq!(client["protocolVersion"], "2025-11-25");
    assert_eq!(client["clientInfo"]["name"], "agentwire-hub");
    let answer = asks(&hub, "elicitation/create", form()).await;
    // Without the default of `age`, which the user did not give.
    assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ada"}}));
    let answer = asks(&hub, "sampling/createMessage", message()).await;
    assert_eq!((&answer["error"]["code"], &answer["error"]["message"]), (&json!(-1), &json!("not now")));
    let answer = asks(&hub, "roots/list", json!({})).await;
    assert_eq!(answer["result"]["roots"][0]["uri"], "file:///test");
    // A program without URL support is not asked to open a page.
    assert_eq!(asks(&hub, "elicitation/create", page()).await["result"]["action"], "decline");
}

#[tokio::test]
async fn handler_with_url_support_is_asked_to_open_pages() {
    let handlers = ClientHandlers::new()
        .elicitation(async |question| {
            assert!(matches!(question.request, ElicitRequestParams::UrlElicitationParams { .. }));
            ElicitResult::new(ElicitationAction::Accept)
        })
        .elicitation_urls();
    let hub = hub_with(handlers).await;
    let offered = json!({"elicitation": {"form": {}, "url": {}}});
    assert_eq!(received(&hub).await["client"]["capabilities"], offered);
    assert_eq!(asks(&hub, "elicitation/create", page()).await["result"], json!({"action": "accept"}));
}

#[tokio::test]
async fn question_beyond_the_limit_is_dismissed() {
    let opened = Arc::new(Semaphore::new(0));
    let handlers = ClientHandlers::new().elicitation({
        let opened = Arc::clone(&opened);
        move |_| {
            let opened = Arc::clone(&opened);
            async move {
                opened.add_permits(1);
                std::future::pending().await
            }
        }
    });
    let hub = hub_with(handlers).await;
    let waiting: Vec<_> = (0..64)
        .map(|_| {
            let hub = hub.clone();
            tokio::spawn(async move { asks(&hub, "elicitation/create", form()).await })
        })
        .collect();
    timeout(LIMIT, opened.acquire_many(64)).await.unwrap().unwrap().forget();
    let answer = asks(&hub, "elicitation/create", form()).await;
    assert_eq!(answer["result"]["action"], "cancel");
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
    hub.close().await;
}

#[tokio::test]
async fn panicking_handler_declines() {
    let handlers = ClientHandlers::new()
        .elicitation(async |_| panic!("on purpose"))
        .sampling(async |_| panic!("on purpose"))
        .roots(|_| panic!("on purpose"))
        .log(|_| panic!("on purpose"));
    let hub = hub_with(handlers).await;
    assert_eq!(asks(&hub, "elicitation/create", form()).await["result"]["action"], "decline");
    assert_eq!(asks(&hub, "sampling/createMessage", message()).await["error"]["code"], -1);
    assert_eq!(asks(&hub, "roots/list", json!({})).await["result"], json!({"roots": []}));
    notify(&hub, "notifications/message", json!({"level": "info", "data": "x"})).await;
    assert_eq!(text(&hub.call(call("echo", json!({"text": "still here"}))).await.unwrap()), "still here");
}

/// Sends the state of the server when the question is dropped.
struct Question {
    hub: Arc<OnceLock<Hub>>,
    dropped: Option<oneshot::Sender<ServerState>>,
}

impl Drop for Question {
    fn drop(&mut self) {
        let state = self.hub.get().unwrap().server("test").unwrap().state;
        self.dropped.take().unwrap().send(state).unwrap();
    }
}

#[tokio::test]
async fn end_of_a_server_is_noticed_during_a_question() {
    let (is_asked, here) = (Arc::new(Notify::new()), Arc::new(OnceLock::new()));
    let (dropped, at_the_end) = oneshot::channel();
    let dropped = Mutex::new(Some(dropped));
    let handlers = ClientHandlers::new().elicitation({
        let (is_asked, here) = (Arc::clone(&is_asked), Arc::clone(&here));
        move |_| {
            is_asked.notify_one();
            let question = Question { hub: Arc::clone(&here), dropped: dropped.lock().unwrap().take() };
            async move {
                let _question = question;
                std::future::pending().await
            }
        }
    });
    let hub = hub_with(handlers).await;
    here.set(hub.clone()).unwrap();
    let die = async {
        is_asked.notified().await;
        hub.call(call("die", json!({}))).await.unwrap_err()
    };
    let asked = call("ask", json!({"method": "elicitation/create", "params": form()}));
    let (asked, died) = tokio::join!(hub.call(asked), die);
    assert_eq!((asked.unwrap_err().code(), died.code()), ("connection_lost", "connection_lost"));
    let state = timeout(LIMIT, at_the_end).await.unwrap().unwrap();
    assert!(matches!(state, ServerState::Reconnecting { .. }), "{state:?}");
}

#[tokio::test]
async fn subscriptions_are_renewed_after_a_reconnect() {
    let hub = hub_with(ClientHandlers::new()).await;
    hub.subscribe("test", "test://a").await.unwrap();
    assert!(matches!(hub.restart("test").await, Some(ServerState::Connected { .. })));
    let again = async { while received(&hub).await["subscribed"] != json!(["test://a"]) {} };
    timeout(LIMIT, again).await.unwrap();
    // It can be cancelled also while there is no connection.
    hub.set_enabled(false);
    let error = hub.unsubscribe("test", "test://a").await.unwrap_err();
    assert_eq!(error.code(), "server_disabled");
    hub.set_enabled(true);
    assert!(hub.wait_until_ready(LIMIT).await);
    hub.refresh("test").await;
    assert_eq!(received(&hub).await["subscribed"], json!([]));
}

#[tokio::test]
async fn open_question_stops_the_time_limit_of_the_call() {
    // The time limit of the calls is zero while the user thinks.
    let place = Arc::new(OnceLock::<Hub>::new());
    let thinks = {
        let place = Arc::clone(&place);
        ClientHandlers::new().elicitation(move |_| {
            let hub = place.get().unwrap().clone();
            async move {
                limited(&hub, Duration::from_millis(1));
                assert!(timeout(Duration::from_millis(300), std::future::pending::<()>()).await.is_err());
                limited(&hub, LIMIT);
                ElicitResult::new(ElicitationAction::Cancel)
            }
        })
    };
    let hub = hub_with(thinks).await;
    place.set(hub.clone()).unwrap();
    assert_eq!(asks(&hub, "elicitation/create", form()).await["result"]["action"], "cancel");
}

#[tokio::test]
async fn unanswered_question_does_not_block_a_call_forever() {
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let handlers = ClientHandlers::new().elicitation(move |_| {
        begins.notify_one();
        std::future::pending()
    });
    let longest = CallLimits { longest: Duration::from_millis(600), ..CallLimits::default() };
    let hub = hub(config(), |builder| builder.handlers(handlers).limits(longest)).await;
    let asked = hub.call(call("ask", json!({"method": "elicitation/create", "params": form()})));
    let (error, ()) = tokio::join!(timeout(LIMIT, asked), async {
        begun.notified().await;
        limited(&hub, Duration::from_millis(1));
    });
    let error = error.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: TimeLimit::Longest(_), .. }), "{error}");
}

#[tokio::test]
async fn cancelled_question_ends_its_handler() {
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let mark = Arc::clone(&dropped);
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let handlers = ClientHandlers::new().elicitation(move |_| {
        begins.notify_one();
        let dropped = Dropped(Arc::clone(&mark));
        async move {
            let _dropped = dropped;
            std::future::pending().await
        }
    });
    let hub = hub_with(handlers).await;
    let asked = tokio::spawn({
        let hub = hub.clone();
        let question = json!({"method": "elicitation/create", "params": form(), "id": 77});
        async move { hub.call(call("ask", question)).await }
    });
    let gone = async {
        // A cancellation before the handler has started would find none.
        begun.notified().await;
        while !dropped.load(Ordering::Acquire) {
            notify(&hub, "notifications/cancelled", json!({"requestId": 77})).await;
        }
    };
    timeout(LIMIT, gone).await.unwrap();
    asked.abort();
}

#[tokio::test]
async fn changed_list_is_read_again() {
    let hub = hub_with(ClientHandlers::new()).await;
    let catalog = hub.catalog("test").unwrap();
    assert_eq!(catalog.tools().len(), 10);
    assert_eq!((catalog.resources().len(), catalog.templates().len(), catalog.prompts().len()), (1, 0, 1));
    assert_eq!(catalog.instructions(), Some("Be kind."));
    let tool = json!({"name": "new", "inputSchema": {"type": "object", "required": ["a"]}});
    add_tool(&hub, "test", &tool).await;
    assert_eq!(hub.catalog("test").unwrap().tools().len(), 11);
    assert_eq!(hub.call(call("new", json!({}))).await.unwrap_err().code(), "bad_arguments");
}

#[tokio::test]
async fn log_messages_and_resource_updates_are_received() {
    let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel();
    let updates = sender.clone();
    let handlers = ClientHandlers::new()
        .log(move |message| sender.send(format!("{} {}", message.server, message.data)).unwrap())
        .resource_updated(move |server, uri| updates.send(format!("{server} {uri}")).unwrap());
    let hub = hub_with(handlers).await;
    notify(&hub, "notifications/message", json!({"level": "warning", "logger": "l", "data": {"a": 1}})).await;
    assert_eq!(messages.try_recv().unwrap(), r#"test {"a":1}"#, "it comes before the answer to the call");
    hub.subscribe("test", "test://a").await.unwrap();
    assert_eq!(received(&hub).await["subscribed"], json!(["test://a"]));
    notify(&hub, "notifications/resources/updated", json!({"uri": "test://a"})).await;
    assert_eq!(timeout(LIMIT, messages.recv()).await.unwrap().unwrap(), "test test://a");
    hub.unsubscribe("test", "test://a").await.unwrap();
    assert_eq!(received(&hub).await["subscribed"], json!([]));
}

#[tokio::test]
async fn large_log_message_is_cut() {
    let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel();
    let handlers = ClientHandlers::new().log(move |message| sender.send(message.clone()).unwrap());
    let hub = hub_with(handlers).await;
    let large = json!({"level": "info", "logger": "l".repeat(1000), "data": {"a": "x".repeat(100_000)}});
    notify(&hub, "notifications/message", large).await;
    let message = timeout(LIMIT, messages.recv()).await.unwrap().unwrap();
    let data = message.data.as_str().unwrap();
    assert!(data.starts_with(r#"{"a":"xxx"#) && data.ends_with('…') && data.len() < 5000, "{}", data.len());
    assert_eq!(message.logger.unwrap().len(), 200);
}

#[tokio::test]
async fn resources_and_prompts_are_bounded() {
    let hub =
        hub(config(), |builder| builder.limits(CallLimits { text: 20, media: 50, ..CallLimits::default() }))
            .await;
    let read = hub.read_resource(ReadRequest::new("test", "test://a")).await.unwrap();
    let read = serde_json::to_value(&read.contents).unwrap();
    assert!(read[0]["text"].as_str().unwrap().contains("[80 of 100 bytes left out"), "{read}");
    assert!(read[1]["text"].as_str().unwrap().starts_with("[data (image/png, 100 bytes"), "{read}");
    let error = hub.read_resource(ReadRequest::new("test", "test://none")).await.unwrap_err();
    assert_eq!(error.code(), "refused", "{error}");
    let request =
        PromptRequest::new("test", "greet_all").arguments(json!({"a": "b"}).as_object().unwrap().clone());
    let prompt = serde_json::to_value(hub.get_prompt(request).await.unwrap()).unwrap();
    assert!(
        prompt["messages"][0]["content"]["text"].as_str().unwrap().starts_with("\"greet-all\" {\"a\":"),
        "{prompt}"
    );
    let error = hub.get_prompt(PromptRequest::new("test", "greet")).await.unwrap_err();
    assert!(error.to_string().contains("the names are: `greet-all`"), "{error}");
    let wanted: CompleteRequestParams = serde_json::from_value(
        json!({"ref": {"type": "ref/prompt", "name": "greet-all"}, "argument": {"name": "a", "value": "x"}}),
    )
    .unwrap();
    assert_eq!(hub.complete("test", wanted).await.unwrap().values, ["x"]);
    hub.close().await;
    assert_eq!(hub.call(CallRequest::new("test", "echo")).await.unwrap_err().code(), "not_connected");
}
