//! `agentwire hub list` and `call`, and `agentwire run --hub`.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;

use super::running::{COMMAND_CLI, ran, run};
use super::{agentwire, on_terminal, output, text};

#[cfg(target_os = "linux")]
#[test]
fn terminal_gets_no_control_characters_of_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let tools = r#"[{"name":"t","inputSchema":{"type":"object"}}]"#;
    for (result, expected) in [
        (r#"{"content":[{"type":"text","text":"a \u001b[2Jtext"}]}"#, "a \u{fffd}[2Jtext\r\n"),
        (r#"{"content":[],"structuredContent":{"a":"\u009b2J"}}"#, "{\"a\":\"\u{fffd}2J\"}\r\n"),
    ] {
        let config = server(folder.path(), tools, result);
        let shown = on_terminal(&agentwire(&["hub", "call", "s", "t", "--config", &config]));
        assert_eq!(shown, expected);
        let shown = on_terminal(&agentwire(&["hub", "call", "s", "t", "--config", &config, "--json"]));
        assert!(shown.contains("content") && !shown.contains(['\u{1b}', '\u{9b}']), "{shown:?}");
    }
}

#[test]
fn result_without_text_is_printed_as_data() {
    let folder = tempfile::tempdir().unwrap();
    let tools =
        r#"[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["b"]}}]"#;
    let config = server(folder.path(), tools, r#"{"content":[],"structuredContent":{"a":1}}"#);
    let called = output(&["hub", "call", "s", "t", "--config", &config]);
    assert_eq!(text(&called.stdout), "{\"a\":1}\n");
    assert!(text(&called.stderr).contains("does not fit its schema: \"b\""), "{called:?}");
}

#[test]
fn invalid_server_of_a_named_file_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let config = server(folder.path(), r#"[{"name":"t","inputSchema":{"type":"object"}}]"#, "{}");
    let mut servers: Value = serde_json::from_slice(&fs::read(&config).unwrap()).unwrap();
    servers["mcpServers"]["broken"] = serde_json::json!({"url": "http://x/", "disabled": true});
    fs::write(&config, servers.to_string()).unwrap();
    let listed = output(&["hub", "list", "--config", &config]);
    assert!(text(&listed.stdout).contains("s: connected"), "{listed:?}");
    assert!(text(&listed.stderr).contains("mcpServers.broken"), "{listed:?}");
    assert_eq!(listed.status.code(), Some(1));
}

#[test]
fn hub_that_a_hub_started_needs_a_named_file() {
    for (arguments, hubs, code) in [
        (&["hub", "list"][..], "1", 2),
        (&["hub", "list", "--config", "-", "--trust"], "1", 2),
        (&["hub", "list", "--config", "-"], "3", 2),
        (&["hub", "list", "--config", "-"], "2", 0),
        (&["hub", "list"], "", 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = without_servers(folder.path());
        let arguments: Vec<_> =
            arguments.iter().map(|word| if *word == "-" { &*config } else { word }).collect();
        let listed = agentwire(&arguments).env("AGENTWIRE_HUBS", hubs).output().unwrap();
        assert_eq!(listed.status.code(), Some(code), "{listed:?}");
        assert_eq!(text(&listed.stderr).contains("use --config"), code == 2, "{listed:?}");
    }
}

#[test]
fn misspelt_key_of_a_named_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("mcp.json");
    fs::write(&config, r#"{"mcpServer": {"s": {"command": "s"}}}"#).unwrap();
    let listed = output(&["hub", "list", "--config", config.to_str().unwrap()]);
    assert!(text(&listed.stderr).contains("mcpServers"), "{listed:?}");
}

#[test]
fn server_that_fails_is_named_beside_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("mcp.json");
    fs::write(&config, r#"{"mcpServers": {"s": {"command": "/no/such/program"}}}"#).unwrap();
    let (code, text, notes) = ran(COMMAND_CLI, &["--hub", "--config", config.to_str().unwrap(), "Go."]);
    assert!(code == Some(0) && text.starts_with("the context\n["), "{text}{notes}");
    assert!(notes.contains("s: ") && notes.contains("/no/such/program"), "{notes}");
}

#[test]
fn cli_beside_the_hub_starts_no_servers() {
    let folder = tempfile::tempdir().unwrap();
    let config = without_servers(folder.path());
    let script = COMMAND_CLI.replacen("while", "echo \"$*\" >\"$LOG\"\nwhile", 1);
    let arguments = ["--hub", "--config", &*config, "Go."];
    let done = run(folder.path(), &script, &arguments).stdin(Stdio::null()).output().unwrap();
    let words = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    assert!(words.split_whitespace().any(|word| word == "--strict-mcp-config"), "{words} {done:?}");
}

#[test]
fn list_with_a_server_that_does_not_work_is_a_finding() {
    let home = tempfile::tempdir().unwrap();
    // Port 1 refuses connections.
    for (state, code) in [
        (r#"{"mcpServers": {"s": {"type": "http", "url": "http://127.0.0.1:1/mcp"}}}"#, 1),
        (r#"{"mcpServers": {"#, 1),
        (r#"{"mcpServers": {}}"#, 0),
    ] {
        fs::write(home.path().join(".claude.json"), state).unwrap();
        let mut list = agentwire(&["hub", "list"]);
        let done = list.env("HOME", home.path()).current_dir(home.path()).output().unwrap();
        assert_eq!(done.status.code(), Some(code), "{state}: {done:?}");
    }
}

#[test]
fn servers_of_the_cli_for_this_folder_are_listed() {
    let home = tempfile::tempdir().unwrap();
    let list = || {
        let mut command = agentwire(&["hub", "list"]);
        command.env("CLAUDE_CONFIG_DIR", home.path()).current_dir(home.path()).output().unwrap()
    };
    let none = list();
    assert!(text(&none.stderr).contains("no MCP server is configured"), "{none:?}");
    server(home.path(), "[]", "{}");
    let servers = fs::read_to_string(home.path().join("mcp.json")).unwrap();
    let folder = home.path().canonicalize().unwrap();
    let state = format!(r#"{{"projects": {{{folder:?}: {servers}}}}}"#);
    fs::write(home.path().join(".claude.json"), state).unwrap();
    let listed = list();
    assert!(text(&listed.stdout).starts_with("s: connected"), "{listed:?}");
    // On a busy machine it takes more than a second.
    assert_eq!(text(&listed.stderr).replace("(the MCP server s still starts)\n", ""), "");
}

#[test]
fn server_without_a_valid_definition_is_listed_as_json() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(".claude.json"), r#"{"mcpServers": {"s": {"command": 5}}}"#).unwrap();
    let mut list = agentwire(&["hub", "list", "--json"]);
    let done = list.env("HOME", home.path()).current_dir(home.path()).output().unwrap();
    let listed: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(listed["server"] == "s" && listed["state"] == "failed", "{listed}");
    assert!(listed["why"].as_str().unwrap().contains("mcpServers.s.command"), "{listed}");
    assert_eq!(done.status.code(), Some(1));
}

/// Writes a configuration without servers, and returns its path.
pub(super) fn without_servers(folder: &Path) -> String {
    let config = folder.join("mcp.json");
    fs::write(&config, r#"{"mcpServers": {}}"#).unwrap();
    config.to_str().unwrap().to_owned()
}

/// Writes the configuration of an MCP server `s` with these tools, and this result of each call.
pub(super) fn server(folder: &Path, tools: &str, result: &str) -> String {
    let config = folder.join("mcp.json");
    let args = ["-c", SERVER, "server", tools, result];
    let servers = serde_json::json!({"mcpServers": {"s": {"command": "sh", "args": args}}});
    fs::write(&config, servers.to_string()).unwrap();
    config.to_str().unwrap().to_owned()
}

const SERVER: &str = r#"
while read -r line; do
    case $line in
    *'"initialize"'*) answer='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) answer="\"result\":{\"tools\":$1}" ;;
    *'"tools/call"'*) answer="\"result\":$2" ;;
    *'"id"'*) answer='"error":{"code":-32601,"message":"unknown"}' ;;
    *) continue ;;
    esac
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer"
done
"#;
