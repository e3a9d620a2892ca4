//! What servers ask and log while a client of the gateway calls them.
#![expect(
    deprecated,
    reason = "sampling and logging are on their way out of MCP, and servers still use them"
)]

use std::sync::{Arc, Mutex};

use agentwire_hub::{ClientHandlers, Gateway, Hub};
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, RoleClient, RoleServer,
    ServiceError, ServiceExt as _,
    model::{
        CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
        CreateMessageRequestParams, CreateMessageResult, CustomNotification, ElicitRequestParams,
        ElicitResult, ElicitationAction, GetExtensions as _, Implementation, JsonRpcMessage, ListRootsResult,
        LoggingLevel, LoggingMessageNotificationParam, RequestId, ResourceUpdatedNotificationParam, Root,
        SamplingMessage, SetLevelRequestParams, SubscribeRequestParams,
    },
    service::{
        NotificationContext, OriginatingRequestId, PeerRequestOptions, RequestContext, RunningService,
        RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage,
    },
    transport::{Transport, async_rw::AsyncRwTransport},
};
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    call::call,
    gateway::text,
    server::{LIMIT, config, hub},
    tasks::Raw,
};

/// A client that answers questions and forwards notifications.
#[derive(Clone)]
pub(crate) struct Client {
    sender: mpsc::UnboundedSender<String>,
    capabilities: Value,
    answers: bool,
    pub(crate) roots: Arc<Mutex<Vec<Root>>>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities: ClientCapabilities = serde_json::from_value(self.capabilities.clone()).unwrap();
        ClientConfig::new(capabilities, Implementation::new("client", "1"))
    }

    async fn create_elicitation(
        &self,
        question: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let message = match question {
            ElicitRequestParams::FormElicitationParams { message, .. } => message,
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => format!("{message} {url}"),
            _ => panic!(),
        };
        self.sender.send(message.clone()).unwrap();
        if !self.answers {
            context.ct.cancelled().await;
            self.sender.send("cancelled".to_owned()).unwrap();
        }
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"})))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text("hello"), "a model".to_owned()))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.lock().unwrap().clone()))
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        let params = notification.params.unwrap_or_default();
        self.sender.send(format!("{} {}", notification.method, params["elicitationId"])).unwrap();
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.sender.send(updated.uri).unwrap();
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.sender.send(format!("{} {}", message.logger.unwrap(), message.data)).unwrap();
    }
}

pub(crate) struct Connected {
    pub(crate) client: RunningService<RoleClient, Client>,
    pub(crate) messages: mpsc::UnboundedReceiver<String>,
    pub(crate) server: JoinHandle<Result<RunningService<RoleServer, Gateway>, ServerInitializeError>>,
}

pub(crate) async fn connected(gateway: Gateway, capabilities: Value, answers: bool) -> Connected {
    connected_as(ClientLifecycleMode::Initialize, gateway, capabilities, answers).await
}

pub(crate) async fn connected_as(
    lifecycle: ClientLifecycleMode,
    gateway: Gateway,
    capabilities: Value,
    answers: bool,
) -> Connected {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (sender, messages) = mpsc::unbounded_channel();
    let client = Client { sender, capabilities, answers, roots: Arc::default() };
    let client = client.serve_with_lifecycle(theirs, lifecycle);
    // For a client without a handshake, `serve` returns only at its first request.
    let server = tokio::spawn(gateway.patience(LIMIT).serve(ours));
    let client = client.await;
    Connected { client: client.unwrap(), messages, server }
}

pub(crate) async fn asking() -> Hub {
    hub(config(), |builder| builder.handlers(ClientHandlers::new().ask_callers())).await
}

pub(crate) fn can_all() -> Value {
    json!({"elicitation": {"form": {}}, "sampling": {}})
}

pub(crate) fn params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

pub(crate) fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"message": "who?", "requestedSchema":
        {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 5}}}}})
}

impl Connected {
    /// Calls a tool and returns the text of its result.
    pub(crate) async fn call(&self, tool: &'static str, arguments: Value) -> String {
        text(&self.client.call_tool(params(tool, arguments)).await.unwrap()).to_owned()
    }

