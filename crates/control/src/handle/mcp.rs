//! MCP servers and their tools.

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
    /// How the MCP servers stand (`mcp_status`); one is listed once it has connected or failed.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn mcp_status(&self) -> Result<McpStatusReply, ControlError> {
        self.call(&McpStatus::default()).await
    }

    /// Puts these MCP servers in the place of those set before, the host's own included (`mcp_set_servers`).
    ///
    /// The servers of the settings stay.
    /// The reply waits for the first attempt to connect, and tells why one failed.
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

    /// Connects an MCP server again (`mcp_reconnect`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a server that it does not know, and one that can't be reached.
    pub async fn mcp_reconnect(&self, server: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&McpReconnect::new(server)).await
    }

    /// Turns an MCP server on or off (`mcp_toggle`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a server that it does not know.
    pub async fn mcp_toggle(&self, server: impl Into<Box<str>>, enabled: bool) -> Result<(), ControlError> {
        self.done(&McpToggle::new(server, enabled)).await
    }

    /// Calls a tool of an MCP server that the CLI runs, without the model (`mcp_call`).
    ///
    /// Nobody is asked for a permission, unless `check_permissions` is set.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses tools of the host's own servers.
    /// Where files or limits are given, most failures are told in a success (`staging`).
    pub async fn mcp_call(&self, request: &McpCall) -> Result<McpCallReply, ControlError> {
        self.call(request).await
    }

    /// Reads a page that an MCP server has for its tools (`mcp_read_resource`); its address starts with `ui://`.
    ///
    /// Nobody has checked the page. CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses servers of the host's own.
    pub async fn mcp_read_resource(
        &self,
        server: impl Into<Box<str>>,
        uri: impl Into<String>,
    ) -> Result<McpReadResourceReply, ControlError> {
        self.call(&McpReadResource::new(server, uri)).await
    }

    /// Begins to log in to an MCP server at a URL (`mcp_authenticate`): the reply has the page for the user to open.
    ///
    /// With a `redirect_uri` the browser comes back there, and the host tells the CLI with
    /// [`mcp_oauth_callback_url`](Self::mcp_oauth_callback_url); without one the CLI listens on the loopback.
    /// Not declared.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a server of another kind.
    pub async fn mcp_authenticate(
        &self,
        server: impl Into<Box<str>>,
        redirect_uri: Option<&str>,
    ) -> Result<McpAuthenticateReply, ControlError> {
        let mut request = McpAuthenticate::new(server);
        request.redirect_uri = redirect_uri.map(Into::into);
        self.call(&request).await
    }

    /// Hands on the address that the browser came back to (`mcp_oauth_callback_url`).
    ///
    /// The server may still be at `needs-auth` after it, until [`mcp_reconnect`](Self::mcp_reconnect).
    /// Not declared.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a server that nobody is logging in to.
    pub async fn mcp_oauth_callback_url(
        &self,
        server: impl Into<Box<str>>,
        url: impl Into<String>,
    ) -> Result<(), ControlError> {
        self.done(&McpOauthCallbackUrl::new(server, url)).await
    }

    /// Logs out of an MCP server at a URL (`mcp_clear_auth`). Not declared.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn mcp_clear_auth(&self, server: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&McpClearAuth::new(server)).await
    }

    /// Sends a JSON-RPC message of one of our in-process servers (`mcp_message`).
    ///
    /// The reply only says that it came; an answer comes as a message to that server.
    /// In-process servers of `agentwire-mcp` do this by themselves.
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
