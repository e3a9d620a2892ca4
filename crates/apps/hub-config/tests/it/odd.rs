//! Unusual files: each is read, or its problem is reported.

use std::fs;

use agentwire_hub_config::Sources;

/// Returns the servers of a file, and its problems without the folder.
fn read(name: &str, text: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    let configuration = Sources::new().global(&file).read();
    let within = format!("{}/", folder.path().display());
    let names = configuration.servers.iter().map(|server| server.name.to_string()).collect();
    (names, configuration.problems.iter().map(|problem| problem.to_string().replace(&within, "")).collect())
}

#[track_caller]
fn check(name: &str, text: &str, servers: &[&str], problems: &[&str]) {
    let (names, reported) = read(name, text);
    assert_eq!(names, servers, "{text}");
    assert_eq!(reported, problems, "{text}");
}

#[test]
fn byte_order_marks_line_endings_and_comments_are_accepted() {
    let windows = "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t// one\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"c\", /* it */\r\n\t\t},\r\n\t},\r\n}\r\n";
    check("mcp.json", windows, &["a"], &[]);
    check("mcp.json", &windows.replace("\r\n", "\r"), &["a"], &[]);
    for nothing in ["", "\u{feff}", " \r\n", "\r\n// nothing yet\r\n/* nor here */\r\n"] {
        check("mcp.json", nothing, &[], &["error: mcp.json: the file is empty"]);
    }
    for other in ["null", "\"mcpServers\"", "[{\"name\": \"a\", \"command\": \"c\"}]"] {
        check("mcp.json", other, &[], &["error: mcp.json:1:1: must be an object"]);
    }
    let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (_, reported) = read("mcp.json", [b"\xff\xfe", &utf16[..]].concat());
    assert_eq!(reported, ["error: mcp.json:1:1: the file is not UTF-8"]);
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
fn values_of_other_types_are_converted_where_clear() {
    let server = |more: &str| format!(r#"{{"mcpServers": {{"a": {{"command": "c", {more}}}}}}}"#);
    for fine in [
        r#""env": {"A": 1e3, "B": -0, "C": false, "D": null, "E": 12345678901234567890123}"#,
        r#""cwd": null"#,
    ] {
        check("mcp.json", &server(fine), &["a"], &[]);
    }
    let seconds = "must be a number of seconds from 1 to 3600";
    for (wrong, reported) in [
        (r#""timeout": "60""#, format!("timeout: {seconds}")),
        (r#""startupTimeout": "1m""#, format!("startupTimeout: {seconds}")),
        (r#""disabled": "false""#, "disabled: must be true or false".into()),
        (r#""env": []"#, "env: must be an object with a string for each name".into()),
        (r#""env": {"A": {"B": 1}}"#, "env.A: must be a string".into()),
        (r#""args": ["--port", 3000]"#, "args[1]: must be a string".into()),
        (r#""args": "--port""#, "args: must be an array of strings".into()),
    ] {
        let (names, problems) = read("mcp.json", server(wrong));
        assert!(names.is_empty(), "{wrong}");
        assert!(
            problems.len() == 1 && problems[0].ends_with(&format!("mcpServers.a.{reported}")),
            "{problems:?}"
        );
    }
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

#[test]
fn inputs_of_vs_code_raise_no_alarm() {
    let text = r#"{"inputs": [
        {"type": "promptString", "id": "token", "description": "A token", "password": true},
        {"type": "pickString", "id": "where", "options": [{"label": "Here", "value": "h"}, "there"]},
        {"type": "command", "id": "key", "command": "x.key", "args": {"a": 1}}],
        "servers": {"a": {"type": "stdio", "command": "c", "args": ["${input:token}", "${workspaceFolder}"]}}}"#;
    check("mcp.json", text, &["a"], &[]);
}

// Otherwise no server would start, without any message.
#[test]
fn misplaced_servers_are_reported() {
    let reported = |at: &str| {
        format!(
            "error: {at}: is not read: servers stand under `mcpServers` or `servers`, at the top of the file"
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
    let warning = "warning: mcp.json:1:2: more: nothing reads this key";
    check("mcp.json", r#"{"more": {"commands": {"a": 1}, "servers": {}}}"#, &[], &[warning]);
    let settings = r#"{"editor.fontSize": 12, "mcp": {"servers": {}}, "statusLine": {"type": "command", "command": "x"}}"#;
    check("settings.json", settings, &[], &[]);
    let claude = r#"{"projects": {"/p": {"mcpServers": {"a": {"command": "c"}}}}, "mcpServers": {"b": {"command": "c"}}}"#;
    check(".claude.json", claude, &["b"], &[]);
}