    /// Returns the answer to a request of the server.
    pub(crate) async fn asks(&self, question: Value) -> Value {
        serde_json::from_str(&self.call("test__ask", question).await).unwrap()
    }

    async fn logs(&self, level: &str, data: &str) {
        let message = json!({"level": level, "logger": "part", "data": data});
        self.call("test__notify", json!({"method": "notifications/message", "params": message})).await;
    }

    pub(crate) async fn next_message(&mut self) -> String {
        timeout(LIMIT, self.messages.recv()).await.unwrap().unwrap()
    }

    /// Fails if a message was sent to the client: it comes before the next change of a resource.
    async fn has_received_nothing(&mut self) {
        self.client.subscribe(SubscribeRequestParams::new("test://a")).await.unwrap();
        let updated = json!({"method": "notifications/resources/updated", "params": {"uri": "test://a"}});
        self.call("test__notify", updated).await;
        assert_eq!(self.next_message().await, "test://a");
    }
}

#[tokio::test]
async fn question_reaches_the_calling_client() {
    let hub = asking().await;
    let gateway = Gateway::new(&hub);
    let _other = connected(gateway.clone(), can_all(), true).await;
    let mut connected = connected(gateway, can_all(), true).await;
    let received: Value = serde_json::from_str(&connected.call("test__received", json!({})).await).unwrap();
    let offered =
        json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": true}});
    assert_eq!(received["client"]["capabilities"], offered);
    let answer = connected.asks(form()).await;
    // The answer of the user, without the default of `age`.
    assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ada"}}));
    assert_eq!(connected.next_message().await, "test: who?");
    let message = json!({"role": "user", "content": {"type": "text", "text": "hi"}});
    let sample =
        json!({"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": [message]}});
    let answer = connected.asks(sample).await;
    assert_eq!(answer["result"]["content"]["text"], "hello", "{answer}");
}

/// A transport that notes the client's request that each request belongs to.
struct Sees<T> {
    transport: T,
    seen: mpsc::UnboundedSender<Option<RequestId>>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Sees<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            let origin = request.request.extensions().get::<OriginatingRequestId>();
            self.seen.send(origin.map(|origin| origin.0.clone())).unwrap();
        }
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.transport.receive().await
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.transport.close().await
    }
}

#[tokio::test]
async fn question_belongs_to_the_request_of_the_client() {
    let hub = asking().await;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (sender, _messages) = mpsc::unbounded_channel();
    let client = Client { sender, capabilities: can_all(), answers: true, roots: Arc::default() };
    let (seen, mut sees) = mpsc::unbounded_channel();
    let gateway = async {
        let (output, input) = tokio::io::split(ours);
        let transport = AsyncRwTransport::new_server(output, input);
        Gateway::new(&hub).patience(LIMIT).serve(Sees { transport, seen }).await
    };
    let (server, client) = tokio::join!(gateway, client.serve(theirs));
    let (_server, client) = (server.unwrap(), client.unwrap());
    // So that the id of the next request differs from the server's id of its question.
    for _ in 0..5 {
        client.call_tool(params("test__received", json!({}))).await.unwrap();
    }
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params("test__ask", form())));
    let options = PeerRequestOptions::no_options();
    let handle = client.send_request_with_option(request, options).await.unwrap();
    let id = handle.id.clone();
    handle.await_response().await.unwrap();
    assert_eq!(sees.recv().await.unwrap(), Some(id));
}

