//! The in-process MCP servers of a scenario: real servers on rmcp, with answers from data.

use std::sync::Arc;

use agentwire::protocol::DecodeError;
use agentwire_mcp::{
    McpServers, RmcpServer,
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject,
            ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as Listed,
        },
        service::RequestContext,
    },
};

use super::{
    spec::{Server, Tool},
    witness::Witness,
};

/// A server of the scenario.
#[derive(Clone, Debug)]
struct Scripted {
    name: String,
    tools: Arc<[Tool]>,
    witness: Witness,
}

/// Returns the servers by their names.
pub(super) fn servers<'a>(
    specs: impl IntoIterator<Item = (&'a String, &'a Server)>,
    witness: &Witness,
) -> McpServers {
    // No manifests in the handshake, so that the recordings show the CLI's requests to servers.
    let none = McpServers::new().manifest_limit(None);
    specs.into_iter().fold(none, |servers, (name, spec)| {
        let tools = spec.tools.clone().into();
        let scripted = Scripted { name: name.clone(), tools, witness: witness.clone() };
        servers.with(name.as_str(), RmcpServer::new(scripted))
    })
}

impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(self.name.clone(), "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Result<Vec<_>, _> = self.tools.iter().map(Tool::listed).collect();
        tools.map(ListToolsResult::with_all_items).map_err(unusable)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.witness.note(|seen| seen.called.push(format!("{}/{}", self.name, request.name)));
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let result: CallToolResult = tool.result.decode().map_err(unusable)?;
        Ok(result.into())
    }
}

fn unusable(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(format!("the scenario's tool can't be used: {error}"), None)
}

impl Tool {
    fn listed(&self) -> Result<Listed, DecodeError> {
        let schema: JsonObject = self.input_schema.decode()?;
        Ok(Listed::new(self.name.clone(), self.description.clone(), schema))
    }
}
