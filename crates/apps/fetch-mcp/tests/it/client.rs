//! A client of the server, over a pipe in memory.

use std::time::Duration;

use agentwire_fetch_mcp::{FetchOptions, FetchServer};
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ServiceExt, object};
use tokio::task::JoinSet;

/// A client; dropping it ends the server.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, ()>,
    _serving: JoinSet<()>,
}

impl Client {
    /// Connects to a server that may fetch from loopback.
    pub(crate) async fn new() -> Self {
        Self::on_loopback(|_| ()).await
    }

    /// The same, with other options.
    pub(crate) async fn on_loopback(change: impl FnOnce(&mut FetchOptions)) -> Self {
        Self::with(|options| {
            options.allow_private = true;
            change(options);
        })
        .await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut FetchOptions)) -> Self {
        let mut options = FetchOptions::default();
        change(&mut options);
        let server = FetchServer::new(options).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            server.serve(theirs).await.unwrap().waiting().await.unwrap();
        });
        Self { service: ().serve(ours).await.unwrap(), _serving: serving }
    }

    pub(crate) async fn call(&self, arguments: rmcp::model::JsonObject) -> CallToolResult {
        let call = CallToolRequestParams::new("fetch").with_arguments(arguments);
        tokio::time::timeout(LIMIT, self.service.call_tool(call)).await.unwrap().unwrap()
    }

    /// Returns the text for a URL.
    pub(crate) async fn shown(&self, url: &str) -> String {
        let result = self.call(object!({ "url": url })).await;
        assert_ne!(result.is_error, Some(true), "{}", text(&result));
        text(&result)
    }

    /// Returns the error for a URL that is refused.
    pub(crate) async fn refused(&self, url: &str) -> String {
        let result = self.call(object!({ "url": url })).await;
        assert_eq!(result.is_error, Some(true), "{}", text(&result));
        text(&result)
    }
}

pub(crate) fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str()).collect()
}

/// Longer than the server's own limit.
const LIMIT: Duration = Duration::from_secs(40);