#[tokio::test]
async fn question_goes_to_the_client_that_calls() {
    let hub = asking().await;
    let mut other_client = connected(Gateway::new(&hub), can_all(), true).await;
    let mut connected = connected(Gateway::new(&hub), can_all(), true).await;
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let other = tokio::spawn({
        let hub = hub.clone();
        let ticking = call("tick", json!({"times": 100_000, "every": 20}));
        async move { hub.call(ticking.on_progress(move |_| begins.notify_one())).await }
    });
    timeout(LIMIT, begun.notified()).await.unwrap();
    // The program has a call, and then so has a client that must not be asked.
    let ticking = other_client.client.peer().clone();
    let ticking = tokio::spawn(async move {
        ticking.call_tool(params("test__tick", json!({"times": 100_000, "every": 20}))).await
    });
    // Calls of one client are sent in their order.
    other_client.call("test__received", json!({})).await;
    assert_eq!(connected.asks(form()).await["result"]["action"], "accept");
    assert_eq!(connected.next_message().await, "test: who?");
    other_client.has_received_nothing().await;
    ticking.abort();
    other.abort();
}

#[tokio::test]
async fn client_is_notified_of_the_end_of_a_page_that_an_error_names() {
    let hub = asking().await;
    let mut connected = connected(Gateway::new(&hub), json!({"elicitation": {"url": {}}}), true).await;
    let page =
        json!({"mode": "url", "message": "sign in", "url": "https://example.org/", "elicitationId": "e1"});
    let call = params("test__refuse", json!({"elicitations": [page]}));
    let refused = connected.client.call_tool(call).await;
    let Err(ServiceError::McpError(error)) = refused else { panic!("{refused:?}") };
    assert_eq!((error.code.0, error.data), (-32042, Some(json!({"elicitations": [page]}))));
    let end = json!({"method": "notifications/elicitation/complete", "params": {"elicitationId": "e1"}});
    connected.call("test__notify", end).await;
    assert_eq!(connected.next_message().await, "notifications/elicitation/complete \"e1\"");
}

#[tokio::test]
async fn client_opens_pages_and_is_notified_of_their_end_but_not_with_a_long_id() {
    let hub = asking().await;
    let mut connected = connected(Gateway::new(&hub), json!({"elicitation": {"url": {}}}), true).await;
    for id in ["x".repeat(5_000), "e1".to_owned()] {
        let page =
            json!({"mode": "url", "message": "sign in", "url": "https://example.org/", "elicitationId": id});
        let answer = connected.asks(json!({"method": "elicitation/create", "params": page})).await;
        assert_eq!(answer["result"]["action"], "accept", "{answer}");
        assert_eq!(connected.next_message().await, "test: sign in https://example.org/");
        let end = json!({"method": "notifications/elicitation/complete", "params": {"elicitationId": id}});
        connected.call("test__notify", end).await;
    }
    assert_eq!(connected.next_message().await, "notifications/elicitation/complete \"e1\"");
    assert_eq!(connected.asks(form()).await["result"]["action"], "decline");
}

#[tokio::test]
async fn roots_of_clients_are_passed_to_servers_and_so_are_their_changes() {
    let hub = asking().await;
    let capabilities = json!({"roots": {"listChanged": true}});
    let connected = connected(Gateway::new(&hub), capabilities, true).await;
    let roots = async || connected.asks(json!({"method": "roots/list"})).await["result"]["roots"].clone();
    assert_eq!(roots().await, json!([]));
    connected.client.service().roots.lock().unwrap().push(Root::new("file:///a"));
    connected.client.notify_roots_list_changed().await.unwrap();
    let changed = async {
        let list_changed = "notifications/roots/list_changed";
        while !connected.call("test__received", json!({})).await.contains(list_changed) {}
    };
    timeout(LIMIT, changed).await.unwrap();
    assert_eq!(roots().await, json!([{"uri": "file:///a"}]));
    drop(connected);
}

#[tokio::test]
async fn client_without_the_capability_is_not_asked() {
    let hub = asking().await;
    let mut connected = connected(Gateway::new(&hub), json!({}), true).await;
    assert_eq!(connected.asks(form()).await["result"]["action"], "decline");
    let sample = json!({"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": []}});
    assert_eq!(connected.asks(sample).await["error"]["code"], -1);
    connected.has_received_nothing().await;
}

