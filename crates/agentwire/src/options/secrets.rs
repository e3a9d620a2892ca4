//! What may be secret, and so is not to stand on a command line.

use agentwire_protocol::mcp::McpServerConfig;
use serde_json::{Map, Value};

/// Whether a server has environment variables or headers; one of an unknown kind may have anything.
pub(super) fn in_server(server: &McpServerConfig) -> bool {
    match server {
        McpServerConfig::Stdio(server) => !server.env.is_empty(),
        McpServerConfig::Sse(server) => !server.headers.is_empty() || has_password(&server.url),
        McpServerConfig::Http(server) => !server.headers.is_empty() || has_password(&server.url),
        McpServerConfig::WebSocket(server) => !server.headers.is_empty() || has_password(&server.url),
        _ => true,
    }
}

/// Whether settings have anything but what is known to be harmless.
pub(super) fn in_settings(settings: &Map<String, Value>) -> bool {
    settings.iter().any(|(key, value)| !is_harmless(key, value))
}

fn is_harmless(key: &str, value: &Value) -> bool {
    match key {
        "sandbox" => value.get("credentials").is_none(),
        _ => value.is_boolean() || value.is_number() || HARMLESS.contains(&key),
    }
}

/// A query may hold a key, and the part in front of an `@` does.
fn has_password(url: &str) -> bool {
    url.contains(['@', '?'])
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
    fn what_is_not_known_is_taken_for_a_secret() {
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
    fn servers_with_variables_headers_or_passwords_have_secrets() {
        let secret = |json: &str| in_server(&serde_json::from_str(json).unwrap());
        assert!(!secret(r#"{"command":"x"}"#) && !secret(r#"{"type":"http","url":"http://far/mcp"}"#));
        for json in [
            r#"{"command":"x","env":{"A":"b"}}"#,
            r#"{"type":"sse","url":"http://far","headers":{"A":"b"}}"#,
            r#"{"type":"http","url":"http://far/mcp?key=1"}"#,
            r#"{"type":"ws","url":"ws://me:pass@far"}"#,
            r#"{"type":"later"}"#,
        ] {
            assert!(secret(json), "{json}");
        }
    }
}
