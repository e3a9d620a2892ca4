//! The configuration of an MCP server: one struct per transport.

use std::fmt;

use super::ToolPolicy;
use crate::Secrets;

/// The configuration of an MCP server, as in `mcp_set_servers`, `initialize` and `mcp_status`.
///
/// An entry without `type` is a [`StdioServer`] if it reads as one.
/// `Debug` hides arguments and the values of environment variables and headers, shows only the origin of a URL,
/// and only the name of an unknown kind.
#[wire(tag = "type", untagged = Stdio, hides = unknown)]
pub enum McpServerConfig {
    /// A program that the CLI starts.
    Stdio(StdioServer) = "stdio",
    /// A server at a URL, by server-sent events.
    Sse(RemoteServer) = "sse",
    /// A server at a URL, by streamable HTTP.
    Http(RemoteServer) = "http",
    /// A server that runs in the host.
    Sdk(SdkServer) = "sdk",
    /// A server at a URL, by WebSocket; not declared, but accepted by the CLI. `mcp_status` leaves its configuration out.
    WebSocket(RemoteServer) = "ws",
    /// A connector of the user's account; only in `mcp_status`.
    Proxy(ProxyServer) = "claudeai-proxy",
}

/// An MCP server that the CLI starts as a child process and connects to by stdio.
#[wire(camelCase, new)]
pub struct StdioServer {
    /// The program.
    pub command: String,
    /// Its arguments.
    ///
    /// Always written: the CLI fails on an entry of `mcp_set_servers` without it, although it is declared optional.
    /// `Debug` shows only their number, since they often contain keys.
    #[serde(default)]
    #[argument]
    #[shown(self.args.len())]
    pub args: Vec<String>,
    /// Environment variables of the process; absent from `mcp_status`.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub env: Secrets,
    /// The timeout of a tool call in milliseconds. The CLI ignores values below 1000; progress does not extend it.
    pub timeout: Option<u64>,
    /// Whether the tools are always in the prompt (`true`; the CLI then waits for the server at the start) or only
    /// found by tool search (`false`).
    pub always_load: Option<bool>,
}

/// An MCP server at a URL. All transports have the same fields.
#[wire(camelCase, new)]
pub struct RemoteServer {
    /// The URL; `Debug` shows only its origin.
    #[shown(Origin(&self.url))]
    pub url: String,
    /// HTTP headers to send; `mcp_status` contains their values.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub headers: Secrets,
    /// The permissions of its tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPolicy>,
    /// The timeout of a tool call in milliseconds. The CLI ignores values below 1000; progress does not extend it.
    pub timeout: Option<u64>,
    /// Whether the tools are always in the prompt (`true`; the CLI then waits for the server at the start) or only
    /// found by tool search (`false`).
    pub always_load: Option<bool>,
}

/// An MCP server that runs in the host; its messages are `mcp_message` requests.
#[wire(camelCase, new)]
pub struct SdkServer {
    /// The name, equal to the key of its entry.
    pub name: Box<str>,
    /// The timeout of a tool call in milliseconds. The CLI ignores values below 1000; progress does not extend it.
    ///
    /// The CLI uses the value of the first registration.
    pub timeout: Option<u64>,
    /// Whether its calls stay in the foreground, regardless of their duration.
    ///
    /// Not declared as a field; only `true` has an effect. The CLI uses the value of the first registration.
    pub disable_auto_background: Option<bool>,
    /// The permissions of its tools; only `always_ask` and `always_deny` take effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPolicy>,
}

/// A connector of the user's claude.ai account. It only occurs in `mcp_status` and can't be sent.
#[wire]
pub struct ProxyServer {
    /// The URL.
    #[shown(Origin(&self.url))]
    pub url: String,
    /// The connector's id.
    pub id: Box<str>,
    /// The timeout of a tool call in milliseconds.
    pub timeout: Option<u64>,
}

/// A URL whose `Debug` shows scheme, host and port: user, password, path and query may contain a key.
pub(crate) struct Origin<'a>(pub(crate) &'a str);

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
    fn entry_without_type_is_a_stdio_server() {
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
    fn debug_hides_headers() {
        for kind in ["http", "sse", "ws", "later"] {
            let text =
                format!(r#"{{"type":"{kind}","url":"http://far","headers":{{"Authorization":"s3cret"}}}}"#);
            let server = read(&text);
            assert_eq!((server.kind(), serde_json::to_string(&server).unwrap()), (kind, text));
            assert!(!format!("{server:?}").contains("s3cret"));
        }
    }

    #[test]
    fn debug_hides_arguments_and_all_of_a_url_but_its_origin() {
        let shown = |text: &str| format!("{:?}", read(text));
        assert!(!shown(r#"{"command":"srv","args":["--token","s3cret"]}"#).contains("s3cret"));
        for (url, origin) in [
            ("https://s3cret:s3cret@far:8443/s3cret?k=s3cret#s3cret", "https://far:8443/<hidden>"),
            ("https://far?k=s3cret", "https://far/<hidden>"),
            ("http://[::1]:80/", "http://[::1]:80"),
            ("https://far", "https://far"),
            // An unusual URL may contain its password anywhere.
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
