//! Authentication of MCP servers.

use crate::Hidden;

/// Starts the authentication of an MCP server at a URL (`mcp_authenticate`).
///
/// Not declared, but the CLI supports it. Other kinds of servers are an error.
/// Afterwards the user opens the URL. If the CLI's own listener is not reachable, the host forwards the URL
/// that the browser was redirected to with [`McpOauthCallbackUrl`].
#[wire(Eq, camelCase, new)]
pub struct McpAuthenticate {
    /// The server.
    pub server_name: Box<str>,
    /// The redirect URL; `None` for the CLI's own listener on the loopback interface.
    pub redirect_uri: Option<String>,
}

/// The next steps of the authentication. Not declared, seen on the wire.
#[wire(Default, Eq, camelCase)]
pub struct McpAuthenticateReply {
    /// The URL for the user to open; it contains the `state`, so `Debug` hides it.
    pub auth_url: Option<Hidden<String>>,
    /// Whether the user must do something.
    pub requires_user_action: Option<bool>,
    /// Whether the CLI expects the redirect URL.
    pub callback_expected: Option<bool>,
    /// The kind of redirect.
    pub redirect_scheme: Option<RedirectScheme>,
    /// The OAuth state of this attempt.
    pub state: Option<Hidden<Box<str>>>,
    /// The port of the CLI's own listener; absent if the host passed a redirect URL.
    pub callback_port: Option<u16>,
}

/// The target of the browser redirect (`redirectScheme`).
#[wire]
pub enum RedirectScheme {
    /// The CLI's own listener.
    Localhost = "localhost",
    /// The URL that the host passed.
    Custom = "custom",
}

/// Forwards the URL that the browser was redirected to (`mcp_oauth_callback_url`).
///
/// Not declared, but the CLI supports it.
/// The reply only confirms the URL; the server may still be in status `needs-auth`, until [`McpReconnect`].
///
/// [`McpReconnect`]: super::McpReconnect
#[wire(Eq, camelCase)]
pub struct McpOauthCallbackUrl {
    /// The server; without a pending authentication the request is an error.
    pub server_name: Box<str>,
    /// The whole URL, with its code.
    pub callback_url: Hidden<String>,
}

impl McpOauthCallbackUrl {
    /// Returns a request for this server and URL.
    pub fn new(server_name: impl Into<Box<str>>, callback_url: impl Into<String>) -> Self {
        Self { server_name: server_name.into(), callback_url: Hidden(callback_url.into()) }
    }
}

/// Removes the credentials of an MCP server at a URL (`mcp_clear_auth`). Not declared, but the CLI supports it.
#[wire(Eq, camelCase, new)]
pub struct McpClearAuth {
    /// The server.
    pub server_name: Box<str>,
}
