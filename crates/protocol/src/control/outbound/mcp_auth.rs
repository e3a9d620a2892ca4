//! Logging in to an MCP server, and out of it.

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{Hidden, open_enum::open_enum};

/// Begins to log in to an MCP server at a URL (`mcp_authenticate`).
///
/// Not declared, answered by the CLI. A server of another kind is an error.
/// What follows: the user opens the URL, and where the CLI's own listener is not reached, the host hands the address
/// that the browser came back to on with [`McpOauthCallbackUrl`].
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpAuthenticate {
    /// The server.
    pub server_name: Box<str>,
    /// Where the browser is to come back to; `None` for a listener of the CLI's own on the loopback.
    pub redirect_uri: Option<String>,
}

impl McpAuthenticate {
    /// Logs in to this server.
    pub fn new(server_name: impl Into<Box<str>>) -> Self {
        Self { server_name: server_name.into(), redirect_uri: None }
    }
}

impl ControlCall for McpAuthenticate {
    const SUBTYPE: &'static str = "mcp_authenticate";
    type Reply = McpAuthenticateReply;
}

/// How to go on with logging in. Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpAuthenticateReply {
    /// The page for the user to open; it holds the `state`, so `Debug` does not show it.
    pub auth_url: Option<Hidden<String>>,
    /// Whether the user must do something.
    pub requires_user_action: Option<bool>,
    /// Whether the address that the browser comes back to is waited for.
    pub callback_expected: Option<bool>,
    /// Where the browser comes back to.
    pub redirect_scheme: Option<RedirectScheme>,
    /// What ties the answer to this attempt.
    pub state: Option<Hidden<Box<str>>>,
    /// The port of the CLI's own listener; absent with a `redirectUri` of the host's.
    pub callback_port: Option<u16>,
}

open_enum! {
    /// Where the browser comes back to after logging in (`redirectScheme`).
    pub enum RedirectScheme {
        /// To the CLI's own listener.
        Localhost = "localhost",
        /// To the address that the host gave.
        Custom = "custom",
    }
}

/// Hands on the address that the browser came back to (`mcp_oauth_callback_url`).
///
/// Not declared, answered by the CLI.
/// The reply comes when the address was taken; the server may still be at `needs-auth` then, until [`McpReconnect`].
///
/// [`McpReconnect`]: super::McpReconnect
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpOauthCallbackUrl {
    /// The server; one that nobody is logging in to is an error.
    pub server_name: Box<str>,
    /// The whole address, with its code.
    pub callback_url: Hidden<String>,
}

impl McpOauthCallbackUrl {
    /// The browser came back to this address.
    pub fn new(server_name: impl Into<Box<str>>, callback_url: impl Into<String>) -> Self {
        Self { server_name: server_name.into(), callback_url: Hidden(callback_url.into()) }
    }
}

impl ControlCall for McpOauthCallbackUrl {
    const SUBTYPE: &'static str = "mcp_oauth_callback_url";
    type Reply = Ack;
}

/// Logs out of an MCP server at a URL (`mcp_clear_auth`). Not declared, answered by the CLI.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpClearAuth {
    /// The server.
    pub server_name: Box<str>,
}

impl McpClearAuth {
    /// Logs out of this server.
    pub fn new(server_name: impl Into<Box<str>>) -> Self {
        Self { server_name: server_name.into() }
    }
}

impl ControlCall for McpClearAuth {
    const SUBTYPE: &'static str = "mcp_clear_auth";
    type Reply = Ack;
}
