//! Unusual files: each is read, or its problem is reported.

use std::fs;

use agentwire_hub_config::Sources;

/// Checks the servers of a file, and its problems without the folder.
#[track_caller]
fn check(name: &str, text: &str, servers: &[&str], problems: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    let configuration = Sources::new().global(&file).read();
    let names: Vec<_> = configuration.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, servers, "{text}");
    let within = format!("{}/", folder.path().display());
    let reported = configuration.problems.iter().map(|problem| problem.to_string().replace(&within, ""));
    assert_eq!(reported.collect::<Vec<_>>(), problems, "{text}");
}

#[test]
fn syntax_errors_are_reported_with_their_position() {
    let file = r#"{"mcpServers": {"a": {"command": "c"}}}"#;
    for (text, reported) in [
        (format!("{file}\n<<<<<<< HEAD\n"), "2:1: unexpected token"),
        (format!("{file}\n\0"), "2:1: unexpected token"),
        (format!("# {file}"), "1:1: unexpected token"),
        (file.replace("\"c\"", "\u{201c}c\u{201d}"), "1:34: unexpected token"),
        (file.replace("\"c\"", r#""C:\Program Files\x""#), "1:37: invalid escape"),
        (file.replace("\"c\"", "True"), "1:34: unexpected token"),
        (file.replace("}}}", "},, \"b\": 1}}"), "1:39: unexpected token in object"),
    ] {
        check("mcp.json", &text, &[], &[&format!("error: mcp.json:{reported}")]);
    }
}

#[test]
fn addresses_begin_with_http() {
    let web = |url: &str| format!(r#"{{"servers": {{"a": {{"type": "http", "url": "{url}"}}}}}}"#);
    for url in ["https://${HOST}:${PORT:-80}/${env:PATH}", "${URL}", "HTTPS://u:p@h"] {
        check("mcp.json", &web(url), &["a"], &[]);
    }
    for url in ["localhost:3000/mcp", "http:/h", "https://h/a b", "ws://h"] {
        let reported =
            "error: mcp.json:1:43: servers.a.url: must be an address that begins with http:// or https://";
        check("mcp.json", &web(url), &[], &[reported]);
    }
}

// Otherwise no server would start, without any message.
#[test]
fn misplaced_servers_are_reported() {
    let reported = |at: &str| {
        format!(
            "error: {at}: is not read: servers must be under `mcpServers` or `servers`, at the top of the file"
        )
    };
    for (name, text, places) in [
        (
            "mcp.json",
            r#"{"git": {"command": "uvx"}, "web": {"type": "http", "url": "https://h"}}"#,
            &["1:2: git", "1:29: web"][..],
        ),
        ("mcp.json", r#"{"context_servers": {"git": {"command": "uvx"}}}"#, &["1:2: context_servers"]),
        ("mcp.json", r#"{"mcp": {"servers": {"git": {"command": "uvx"}}, "inputs": []}}"#, &["1:2: mcp"]),
        ("settings.json", r#"{"context_servers": {"git": {"command": "uvx"}}}"#, &["1:2: context_servers"]),
        (
            "settings.json",
            r#"{"mcp": {"servers": {"git": {"command": "uvx"}}, "inputs": []}}"#,
            &["1:2: mcp"],
        ),
    ] {
        let places: Vec<_> = places.iter().map(|place| reported(&format!("{name}:{place}"))).collect();
        check(name, text, &[], &places.iter().map(String::as_str).collect::<Vec<_>>());
    }
    // Objects that are not servers, and settings of other programs.
    let warning = "warning: mcp.json:1:2: more: unknown key";
    check("mcp.json", r#"{"more": {"commands": {"a": 1}, "servers": {}}}"#, &[], &[warning]);
    let settings = r#"{"editor.fontSize": 12, "mcp": {"servers": {}}, "statusLine": {"type": "command", "command": "x"}}"#;
    check("settings.json", settings, &[], &[]);
    let claude = r#"{"projects": {"/p": {"mcpServers": {"a": {"command": "c"}}}}, "mcpServers": {"b": {"command": "c"}}}"#;
    check(".claude.json", claude, &["b"], &[]);
}
