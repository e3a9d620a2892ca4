//! Requests about MCP servers and their tools.

use std::collections::BTreeMap;

use agentwire_protocol::{
    RawJson,
    control::{
        McpAuthenticate, McpAuthenticateReply, McpCall, McpCallReply, McpClearAuth, McpOauthCallbackUrl,
        McpReadResource, McpReadResourceReply, McpReconnect, McpSetServers, McpSetServersReply, McpStatus,
        McpStatusReply, McpToggle, SendMcpMessage,
    },
    mcp::McpServerConfig,
};

use crate::{Control, ControlError};

impl Control {
    /// Returns the states of the MCP servers (`mcp_status`). A server is listed once it has connected or failed.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn mcp_status(&self) -> Result<McpStatusReply, ControlError> {
        self.call(&McpStatus::default()).await
    }

    /// Replaces the MCP servers that were set before, including in-process ones (`mcp_set_servers`).
    ///
    /// The servers of the settings stay.
    /// The reply waits for the first attempt to connect, and contains the errors.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn mcp_set_servers(
        &self,
        servers: BTreeMap<Box<str>, McpServerConfig>,
    ) -> Result<McpSetServersReply, ControlError> {
        self.call(&McpSetServers::new(servers)).await
    }

    /// Reconnects an MCP server (`mcp_reconnect`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses an unknown server, and one that can't be reached.
    pub async fn mcp_reconnect(&self, server: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&McpReconnect::new(server)).await
    }

    /// Turns an MCP server on or off (`mcp_toggle`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses an unknown server.
    pub async fn mcp_toggle(&self, server: impl Into<Box<str>>, enabled: bool) -> Result<(), ControlError> {
        self.done(&McpToggle::new(server, enabled)).await
    }

    /// Calls a tool of an MCP server that the CLI runs, without the model (`mcp_call`).
    ///
    /// Skips permission checks, unless `check_permissions` is set.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses tools of in-process servers.
    /// With files or limits, most failures are part of a successful reply (`staging`).
    pub async fn mcp_call(&self, request: &McpCall) -> Result<McpCallReply, ControlError> {
        self.call(request).await
    }

    /// Reads a user interface resource of an MCP server (`mcp_read_resource`); its URI starts with `ui://`.
    ///
    /// The content is not checked. CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses in-process servers.
    pub async fn mcp_read_resource(
        &self,
        server: impl Into<Box<str>>,
        uri: impl Into<String>,
    ) -> Result<McpReadResourceReply, ControlError> {
        self.call(&McpReadResource::new(server, uri)).await
    }

    /// Starts the login to a remote MCP server (`mcp_authenticate`). The reply contains the page for the user to open.
    ///
    /// With a `redirect_uri` the browser returns there, and the host passes the URL on with
    /// [`mcp_oauth_callback_url`](Self::mcp_oauth_callback_url). Without one the CLI listens on the loopback.
    /// The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses other kinds of servers.
    pub async fn mcp_authenticate(
        &self,
        server: impl Into<Box<str>>,
        redirect_uri: Option<&str>,
    ) -> Result<McpAuthenticateReply, ControlError> {
        let mut request = McpAuthenticate::new(server);
        request.redirect_uri = redirect_uri.map(Into::into);
        self.call(&request).await
    }

    /// Passes on the URL that the browser returned to (`mcp_oauth_callback_url`).
    ///
    /// The server may stay at `needs-auth` until [`mcp_reconnect`](Self::mcp_reconnect).
    /// The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a server without a login in progress.
    pub async fn mcp_oauth_callback_url(
        &self,
        server: impl Into<Box<str>>,
        url: impl Into<String>,
    ) -> Result<(), ControlError> {
        self.done(&McpOauthCallbackUrl::new(server, url)).await
    }

    /// Logs out of a remote MCP server (`mcp_clear_auth`). The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn mcp_clear_auth(&self, server: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&McpClearAuth::new(server)).await
    }

    /// Sends a JSON-RPC message of an in-process server (`mcp_message`).
    ///
    /// The reply only acknowledges it. A JSON-RPC response arrives as a message to that server.
    /// In-process servers of `agentwire-mcp` call this by themselves.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn send_mcp_message(
        &self,
        server: impl Into<Box<str>>,
        message: RawJson,
    ) -> Result<(), ControlError> {
        self.done(&SendMcpMessage::new(server, message)).await
    }
}
