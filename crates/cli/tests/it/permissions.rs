//! What the commands run without a permission.

use std::fs;

use super::{agentwire, hub::server, serving::called};

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
