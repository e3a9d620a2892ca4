//! Requests about MCP servers and their tools.

use std::collections::BTreeMap;

use agentwire_protocol::{
    RawJson,
    control::{
        McpAuthenticate, McpAuthenticateReply, McpCall, McpCallReply, McpClearAuth, McpMessage,
        McpOauthCallbackUrl, McpReadResource, McpReadResourceReply, McpReconnect, McpSetServers,
        McpSetServersReply, McpStatus, McpStatusReply, McpToggle,
    },
    mcp::McpServerConfig,
};

use super::{Control, calls, with};
use crate::ControlError;

impl Control {
    /// Replaces the MCP servers that were set before, including in-process ones (`mcp_set_servers`).
    ///
    /// The servers of the settings stay.
    /// An in-process server without an entry is removed. The `tools` of an entry replace all rules of its server. If an
    /// entry lacks `tools`, `timeout` or `disable_auto_background`, this method adds the value of the handshake
    /// ([`Config::server_policies`](crate::Config::server_policies)); [`call`](Self::call) with a [`McpSetServers`]
    /// does not.
    /// In-process servers are set at the start of the session: the CLI reports an unknown one as added, and then it has
    /// the status `failed`.
    /// The reply waits for the first attempt to connect, and contains the errors.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn mcp_set_servers(
        &self,
        mut servers: BTreeMap<Box<str>, McpServerConfig>,
    ) -> Result<McpSetServersReply, ControlError> {
        for (name, server) in &mut servers {
            if let McpServerConfig::Sdk(server) = server
                && let Some(policy) = self.shared().config.server_policies.get(name)
            {
                // The CLI treats a missing list as an empty one, and removes the rules of the handshake (2.1.330).
                if server.tools.is_empty() {
                    server.tools = policy.tools.clone().unwrap_or_default();
                }
                server.timeout = server.timeout.or(policy.timeout);
                let in_foreground = &mut server.disable_auto_background;
                *in_foreground = in_foreground.or(policy.disable_auto_background);
            }
        }
        self.call(&McpSetServers::new(servers)).await
    }
}

calls! {
    /// Returns the states of the MCP servers (`mcp_status`). A server is listed once it has connected or failed.
    fn mcp_status() -> McpStatusReply = &McpStatus::default();

    /// Reconnects an MCP server (`mcp_reconnect`).
    /// The CLI refuses an unknown or unreachable server. It also refuses an in-process server (2.1.330): turn that one
    /// off and on instead.
    fn mcp_reconnect(server: impl Into<Box<str>>) -> () = &McpReconnect::new(server);

    /// Turns an MCP server on or off (`mcp_toggle`).
    /// The CLI refuses an unknown server. It stores the choice for later sessions of the folder, except for an
    /// in-process server.
    fn mcp_toggle(server: impl Into<Box<str>>, enabled: bool) -> () = &McpToggle::new(server, enabled);

    /// Calls a tool of an MCP server that the CLI runs, without the model (`mcp_call`).
    ///
    /// Skips permission checks, unless `check_permissions` is set.
    /// The CLI refuses tools of in-process servers.
    /// With files or limits, most failures are part of a successful reply (`staging`).
    fn mcp_call(request: &McpCall) -> McpCallReply = request;

    /// Reads a user interface resource of an MCP server (`mcp_read_resource`); its URI starts with `ui://`.
    ///
    /// The content is not checked. CLI 2.1.197 does not support it.
    /// The CLI refuses in-process servers.
    fn mcp_read_resource(server: impl Into<Box<str>>, uri: impl Into<String>) -> McpReadResourceReply =
        &McpReadResource::new(server, uri);

    /// Starts the login to a remote MCP server (`mcp_authenticate`). The reply contains the page for the user to open.
    ///
    /// With a `redirect_uri` the browser returns there, and the host passes the URL on with
    /// [`mcp_oauth_callback_url`](Self::mcp_oauth_callback_url). Without one the CLI listens on the loopback.
    /// The CLI does not declare this request.
    /// The CLI refuses other kinds of servers.
    fn mcp_authenticate(server: impl Into<Box<str>>, redirect_uri: Option<&str>) -> McpAuthenticateReply =
        &with(McpAuthenticate::new(server), |request| request.redirect_uri = redirect_uri.map(Into::into));

    /// Passes on the URL that the browser returned to (`mcp_oauth_callback_url`).
    ///
    /// The server may stay at `needs-auth` until [`mcp_reconnect`](Self::mcp_reconnect).
    /// The CLI does not declare this request.
    /// The CLI refuses a server without a login in progress.
    fn mcp_oauth_callback_url(server: impl Into<Box<str>>, url: impl Into<String>) -> () =
        &McpOauthCallbackUrl::new(server, url);

    /// Logs out of a remote MCP server (`mcp_clear_auth`). The CLI does not declare this request.
    fn mcp_clear_auth(server: impl Into<Box<str>>) -> () = &McpClearAuth::new(server);

    /// Sends a JSON-RPC message of an in-process server (`mcp_message`).
    ///
    /// The reply only acknowledges it. A JSON-RPC response arrives as a message to that server.
    /// In-process servers of `agentwire-mcp` call this by themselves.
    fn send_mcp_message(server: impl Into<Box<str>>, message: RawJson) -> () =
        &McpMessage::new(server, message);
}
