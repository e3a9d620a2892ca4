//! An `rmcp` handler that has resources, prompts, subscriptions and logging.

use std::collections::BTreeSet;

use agentwire_mcp::{
    RmcpServer,
    rmcp::{
        self, ErrorData, RoleServer, ServerHandler,
        model::{
            GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
            ListResourcesResult, PaginatedRequestParams, Prompt, PromptArgument, PromptMessage,
            ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
            ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig,
        },
        service::RequestContext,
    },
};
use serde_json::json;

use crate::{
    cli::{Cli, initialize},
    resources_and_prompts::request,
};

fn greeting() -> Prompt {
    let argument = PromptArgument::new("whom").with_required(true);
    Prompt::new("greet", Some("Greets."), Some(vec![argument]))
}

/// A handler with resources, prompts and subscriptions, which notifies the client during `resources/subscribe`.
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
        let text = format!("Greet \"{}\".", request.name);
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
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
async fn a_handler_may_use_all_of_mcp() {
    let mut cli = Cli::serving(RmcpServer::new(Library)).await;
    let hello = cli.rpc(initialize()).await["result"].take();
    assert_eq!(hello["capabilities"], json!({"prompts": {}, "resources": {"subscribe": true}}));
    let mut result = async |method, params| cli.rpc(request(method, params)).await["result"].take();
    assert_eq!(result("resources/list", json!({})).await["resources"][0]["uri"], "book://1");
    let read = result("resources/read", json!({"uri": "book://1"})).await;
    assert_eq!(read["contents"], json!([{"uri": "book://1", "blob": "AAAA"}]));
    assert_eq!(result("prompts/list", json!({})).await["prompts"][0]["name"], "greet");
    let greeted = result("prompts/get", json!({"name": "greet"})).await;
    assert_eq!(greeted["messages"][0]["content"]["text"], "Greet \"greet\".");
    // A notification is written before the answer to the request during which it was sent.
    let (mut notifications, mut answered) = (BTreeSet::new(), BTreeSet::new());
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
            notifications.insert(line["request"]["message"]["method"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(answered.len(), 2);
    let expected = ["message", "prompts/list_changed", "resources/list_changed", "resources/updated"];
    assert_eq!(notifications, expected.map(|name| format!("notifications/{name}")).into());
}

#[cfg(feature = "schemars")]
#[tokio::test]
async fn a_tool_of_a_server_may_return_a_result_of_rmcp() {
    use agentwire_mcp::Server;
    use rmcp::model::{CallToolResult, ContentBlock};

    use crate::cli::NoInput;

    let server = Server::new("s", "1").tool("t", "", async |_: NoInput, _| {
        let mut result = CallToolResult::error(vec![ContentBlock::text("no")]);
        result.structured_content = Some(json!({"n": 1}));
        result
    });
    let mut cli = Cli::serving(server).await;
    let expected = json!({
        "content": [{"type": "text", "text": "no"}], "structuredContent": {"n": 1}, "isError": true,
    });
    assert_eq!(cli.call("t", json!({})).await, expected);
}
