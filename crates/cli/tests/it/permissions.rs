//! What the commands run without a permission.

use std::fs;

use super::running::{COMMAND_CLI, run};
#[cfg(feature = "hub")]
use super::{agentwire, running::server, serving::called};

#[cfg(feature = "hub")]
#[test]
fn servers_of_the_folder_start_only_where_they_are_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let servers = r#"{"mcpServers": {"s": {"command": "touch", "args": ["started"]}}}"#;
    fs::write(folder.path().join(".mcp.json"), servers).unwrap();
    for (arguments, starts) in [(&["hub", "list"][..], false), (&["hub", "list", "--trust"][..], true)] {
        let done = agentwire(arguments).current_dir(folder.path()).output().unwrap();
        assert_eq!(folder.path().join("started").exists(), starts, "{arguments:?}: {done:?}");
    }
}

#[cfg(feature = "hub")]
#[test]
fn gateway_calls_a_tool_that_is_not_always_allowed_only_with_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let result = r#"{"content": [{"type": "text", "text": "the tool ran"}]}"#;
    let file = server(folder.path(), r#"[{"name": "t", "inputSchema": {"type": "object"}}]"#, result);
    let gateway = ["hub", "serve", "--config", &*file];
    let denied = called(&gateway);
    assert!(denied.contains("was denied") && !denied.contains("the tool ran"), "{denied}");
    let allowed = called(&[&gateway[..], &["--allow"]].concat());
    assert!(allowed.contains("the tool ran"), "{allowed}");
}

#[test]
fn with_json_only_reading_is_permitted() {
    for (tool, behavior) in [("Read", "allow"), ("Bash", "deny")] {
        let request = serde_json::json!({
            "subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "t", "input": {"command": "rm a"},
        });
        let asked = serde_json::json!({"type": "control_request", "request_id": "ask", "request": request});
        // The turn ends after the answer, which is logged.
        let asking = format!(
            "        echo '{asked}' ;;\n    *'\"type\":\"control_response\"'*)\n        \
             printf '%s\\n' \"$line\" >\"$LOG\"\n        echo"
        );
        let script = COMMAND_CLI.replacen("        echo", &asking, 1);
        let folder = tempfile::tempdir().unwrap();
        // A line of input is no permission.
        let input = folder.path().join("input");
        fs::write(&input, "y\n").unwrap();
        let mut command = run(folder.path(), &script, &["Go.", "--json"]);
        let done = command.stdin(fs::File::open(input).unwrap()).output().unwrap();
        let answer = fs::read_to_string(folder.path().join("log")).unwrap();
        assert!(answer.contains(&format!(r#""behavior":"{behavior}""#)), "{tool}: {answer} {done:?}");
    }
}
