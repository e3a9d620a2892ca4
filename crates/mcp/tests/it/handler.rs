//! `rmcp` handlers: one from the macros, and one that misbehaves.

use agentwire_mcp::{
    RmcpServer,
    rmcp::{
        self, ErrorData, RoleServer, ServerHandler,
        handler::server::wrapper::Parameters,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam,
            ContentBlock, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, RequestId,
            ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
        },
        service::{NotificationContext, RequestContext, SubscriptionContext},
        tool, tool_handler, tool_router,
    },
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::cli::{Cli, call, cancelled, initialize, within};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct AddInput {
    a: i64,
    b: i64,
}

#[derive(Clone)]
struct Calculator;

#[tool_router]
impl Calculator {
    #[tool(description = "Adds.")]
    async fn add(&self, Parameters(AddInput { a, b }): Parameters<AddInput>) -> String {
        (a + b).to_string()
    }
}

#[tool_handler]
impl ServerHandler for Calculator {}

/// A handler that panics, sends progress or sends a request, by the name of the tool.
#[derive(Clone)]
struct Unruly;

impl ServerHandler for Unruly {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &'static str| Tool::new(name, "", serde_json::Map::new());
        Ok(ListToolsResult::with_all_items(["panic", "progress", "ask"].map(tool).to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = match &*request.name {
            "progress" => {
                let token = context
                    .meta
                    .get_progress_token()
                    .ok_or_else(|| ErrorData::internal_error("no token", None))?;
                let progress = ProgressNotificationParam::new(token, 0.5);
                format!("{:?}", context.peer.notify_progress(progress).await.is_ok())
            }
            "ask" => match context
                .peer
                .send_request(rmcp::model::ServerRequest::PingRequest(Default::default()))
                .await
            {
                Ok(_) => "answered".to_owned(),
                Err(error) => error.to_string(),
            },
            name => panic!("told to {name}"),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(reply)]).into())
    }
}

/// A handler that reports the ids of its requests.
#[derive(Clone)]
struct Ids(mpsc::Sender<(&'static str, Option<RequestId>)>);

impl ServerHandler for Ids {
    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.0.send(("request", Some(context.id))).await.unwrap();
        context.ct.cancelled().await;
        Ok(())
    }

    async fn on_cancelled(&self, params: CancelledNotificationParam, _: NotificationContext<RoleServer>) {
        self.0.send(("cancelled", params.request_id)).await.unwrap();
    }
}

fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[tokio::test]
async fn a_server_made_with_macros_is_served_and_checked() {
    let mut cli = Cli::serving(RmcpServer::new(Calculator)).await;
    assert_eq!(cli.rpc(initialize()).await["result"]["capabilities"], json!({"tools": {}}));
    assert_eq!(cli.rpc(request(1, "tools/list", json!({}))).await["result"]["tools"][0]["name"], "add");
    let sum = cli.call("add", json!({"a": 2, "b": 3})).await;
    assert_eq!(sum["content"][0]["text"], "5");
    let result = cli.call("add", json!({"a": "2", "c": 1})).await;
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("/a: \"2\" is not of type \"integer\"") && text.contains("\"b\" is a required"),
        "{text}"
    );
}

