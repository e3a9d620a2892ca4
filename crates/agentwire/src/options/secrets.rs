//! Detects values that may be secret and therefore must not appear on a command line.

use agentwire_protocol::{cli, mcp::McpServerConfig};
use serde_json::{Map, Value};

/// Returns whether a server may contain a secret: it has arguments, environment variables, headers, an address with
/// more than a host, or an unknown kind.
pub(super) fn in_server(server: &McpServerConfig) -> bool {
    match server {
        McpServerConfig::Stdio(server) => !server.env.is_empty() || !server.args.is_empty(),
        McpServerConfig::Sse(server) | McpServerConfig::Http(server) | McpServerConfig::WebSocket(server) => {
            !server.headers.is_empty() || in_url(&server.url)
        }
        _ => true,
    }
}

/// Returns whether settings contain values that are not known to be harmless.
pub(super) fn in_settings(settings: &Map<String, Value>) -> bool {
    settings.iter().any(|(key, value)| !is_harmless(key, value))
}

fn is_harmless(key: &str, value: &Value) -> bool {
    match key {
        "sandbox" => value.get("credentials").is_none(),
        "env" => value.as_object().is_some_and(|env| env.keys().all(|name| name == cli::env::BARE)),
        _ => value.is_boolean() || value.is_number() || HARMLESS.contains(&key),
    }
}

/// Returns whether an address has anything after its host, or before an `@`.
fn in_url(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.strip_suffix('/').unwrap_or(rest).contains(['@', '/', '\\', '?', '#'])
}

const HARMLESS: &[&str] = &[
    "agent",
    "availableModels",
    "effortLevel",
    "enabledPlugins",
    "fallbackModel",
    "language",
    "model",
    "outputStyle",
    "permissions",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_settings_count_as_secret() {
        let secret = |json: &str| in_settings(&serde_json::from_str(json).unwrap());
        for json in [r#"{"model":"opus"}"#, r#"{"sandbox":{"enabled":true}}"#, r#"{"laterSwitch":true}"#] {
            assert!(!secret(json), "{json}");
        }
        for json in [
            r#"{"env":{"A":"1"}}"#,
            r#"{"apiKeyHelper":"echo key"}"#,
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"http","headers":{"A":"b"}}]}]}}"#,
            r#"{"sandbox":{"credentials":{}}}"#,
            r#"{"later":"text"}"#,
        ] {
            assert!(secret(json), "{json}");
        }
    }

    #[test]
    fn everything_but_program_and_host_counts_as_secret() {
        let secret = |json: &str| in_server(&serde_json::from_str(json).unwrap());
        assert!(!secret(r#"{"command":"x"}"#) && !secret(r#"{"type":"http","url":"http://far:80/"}"#));
        for json in [
            r#"{"command":"x","env":{"A":"b"}}"#,
            r#"{"command":"x","args":["--key=b"]}"#,
            r#"{"type":"http","url":"http://far/b/mcp"}"#,
            r#"{"type":"sse","url":"http://far","headers":{"A":"b"}}"#,
            r#"{"type":"http","url":"http://far/mcp?key=1"}"#,
            r#"{"type":"ws","url":"ws://me:pass@far"}"#,
            r#"{"type":"later"}"#,
        ] {
            assert!(secret(json), "{json}");
        }
    }
}
