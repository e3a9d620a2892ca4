//! How an MCP server is reached: one shape for each transport.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ToolPolicy;
use crate::{Secrets, tagged::tagged};

tagged! {
    /// How an MCP server is reached, as `mcp_set_servers` and `initialize` take it and `mcp_status` tells it.
    ///
    /// An entry without `type` that reads as a [`StdioServer`] is one.
    /// `Debug` shows no arguments, neither the values of environment variables nor those of headers, of a URL the
    /// host alone, and of an unknown kind its name.
    pub enum McpServerConfig by "type" or Stdio hides unknown {
        /// A program that the CLI starts.
        Stdio(StdioServer) = "stdio",
        /// A server at a URL, by server-sent events.
        Sse(SseServer) = "sse",
        /// A server at a URL, by streamable HTTP.
        Http(HttpServer) = "http",
        /// A server that runs in the host.
        Sdk(SdkServer) = "sdk",
        /// A server at a URL, by WebSocket; not declared, taken by the CLI.
        WebSocket(WebSocketServer) = "ws",
        /// A connector of the user's account, in `mcp_status` only.
        Proxy(ProxyServer) = "claudeai-proxy",
    }
}

/// An MCP server that the CLI starts as a program and talks to over its standard input and output.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StdioServer {
    /// The program.
    pub command: String,
    /// Its arguments.
    ///
    /// Always written: the CLI fails on an entry of `mcp_set_servers` that lacks them, although they are declared optional.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables for it; `mcp_status` does not tell them.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub env: Secrets,
    /// The limit for one tool call, in milliseconds; values below 1000 are ignored, and progress does not extend it.
    pub timeout: Option<u64>,
    /// Whether its tools are always in the prompt (`true`, which also waits for the server at the start) or only found
    /// by tool search (`false`).
    pub always_load: Option<bool>,
}

/// Keys are often among the arguments.
impl fmt::Debug for StdioServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, args, env, timeout, always_load } = self;
        f.debug_struct("StdioServer")
            .field("command", command)
            .field("args", &args.len())
            .field("env", env)
            .field("timeout", timeout)
            .field("always_load", always_load)
            .finish()
    }
}

impl StdioServer {
    /// A program with its arguments.
    pub fn new(command: impl Into<String>, args: Vec<String>) -> Self {
        Self { command: command.into(), args, env: Secrets::default(), timeout: None, always_load: None }
    }
}

/// Declares a server at a URL: the transports differ in nothing but their name.
macro_rules! remote {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[skip_serializing_none]
        #[derive(Clone, PartialEq, Deserialize, Serialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            /// Where it is; `Debug` shows the host alone.
            pub url: String,
            /// HTTP headers to send along; `mcp_status` tells them with their values.
            #[serde(default, skip_serializing_if = "Secrets::is_empty")]
            pub headers: Secrets,
            /// What its tools may do, by tool.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub tools: Vec<ToolPolicy>,
            /// The limit for one tool call, in milliseconds; values below 1000 are ignored, and progress does not extend it.
            pub timeout: Option<u64>,
            /// Whether its tools are always in the prompt (`true`, which also waits for the server at the start) or only
            /// found by tool search (`false`).
            pub always_load: Option<bool>,
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self { url, headers, tools, timeout, always_load } = self;
                f.debug_struct(stringify!($name))
                    .field("url", &Origin(url))
                    .field("headers", headers)
                    .field("tools", tools)
                    .field("timeout", timeout)
                    .field("always_load", always_load)
                    .finish()
            }
        }

        impl $name {
            /// A server at this URL.
            pub fn new(url: impl Into<String>) -> Self {
                Self {
                    url: url.into(),
                    headers: Secrets::default(),
                    tools: Vec::new(),
                    timeout: None,
                    always_load: None,
                }
            }
        }
    };
}

remote! {
    /// An MCP server at a URL, reached by streamable HTTP.
    HttpServer
}
remote! {
    /// An MCP server at a URL, reached by server-sent events.
    SseServer
}
remote! {
    /// An MCP server at a URL, reached by WebSocket.
    ///
    /// Not declared, taken by the CLI; `mcp_status` tells no configuration of it.
    WebSocketServer
}

