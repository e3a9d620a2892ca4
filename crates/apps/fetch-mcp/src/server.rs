//! The MCP server: one tool, `fetch`.

use std::sync::Arc;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;

use crate::error::BuildError;
use crate::fetch::{Fetcher, Wanted};
use crate::html::Format;
use crate::options::FetchOptions;

/// An MCP server with the tool `fetch`, which returns a URL as text or Markdown.
///
/// It is an [`rmcp::ServerHandler`], for stdio, HTTP or the same process.
/// Clones share one HTTP client; at most eight calls run concurrently, and others wait.
/// A call that is cancelled or dropped closes its connection immediately.
#[derive(Clone, Debug)]
pub struct FetchServer {
    fetcher: Arc<Fetcher>,
}

/// The input of `fetch`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct FetchInput {
    /// The URL to fetch, http or https.
    url: String,
    /// How HTML is shown; other text is shown as it is.
    #[serde(default)]
    format: Format,
    /// The most characters to show.
    #[serde(default = "default_length")]
    #[schemars(range(min = 1, max = 1_000_000))]
    max_length: usize,
    /// The character to start from: where the page before ended.
    #[serde(default)]
    start_index: usize,
}

#[tool_router]
impl FetchServer {
    /// Creates the server and its HTTP client, which trusts the machine's certificates.
    ///
    /// # Errors
    ///
    /// If the options are invalid for an HTTP client.
    pub fn new(options: FetchOptions) -> Result<Self, BuildError> {
        Ok(Self { fetcher: Arc::new(Fetcher::new(options)?) })
    }

    #[tool(
        description = "Fetches a URL and shows its content: HTML as Markdown or plain text, other text as it is. \
                       A long page is cut; read on with start_index.",
        annotations(title = "Fetch a URL", read_only_hint = true, open_world_hint = true)
    )]
    async fn fetch(
        &self,
        Parameters(input): Parameters<FetchInput>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let length = input.max_length.clamp(1, MAX_LENGTH);
        let wanted = Wanted { format: input.format, start: input.start_index, length };
        let fetched = tokio::select! {
            fetched = self.fetcher.fetch(&input.url, wanted) => fetched,
            () = context.ct.cancelled() => return CallToolResult::error(vec![ContentBlock::text("cancelled")]),
        };
        match fetched {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        }
    }
}

#[tool_handler]
impl ServerHandler for FetchServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
    }
}

fn default_length() -> usize {
    DEFAULT_LENGTH
}

const DEFAULT_LENGTH: usize = 10_000;
const MAX_LENGTH: usize = 1_000_000;