#[tokio::test]
async fn error_for_a_form_that_does_not_fit_names_the_field() {
    let hub = asking().await;
    let mut connected = connected(Gateway::new(&hub), can_all(), true).await;
    let mut question = form();
    let fields = &mut question["params"]["requestedSchema"]["properties"];
    fields["tags"] = json!({"type": "array", "items": {"type": "string"}});
    let answer = connected.asks(question).await;
    let error = &answer["error"];
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().unwrap().contains("the field `tags`"), "{error}");
    connected.has_received_nothing().await;
}

#[tokio::test]
async fn metadata_of_a_question_and_the_error_in_answer_to_it_are_passed_on() {
    let hub = asking().await;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let gateway = Gateway::new(&hub);
    tokio::spawn(async move { drop(gateway.serve(ours).await.unwrap().waiting().await) });
    let (mut client, _) = Raw::shake_hands(theirs, can_all()).await;
    let sample = json!({"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": []}});
    let error = json!({"code": -32602, "message": "no result", "data": {"missing": ["t1"]}});
    for (id, mut question) in [(2, form()), (3, sample)] {
        question["params"]["_meta"] = json!({"x.y/z": 1, "progressToken": "of the server"});
        let call = json!({"name": "test__ask", "arguments": question});
        client.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})).await;
        let asked = client.next_message().await;
        assert_eq!(asked["params"]["_meta"]["x.y/z"], 1, "{asked}");
        assert_ne!(asked["params"]["_meta"]["progressToken"], "of the server");
        client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
        let answered = client.next_message().await;
        let text = answered["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap()["error"], error);
    }
}

#[tokio::test]
async fn question_ends_with_the_last_call_of_its_client() {
    let hub = asking().await;
    let mut connected = connected(Gateway::new(&hub), can_all(), false).await;
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params("test__ask", form())));
    let options = PeerRequestOptions::no_options();
    let handle = connected.client.send_request_with_option(request, options).await.unwrap();
    assert_eq!(connected.next_message().await, "test: who?");
    handle.cancel(None).await.unwrap();
    assert_eq!(connected.next_message().await, "cancelled");
}

#[tokio::test]
async fn client_receives_log_messages_of_its_level() {
    let hub = hub(config(), |builder| builder).await;
    let mut connected = connected(Gateway::new(&hub).pass_logs(), json!({}), true).await;
    assert!(connected.client.peer_info().unwrap().capabilities.logging.is_some());
    connected.logs("debug", "too much").await;
    connected.logs("info", "first").await;
    assert_eq!(connected.next_message().await, "test/part \"first\"");
    connected.client.set_level(SetLevelRequestParams::new(LoggingLevel::Error)).await.unwrap();
    connected.logs("warning", "too little").await;
    connected.logs("critical", "second").await;
    assert_eq!(connected.next_message().await, "test/part \"second\"");
}

#[tokio::test]
async fn log_messages_before_a_result_are_forwarded_before_it() {
    let hub = hub(config(), |builder| builder).await;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let gateway = Gateway::new(&hub).pass_logs();
    tokio::spawn(async move { drop(gateway.serve(ours).await.unwrap().waiting().await) });
    let (mut client, _) = Raw::shake_hands(theirs, json!({})).await;
    let message = json!({"level": "info", "data": "step"});
    let arguments = json!({"method": "notifications/message", "params": message, "times": 20});
    let call = json!({"name": "test__notify", "arguments": arguments});
    client.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})).await;
    for _ in 0..20 {
        let logged = client.next_message().await;
        assert_eq!(logged["params"]["data"], "step", "{logged}");
    }
    assert_eq!(client.next_message().await["id"], 2);
}

#[tokio::test]
async fn client_without_logging_receives_no_log_messages() {
    let hub = hub(config(), |builder| builder).await;
    let mut connected = connected(Gateway::new(&hub), json!({}), true).await;
    assert!(connected.client.peer_info().unwrap().capabilities.logging.is_none());
    connected.client.set_level(SetLevelRequestParams::new(LoggingLevel::Error)).await.unwrap_err();
    connected.logs("critical", "nobody listens").await;
    connected.has_received_nothing().await;
}