#[tokio::test]
async fn any_order_of_messages_is_answered() {
    let mut cli = Cli::serving(RmcpServer::new(Calculator)).await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(cli.rpc(note.clone()).await["result"], json!({}));
    assert_eq!(cli.call("add", json!({"a": 2, "b": 3})).await["content"][0]["text"], "5");
    assert_eq!(cli.rpc(initialize()).await["id"], 0);
    assert_eq!(cli.rpc(note).await["result"], json!({}));
    assert_eq!(cli.rpc(initialize()).await["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn each_fault_has_the_code_of_json_rpc() {
    let mut cli = Cli::serving(RmcpServer::new(Calculator)).await;
    let mut code = async |message| cli.rpc(message).await["error"]["code"].as_i64();
    assert_eq!(code(request(1, "tools/call", json!({"name": 5}))).await, Some(-32602));
    assert_eq!(code(request(2, "initialize", json!({}))).await, Some(-32602));
    assert_eq!(code(request(3, "no/such", json!({}))).await, Some(-32601));
    assert_eq!(code(request(4, "prompts/list", json!({}))).await, Some(-32601));
    assert_eq!(code(request(5, "resources/list", json!({}))).await, Some(-32601));
    assert_eq!(code(call(6, "no such tool", json!({}))).await, Some(-32602));
    let fraction = json!({"jsonrpc": "2.0", "id": 2.5, "method": "ping"});
    assert_eq!(code(fraction).await, Some(-32603));
    assert_eq!(code(request(7, "ping", json!({}))).await, None);
}

#[tokio::test]
async fn a_handler_that_panics_gives_an_error() {
    let mut cli = Cli::serving(RmcpServer::new(Unruly)).await;
    let answer = cli.rpc(call(1, "panic", json!({}))).await;
    let expected = json!({"jsonrpc": "2.0", "id": 1, "error": {
        "code": -32603, "message": "the handler panicked: told to panic"
    }});
    assert_eq!(answer, expected);
    assert!(cli.rpc(request(2, "ping", json!({}))).await["result"].is_object());
}

#[tokio::test]
async fn progress_goes_to_the_cli() {
    let mut cli = Cli::serving(RmcpServer::new(Unruly)).await;
    cli.rpc(initialize()).await;
    cli.post("one", "s", call(1, "progress", json!({}))).await;
    let mut lines = [cli.line().await, cli.line().await];
    lines.sort_by_key(|line| line["type"].to_string());
    let [progress, answer] = lines;
    assert_eq!(progress["request"]["server_name"], "s");
    assert_eq!(progress["request"]["message"]["method"], "notifications/progress");
    assert_eq!(progress["request"]["message"]["params"], json!({"progressToken": 1, "progress": 0.5}));
    assert_eq!(answer["response"]["response"]["mcp_response"]["result"]["content"][0]["text"], "true");
}

#[tokio::test]
async fn a_request_of_the_servers_is_answered_or_fails() {
    let mut cli = Cli::serving(RmcpServer::new(Unruly)).await;
    cli.rpc(initialize()).await;
    // The CLI acknowledges, and answers by a message of its own.
    cli.post("one", "s", call(1, "ask", json!({}))).await;
    let message = cli.server_message().await["message"].take();
    assert_eq!(message["method"], "ping");
    cli.post("pong", "s", json!({"jsonrpc": "2.0", "id": message["id"], "result": {}})).await;
    let mut answers = [cli.answer().await, cli.answer().await];
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    let [(_, answer), _] = answers;
    assert_eq!(answer.unwrap()["mcp_response"]["result"]["content"][0]["text"], "answered");
    // The CLI refuses.
    cli.post("one", "s", call(2, "ask", json!({}))).await;
    let line = cli.line().await;
    cli.reply(&line, json!({"subtype": "error", "error": "no such server"})).await;
    let answer = cli.answer().await.1.unwrap();
    let text = answer["mcp_response"]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("no such server"), "{text}");
}

#[tokio::test]
async fn a_handler_gets_the_id_of_the_cancelled_request() {
    let (ids, mut came) = mpsc::channel(8);
    let mut cli = Cli::serving(RmcpServer::new(Ids(ids))).await;
    for name in ["first", "second"] {
        cli.post("one", "s", json!({"jsonrpc": "2.0", "id": name, "method": "ping"})).await;
        let (_, id) = within(came.recv()).await.unwrap();
        cli.post("note", "s", cancelled(name)).await;
        assert_eq!(within(came.recv()).await.unwrap(), ("cancelled", id));
        let answers = [cli.answer().await.1.unwrap(), cli.answer().await.1.unwrap()];
        assert!(answers.iter().any(|answer| answer["mcp_response"]["id"] == name), "{answers:?}");
    }
}

#[tokio::test]
async fn a_subscription_has_the_id_of_the_clis_request() {
    #[derive(Clone)]
    struct Listens;
    impl ServerHandler for Listens {
        fn get_info(&self) -> ServerConfig {
            let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
            ServerConfig::new(capabilities.build())
        }

        fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
            Some(requested.clone())
        }

        async fn listen(&self, _: SubscriptionContext) -> Result<(), ErrorData> {
            Ok(())
        }
    }
    let mut cli = Cli::serving(RmcpServer::new(Listens)).await;
    let listen = json!({"notifications": {"toolsListChanged": true}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    cli.post("one", "s", request(70, "subscriptions/listen", listen)).await;
    let mut lines = [cli.line().await, cli.line().await];
    lines.sort_by_key(|line| line["type"].to_string());
    let [acknowledged, answer] = lines;
    let id = |meta: &Value| meta["io.modelcontextprotocol/subscriptionId"].clone();
    let acknowledged = &acknowledged["request"]["message"];
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    assert_eq!(id(&acknowledged["params"]["_meta"]), 70);
    let answer = &answer["response"]["response"]["mcp_response"];
    assert_eq!((&answer["id"], id(&answer["result"]["_meta"])), (&json!(70), json!(70)), "{answer}");
}
