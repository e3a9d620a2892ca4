//! Resources and prompts: of the short builder, and of a handler that has all of MCP.

use std::collections::BTreeSet;

use agentwire_mcp::{
    McpServers, RmcpServer, Server,
    rmcp::{
        self, ErrorData, RoleServer, ServerHandler,
        model::{
            GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
            ListResourcesResult, PaginatedRequestParams, Prompt, PromptArgument, PromptMessage,
            ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
            ResourceTemplate, ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig,
        },
        service::RequestContext,
    },
};
use serde_json::{Value, json};

use crate::cli::{Cli, initialize};

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn greeting() -> Prompt {
    let argument = PromptArgument::new("whom").with_required(true);
    Prompt::new("greet", Some("Greets."), Some(vec![argument]))
}

fn greet(whom: &Value) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, format!("Greet {whom}."))])
}

async fn built() -> Cli {
    let server = Server::new("s", "1")
        .title("Notes")
        .resource(Resource::new("note://all", "all"), async |uri| {
            Ok::<_, &str>(ResourceContents::text("1, 2", uri))
        })
        .resource_template(ResourceTemplate::new("note://{id}", "note"), async |uri: String| match &*uri {
            "note://1" => Ok(ResourceContents::text("one", uri)),
            "note://2" => panic!("two"),
            _ => Err("no such note"),
        })
        .prompt(greeting(), async |arguments| Ok::<_, &str>(greet(&arguments["whom"])));
    Cli::start(McpServers::new().with("s", server).bridge()).await
}

#[tokio::test]
async fn the_builder_offers_resources() {
    let mut cli = built().await;
    let hello = cli.rpc(initialize()).await["result"].take();
    assert_eq!(hello["capabilities"], json!({"prompts": {}, "resources": {}, "tools": {}}));
    assert_eq!(hello["serverInfo"]["title"], "Notes");
    let listed = cli.rpc(request("resources/list", json!({}))).await;
    assert_eq!(listed["result"]["resources"], json!([{"uri": "note://all", "name": "all"}]));
    let listed = cli.rpc(request("resources/templates/list", json!({}))).await;
    assert_eq!(
        listed["result"]["resourceTemplates"],
        json!([{"uriTemplate": "note://{id}", "name": "note"}])
    );
    let mut read = async |uri: &str| cli.rpc(request("resources/read", json!({"uri": uri}))).await;
    assert_eq!(read("note://all").await["result"]["contents"][0]["text"], "1, 2");
    assert_eq!(
        read("note://1").await["result"]["contents"],
        json!([{"uri": "note://1", "mimeType": "text/plain", "text": "one"}])
    );
    let error = |code: i32, message: &str| json!({"code": code, "message": message});
    assert_eq!(read("note://2").await["error"], error(-32603, "it panicked: two"));
    assert_eq!(read("note://3").await["error"], error(-32603, "no such note"));
    assert_eq!(read("other://3").await["error"], error(-32002, "there is no `other://3`"));
}

#[tokio::test]
async fn the_builder_offers_prompts() {
    let mut cli = built().await;
    let listed = cli.rpc(request("prompts/list", json!({}))).await;
    let expected = json!([{"name": "greet", "description": "Greets.", "arguments": [{"name": "whom", "required": true}]}]);
    assert_eq!(listed["result"]["prompts"], expected);
    let mut get = async |params: Value| cli.rpc(request("prompts/get", params)).await;
    let greeted = get(json!({"name": "greet", "arguments": {"whom": "Ann"}})).await;
    assert_eq!(greeted["result"]["messages"][0]["content"]["text"], "Greet \"Ann\".");
    let error = |message: &str| json!({"code": -32602, "message": message});
    assert_eq!(get(json!({"name": "greet"})).await["error"], error("the prompt `greet` needs `whom`"));
    assert_eq!(get(json!({"name": "x"})).await["error"], error("no prompt is called `x`; known: `greet`"));
}

/// A handler with resources, prompts and subscriptions, which tells at once when something is subscribed to.
#[derive(Clone)]
struct Library;

impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_resources().enable_resources_subscribe();
        ServerConfig::new(capabilities.enable_prompts().build())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("book://1", "one")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::blob("AAAA", request.uri)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![greeting()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(greet(&request.name.into()).into())
    }

    #[expect(deprecated, reason = "the version of MCP that the CLI speaks has it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let level = rmcp::model::LoggingMessageNotificationParam::new(request.level, "set".into());
        context.peer.notify_logging_message(level).await.unwrap();
        Ok(())
    }

    async fn subscribe(
        &self,
        request: rmcp::model::SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let update = ResourceUpdatedNotificationParam::new(request.uri);
        context.peer.notify_resource_updated(update).await.unwrap();
        context.peer.notify_resource_list_changed().await.unwrap();
        context.peer.notify_prompt_list_changed().await.unwrap();
        Ok(())
    }
}

#[tokio::test]
async fn a_handler_may_have_all_of_mcp() {
    let mut cli = Cli::start(McpServers::new().with("s", RmcpServer::new(Library)).bridge()).await;
    let hello = cli.rpc(initialize()).await["result"].take();
    assert_eq!(hello["capabilities"], json!({"prompts": {}, "resources": {"subscribe": true}}));
    let mut result = async |method, params| cli.rpc(request(method, params)).await["result"].take();
    assert_eq!(result("resources/list", json!({})).await["resources"][0]["uri"], "book://1");
    let read = result("resources/read", json!({"uri": "book://1"})).await;
    assert_eq!(read["contents"], json!([{"uri": "book://1", "blob": "AAAA"}]));
    assert_eq!(result("prompts/list", json!({})).await["prompts"][0]["name"], "greet");
    let greeted = result("prompts/get", json!({"name": "greet"})).await;
    assert_eq!(greeted["messages"][0]["content"]["text"], "Greet \"greet\".");
    // What it says by itself comes before the answer of the request in which it says it.
    let (mut said, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for (id, params) in
        [("resources/subscribe", json!({"uri": "book://1"})), ("logging/setLevel", json!({"level": "info"}))]
    {
        cli.post(id, "s", request(id, params)).await;
        loop {
            let line = cli.line().await;
            if line["type"] == "control_response" {
                answered.insert(line["response"]["request_id"].as_str().unwrap().to_owned());
                break;
            }
            said.insert(line["request"]["message"]["method"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(answered.len(), 2);
    let expected = ["message", "prompts/list_changed", "resources/list_changed", "resources/updated"];
    assert_eq!(said, expected.map(|name| format!("notifications/{name}")).into());
}