/// An MCP server that runs in the host and is reached by `mcp_message`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SdkServer {
    /// Its name, the same as the one that it is configured under.
    pub name: Box<str>,
    /// The limit for one tool call, in milliseconds; values below 1000 are ignored, and progress does not extend it.
    ///
    /// It counts when the server is first registered.
    pub timeout: Option<u64>,
    /// What its tools may do, by tool; only `always_ask` and `always_deny` take effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPolicy>,
}

impl SdkServer {
    /// A server of this name in the host.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self { name: name.into(), timeout: None, tools: Vec::new() }
    }
}

/// A connector of the user's account on claude.ai, as `mcp_status` tells it. It can't be sent.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ProxyServer {
    /// Where it is.
    pub url: String,
    /// The connector's id.
    pub id: Box<str>,
    /// The limit for one tool call, in milliseconds.
    pub timeout: Option<u64>,
}

impl fmt::Debug for ProxyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, id, timeout } = self;
        f.debug_struct("ProxyServer")
            .field("url", &Origin(url))
            .field("id", id)
            .field("timeout", timeout)
            .finish()
    }
}

/// A URL of which scheme, host and port are shown: user, password, path and query may each hold a key.
struct Origin<'a>(&'a str);

impl fmt::Debug for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) = self.0.split_once("://") else { return f.write_str("<hidden>") };
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let known =
            |text: &str| text.chars().all(|one| one.is_ascii_alphanumeric() || "+-.:[]".contains(one));
        if !known(scheme) || !known(host) || path.contains('@') {
            return f.write_str("<hidden>");
        }
        let hidden = if matches!(path, "" | "/") { "" } else { "/<hidden>" };
        write!(f, "{scheme}://{host}{hidden}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> McpServerConfig {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_entry_without_type_is_a_program() {
        let server = read(r#"{"command":"srv","env":{"KEY":"s3cret"}}"#);
        assert!(!format!("{server:?}").contains("s3cret"));
        let written = serde_json::to_string(&server).unwrap();
        assert_eq!(written, r#"{"type":"stdio","command":"srv","args":[],"env":{"KEY":"s3cret"}}"#);
        assert_eq!(read(&written), server);
        for text in [r#"{"url":"http://far"}"#, r#"{"type":7,"command":"srv"}"#] {
            assert!(matches!(read(text), McpServerConfig::Unknown(_)), "{text}");
        }
    }

    #[test]
    fn headers_are_not_shown() {
        for kind in ["http", "sse", "ws", "later"] {
            let text =
                format!(r#"{{"type":"{kind}","url":"http://far","headers":{{"Authorization":"s3cret"}}}}"#);
            let server = read(&text);
            assert_eq!((server.kind(), serde_json::to_string(&server).unwrap()), (kind, text));
            assert!(!format!("{server:?}").contains("s3cret"));
        }
    }

    #[test]
    fn arguments_and_all_of_a_url_but_its_host_are_not_shown() {
        let shown = |text: &str| format!("{:?}", read(text));
        assert!(!shown(r#"{"command":"srv","args":["--token","s3cret"]}"#).contains("s3cret"));
        for (url, origin) in [
            ("https://s3cret:s3cret@far:8443/s3cret?k=s3cret#s3cret", "https://far:8443/<hidden>"),
            ("https://far?k=s3cret", "https://far/<hidden>"),
            ("http://[::1]:80/", "http://[::1]:80"),
            ("https://far", "https://far"),
            // What is no usual URL may hide its password anywhere.
            ("https://s3cret/x@far/", "<hidden>"),
            ("https://me:s3cret#y@far/", "<hidden>"),
            ("s3cret@far", "<hidden>"),
        ] {
            for kind in ["http", "sse", "ws", "claudeai-proxy"] {
                let shown = shown(&format!(r#"{{"type":"{kind}","id":"i","url":"{url}"}}"#));
                assert!(shown.contains(&format!("url: {origin},")) && !shown.contains("s3cret"), "{shown}");
            }
        }
    }
}
