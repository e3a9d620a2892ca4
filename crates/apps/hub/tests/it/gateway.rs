//! All servers as one MCP server, over a transport of rmcp, as another agent uses it.

use std::{
    fs,
    future::pending,
    time::{Duration, Instant},
};

use agentwire_hub::{
    Approval, Audit, CallDecision, CallEnd, CallRequest, Gateway, Hub, KeepAlive, Naming, ServerState, Use,
    config::{Launch, ServerConfig, Sources},
};
use futures_util::{StreamExt as _, future::join_all};
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt as _, RoleClient, RoleServer, ServiceExt,
    model::{
        CallToolRequest, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
        CompleteRequestParams, GetPromptRequestParams, Implementation, PaginatedRequestParams,
        ProgressNotificationParam, ReadResourceRequestParams, ResourceContents,
    },
    service::{NotificationContext, PeerRequestOptions, RunningService, ServiceError},
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};

use crate::{
    asking::params,
    gateway_program,
    project::{is_connected, until},
    server::{LIMIT, REFUSAL, config, program, started},
    tasks::Raw,
};

/// A client that forwards notifications.
#[derive(Clone)]
struct Client(mpsc::UnboundedSender<Received>);

#[derive(Debug, PartialEq)]
enum Received {
    Tools,
    Resources,
    Prompts,
    Progress(f64),
}

impl ClientHandler for Client {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Tools).unwrap();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Resources).unwrap();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Prompts).unwrap();
    }

    async fn on_progress(&self, step: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Progress(step.progress)).unwrap();
    }
}

struct Connected {
    hub: Hub,
    client: RunningService<RoleClient, Client>,
    events: mpsc::UnboundedReceiver<Received>,
    _server: RunningService<RoleServer, Gateway>,
}

async fn connected(hub: Hub, with: impl FnOnce(Gateway) -> Gateway) -> Connected {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (sender, events) = mpsc::unbounded_channel();
    let gateway = with(Gateway::new(&hub).patience(LIMIT));
    let (server, client) = tokio::join!(gateway.serve(ours), Client(sender).serve(theirs));
    Connected { hub, client: client.unwrap(), events, _server: server.unwrap() }
}

fn hub(names: &[&str]) -> Hub {
    hub_of(names, &config())
}

fn hub_of(names: &[&str], config: &ServerConfig) -> Hub {
    let sources = names.iter().fold(Sources::new(), |sources, name| sources.server(*name, config.clone()));
    let reading = Approval::asked(async |call| match call.what {
        Use::Resource => CallDecision::Allow,
        _ => CallDecision::Deny { reason: None },
    });
    Hub::builder().sources(sources).approval(reading).build()
}

/// Returns the server with a variable that makes it lack a capability.
fn lacking(variable: &str) -> ServerConfig {
    with_variable(variable, "1")
}

fn with_variable(variable: &str, value: &str) -> ServerConfig {
    let (mut config, mut program) = (config(), program());
    program.env.insert(variable.to_owned(), value.to_owned());
    config.launch = program.into();
    config
}

/// Returns a program that runs this script and is no server.
fn shell(script: &str) -> ServerConfig {
    let mut config = config();
    let Launch::Stdio(stdio) = &mut config.launch else { panic!() };
    stdio.args = vec!["-c".to_owned(), script.to_owned()];
    config
}

/// How long the requests of a client wait in tests of delays.
const PATIENCE: Duration = Duration::from_secs(2);
/// A delay in milliseconds that no test waits for.
const NEVER: u64 = 3_600_000;

async fn one() -> Connected {
    connected(hub(&["test"]), |gateway| gateway).await
}

/// Requests the tools until they contain this one.
async fn until_listed(connected: &Connected, tool: &str) {
    let listed = async {
        while !connected.tools().await.iter().any(|listed| listed == tool) {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, listed).await.unwrap();
}

impl Connected {
    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        self.client.call_tool(params(tool, arguments)).await.unwrap()
    }

    async fn tools(&self) -> Vec<String> {
        let tools = self.client.list_all_tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    /// Returns the URI of a tool's view.
    async fn view(&self, tool: &str) -> Value {
        let tools = self.client.list_all_tools().await.unwrap();
        let tool = tools.iter().find(|listed| listed.name == *tool).unwrap();
        serde_json::to_value(&tool.meta).unwrap()["ui"]["resourceUri"].clone()
    }

    /// Returns how often the tools of the server `test` were listed.
    async fn listings(&self) -> u64 {
        let received = self.call("test__received", json!({})).await;
        serde_json::from_str::<Value>(text(&received)).unwrap()["listings"].as_u64().unwrap()
    }

    /// Requests the tools several times. No request may wait for a server.
    async fn lists_at_once(&self) {
        for _ in 0..5 {
            let start = Instant::now();
            assert!(!self.tools().await.is_empty());
            assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
        }
    }

    async fn next_event(&mut self) -> Received {
        timeout(LIMIT, self.events.recv()).await.unwrap().unwrap()
    }
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

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
    let connected = connected(hub(&["test"]), |gateway| gateway).await;
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
    let often = KeepAlive::default().idle(PATIENCE / 10).limit(PATIENCE / 2);
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

#[tokio::test]
async fn gateway_serves_a_client_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner.json");
    let Launch::Stdio(program) = config().launch else { panic!() };
    let server = json!({"command": program.command, "args": program.args});
    fs::write(&inner, json!({"mcpServers": {"test": server}}).to_string()).unwrap();
    let outer = folder.path().join("outer.json");
    let servers = json!({"mcpServers": {"inner": gateway_program::config(&inner)}});
    fs::write(&outer, servers.to_string()).unwrap();
    let hub = Hub::builder().sources(Sources::new().global(outer)).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(hub.tools().iter().any(|tool| &*tool.name == "mcp__inner__test__echo"), "{:?}", hub.snapshot());
    let call = CallRequest::new("inner", "test__echo").arguments(json!({"text": "hello"}));
    let outcome = hub.call(call).await.unwrap();
    assert_eq!(outcome.content[0].as_text().unwrap().text, "hello");
}

#[tokio::test]
async fn hub_ends_with_its_last_client() {
    let Connected { hub, client, events: _events, _server } = one().await;
    client.list_all_tools().await.unwrap();
    let mut events = hub.events();
    drop(hub);
    client.cancel().await.unwrap();
    _server.waiting().await.unwrap();
    // The stream of events ends with the hub.
    let end = async { while events.next().await.is_some() {} };
    timeout(LIMIT, end).await.unwrap();
}
