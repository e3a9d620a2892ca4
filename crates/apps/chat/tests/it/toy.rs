//! A small MCP server, which the tests start as a process of their own executable.

use std::sync::Arc;

use agentwire_hub::{
    Approval, CallDecision, Hub, Use,
    config::{ServerConfig, Sources, Stdio},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig as Info, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

/// Returns a hub with only the toy server, connected.
pub(crate) async fn hub() -> Hub {
    let mut config = ServerConfig::new(program());
    config.always_allow = ["*"].into_iter().collect();
    config.disabled_tools = ["secret"].into_iter().collect();
    let reading = Approval::asked(async |call| match call.what {
        Use::Resource if &*call.name == "toy://one" => CallDecision::Allow,
        _ => CallDecision::Deny { reason: None },
    });
    let hub = Hub::builder().sources(Sources::new().server("toy", config)).approval(reading).build();
    assert!(hub.wait_until_ready(std::time::Duration::from_secs(20)).await);
    assert_eq!(hub.tools().len(), 4, "{:?}", hub.snapshot());
    hub
}

/// Returns the command that starts the toy server.
pub(crate) fn program() -> Stdio {
    let program = std::env::current_exe().unwrap();
    let mut stdio = Stdio::new("sh");
    // The test harness prints on stdout, so the server writes to descriptor 3.
    let script = "exec 3>&1 1>/dev/null; exec \"$0\" toy::serve --exact --ignored --nocapture";
    stdio.args = vec!["-c".to_owned(), script.to_owned(), program.to_str().unwrap().to_owned()];
    stdio.env.insert(MARK.to_owned(), "1".to_owned());
    stdio
}

#[tokio::test]
#[ignore = "the server of the other tests"]
async fn serve() {
    if std::env::var_os(MARK).is_some() {
        let output = tokio::fs::OpenOptions::new().write(true).open("/dev/fd/3").await.unwrap();
        let toy = Toy { both: Arc::new(Barrier::new(2)) };
        toy.serve((tokio::io::stdin(), output)).await.unwrap().waiting().await.unwrap();
    }
}

#[derive(Clone)]
struct Toy {
    both: Arc<Barrier>,
}

impl ServerHandler for Toy {
    fn get_info(&self) -> Info {
        let mut info = Info::new(ServerCapabilities::builder().enable_tools().enable_resources().build());
        info.instructions = Some("Say please.".to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ["echo", "fail", "meet", "picture", "secret"].map(tool);
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let text = arguments["text"].as_str().unwrap_or("nothing");
        let content = match &*request.name {
            "fail" => return Ok(CallToolResult::error(vec![ContentBlock::text("it failed")]).into()),
            "meet" => {
                // Completes only if two calls run concurrently.
                self.both.wait().await;
                ContentBlock::text(format!("met {text}"))
            }
            "picture" if text == "broken" => {
                return Ok(CallToolResult::error(vec![ContentBlock::image(PNG, "image/png")]).into());
            }
            "picture" => ContentBlock::image(PNG, "image/png"),
            _ => ContentBlock::text(text),
        };
        Ok(CallToolResult::success(vec![content]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("toy://one", "one")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = format!("this is {}", request.uri);
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }
}

fn tool(name: &'static str) -> Tool {
    let Value::Object(schema) = json!({"type": "object", "properties": {"text": {"type": "string"}}}) else {
        panic!()
    };
    Tool::new(name, "What a toy does.", Arc::new(schema))
}

const MARK: &str = "AGENTWIRE_TOY";
/// An image of one pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
