//! Edits change only their value, to the byte.

mod random;

use std::time::Duration;

use super::{Edit, EditRefusal};
use crate::{Endpoint, Launch, Patterns, ServerConfig, Stdio};

fn apply(edit: &Edit, text: &str) -> Result<String, EditRefusal> {
    edit.apply("a", text, "mcpServers")
}

fn allow(tool: &str, allowed: bool) -> Edit {
    Edit::AlwaysAllow { tool: tool.into(), allowed }
}

fn enable(tool: &str, enabled: bool) -> Edit {
    Edit::ToolEnabled { tool: tool.into(), enabled }
}

#[track_caller]
fn check(edit: &Edit, before: &str, after: &str) {
    assert_eq!(apply(edit, before).unwrap(), after);
    assert_eq!(apply(edit, after).unwrap_or_else(|_| after.into()), after, "a second time");
}

#[test]
fn a_value_is_replaced_in_its_place() {
    check(
        &Edit::Disabled(false),
        "{\n  // all\n  \"mcpServers\": { \"a\": { \"disabled\" /* why */ : true, // because\n \"x\": [1,  2] } },\n}\n",
        "{\n  // all\n  \"mcpServers\": { \"a\": { \"disabled\" /* why */ : false, // because\n \"x\": [1,  2] } },\n}\n",
    );
    check(
        &Edit::Timeout(Duration::from_secs(90)),
        r#"{"mcpServers":{"a":{"timeout":60}}}"#,
        r#"{"mcpServers":{"a":{"timeout":90}}}"#,
    );
    check(
        &Edit::Timeout(Duration::from_millis(1500)),
        r#"{"servers": {"a": {"timeout": 60}}}"#,
        r#"{"servers": {"a": {"timeout": 1.5}}}"#,
    );
}

#[test]
fn a_new_key_follows_the_style_of_the_others() {
    // On its own line, after the comment of the previous key.
    check(
        &Edit::Disabled(true),
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\" // it\r\n\t\t}\r\n\t}\r\n}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\", // it\r\n\t\t\t\"disabled\": true\r\n\t\t}\r\n\t}\r\n}",
    );
    // With a trailing comma if the others have one.
    check(
        &allow("t", true),
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\", /* it */\n      // \"cwd\": \"/\",\n    },\n  },\n}\n",
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\", /* it */\n      \"alwaysAllow\": [\"t\"],\n      // \"cwd\": \"/\",\n    },\n  },\n}\n",
    );
    // On the line of the others, with or without spaces.
    check(
        &Edit::Disabled(true),
        r#"{"mcpServers": {"a": { "command": "x" }}}"#,
        r#"{"mcpServers": {"a": { "command": "x", "disabled": true }}}"#,
    );
    check(
        &Edit::Disabled(true),
        r#"{"mcpServers":{"a":{"command":"x"}}}"#,
        r#"{"mcpServers":{"a":{"command":"x","disabled":true}}}"#,
    );
    // Into an empty object.
    check(
        &Edit::Disabled(true),
        "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"b\": {}\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"disabled\": true\n    },\n    \"b\": {}\n  }\n}",
    );
    check(
        &Edit::Disabled(true),
        "{\"mcpServers\": {\"a\": {\n  // nothing yet\n}}}",
        "{\"mcpServers\": {\"a\": {\n  // nothing yet\n  \"disabled\": true\n}}}",
    );
}

#[test]
fn names_are_added_to_and_removed_from_lists() {
    let file = |list: &str| format!("{{\n  \"mcpServers\": {{ \"a\": {{ \"alwaysAllow\": {list} }} }}\n}}\n");
    for (before, tool, allowed, after) in [
        ("[]", "t", true, r#"["t"]"#),
        ("null", "t", true, r#"["t"]"#),
        ("[ ]", "t", true, r#"[ "t" ]"#),
        (r#"["s"]"#, "t", true, r#"["s", "t"]"#),
        (r#"["s",]"#, "t", true, r#"["s", "t",]"#),
        (r#"["t"]"#, "t", true, r#"["t"]"#),
        (r#"["get_*"]"#, "get_x", true, r#"["get_*"]"#),
        ("[\n\"s\" // one\n]", "t", true, "[\n\"s\", // one\n\"t\"\n]"),
        (r#"["t"]"#, "t", false, "[]"),
        (r#"["t", "s"]"#, "t", false, r#"["s"]"#),
        (r#"["s", "t"]"#, "t", false, r#"["s"]"#),
        (r#"["s", "t", "u"]"#, "t", false, r#"["s", "u"]"#),
        (r#"["s", "t",]"#, "t", false, r#"["s",]"#),
        (r#"["t", "s", "t", "t"]"#, "t", false, r#"["s"]"#),
        (r#"["\u0074"]"#, "t", false, "[]"),
        ("[\n  \"s\",\n  \"t\"\n]", "t", false, "[\n  \"s\"\n]"),
        ("[\n  \"s\", // one\n  \"t\" // two\n]", "t", false, "[\n  \"s\" // one\n   // two\n]"),
        ("[\n  \"s\"\n  , \"t\"\n]", "t", false, "[\n  \"s\"\n]"),
        ("[\n  \"t\", \"s\",\n  \"u\"\n]", "s", false, "[\n  \"t\",\n  \"u\"\n]"),
        (r#"["*"]"#, "*", false, "[]"),
    ] {
        assert_eq!(
            apply(&allow(tool, allowed), &file(before)).unwrap(),
            file(after),
            "{before} {tool} {allowed}"
        );
    }
}

#[test]
fn a_tool_is_enabled_only_by_both_lists() {
    let file = |lists: &str| format!(r#"{{"mcpServers": {{"a": {{"command": "x"{lists}}}}}}}"#);
    for (before, enabled, after) in [
        ("", false, r#", "disabledTools": ["t"]"#),
        ("", true, ""),
        (r#", "disabledTools": ["t"]"#, true, r#", "disabledTools": []"#),
        (r#", "enabledTools": []"#, true, r#", "enabledTools": ["t"]"#),
        (
            r#", "enabledTools": ["s"], "disabledTools": ["t"]"#,
            true,
            r#", "enabledTools": ["s", "t"], "disabledTools": []"#,
        ),
        (r#", "enabledTools": ["s"]"#, false, r#", "enabledTools": ["s"]"#),
        (r#", "enabledTools": ["t"]"#, false, r#", "enabledTools": ["t"], "disabledTools": ["t"]"#),
        (
            r#", "enabledTools": ["*"], "disabledTools": ["t"]"#,
            true,
            r#", "enabledTools": ["*"], "disabledTools": []"#,
        ),
    ] {
        assert_eq!(apply(&enable("t", enabled), &file(before)).unwrap(), file(after), "{before}");
    }
}

#[test]
fn patterns_are_not_changed() {
    let file = r#"{"mcpServers": {"a": {"alwaysAllow": ["t", "*"], "disabledTools": ["get_*"]}}}"#;
    let pattern = |list, pattern: &str, tool: &str| EditRefusal::Pattern {
        list,
        pattern: pattern.into(),
        tool: tool.into(),
    };
    assert_eq!(apply(&allow("t", false), file), Err(pattern("alwaysAllow", "*", "t")));
    assert_eq!(apply(&enable("get_x", true), file), Err(pattern("disabledTools", "get_*", "get_x")));
    // A server that names a tool `*` must not get permission for all tools.
    let file = r#"{"mcpServers": {"a": {}}}"#;
    assert_eq!(apply(&allow("*", true), file), Err(EditRefusal::Wildcard { tool: "*".into() }));
    assert_eq!(apply(&enable("x*", false), file), Err(EditRefusal::Wildcard { tool: "x*".into() }));
}

#[test]
fn a_server_is_added_after_the_others() {
    let mut stdio = Stdio::new("npx");
    stdio.args = vec!["-y".into(), "${env:PACKAGE}".into()];
    stdio.env.insert("KEY".into(), "a\"b\\".into());
    let add = Edit::Add(Box::new(ServerConfig::new(stdio)));
    let entry = "\"a\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"${env:PACKAGE}\"],\n      \
                 \"env\": {\n        \"KEY\": \"a\\\"b\\\\\"\n      }\n    }";
    let new = format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }}\n}}\n");
    for empty in
        ["", "\n", "{}\n", "{\n}\n", "{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {\n\n  }\n}\n"]
    {
        assert_eq!(apply(&add, empty).unwrap(), new, "{empty:?}");
    }
    assert_eq!(apply(&add, "// mine\n").unwrap(), format!("// mine\n{new}"));
    assert_eq!(apply(&add, "\u{feff}{}\n").unwrap(), format!("\u{feff}{new}"));
    // Unknown keys stay.
    let before = "{\n  \"$schema\": \"s\",\n  \"inputs\": [], // asked\n  \"mcpServers\": {\n    \"b\": {}, // b\n    // end\n  },\n}";
    let after = format!(
        "{{\n  \"$schema\": \"s\",\n  \"inputs\": [], // asked\n  \"mcpServers\": {{\n    \"b\": {{}}, // b\n    {entry},\n    // end\n  }},\n}}"
    );
    assert_eq!(apply(&add, before).unwrap(), after);
    assert_eq!(apply(&add, &after), Err(EditRefusal::Exists { server: "a".into() }));
    let servers = add.apply("a", "{\"inputs\": []}", "servers").unwrap();
    assert!(servers.contains("\"servers\": {"), "{servers}");
}

#[test]
fn the_whole_configuration_is_written() {
    let mut config = ServerConfig::new(Launch::Http(Endpoint::new("https://x")));
    config.disabled = true;
    config.timeout = Duration::from_secs(5);
    config.startup_timeout = Duration::from_millis(2500);
    config.always_allow = Patterns::from_iter(["*"]);
    config.disabled_tools = Patterns::from_iter(["d"]);
    config.enabled_tools = Some(Patterns::default());
    config.watch_paths = vec!["w".into()];
    let add = Edit::Add(Box::new(config));
    let text = apply(&add, r#"{"mcpServers":{"b":{}}}"#).unwrap();
    let entry = concat!(
        r#"{"type":"http","url":"https://x","disabled":true,"timeout":5,"startupTimeout":2.5,"alwaysAllow":["*"],"#,
        r#""disabledTools":["d"],"enabledTools":[],"watchPaths":["w"]}"#
    );
    assert_eq!(text, format!(r#"{{"mcpServers":{{"b":{{}},"a":{entry}}}}}"#));
    let roo = apply(&add, r#"{"mcpServers":{"b":{"type":"streamable-http"}}}"#).unwrap();
    assert!(roo.contains(r#""a":{"type":"streamable-http""#), "{roo}");
}

#[test]
fn a_server_is_removed_with_its_lines() {
    check(
        &Edit::Remove,
        "{\n  \"mcpServers\": {\n    // first\n    \"a\": {\n      // inside\n      \"command\": \"x\"\n    }, // beside\n    \"b\": {}\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    // first\n    // beside\n    \"b\": {}\n  }\n}\n",
    );
    check(
        &Edit::Remove,
        "{\n  \"mcpServers\": {\n    \"b\": {},\n\n    \"a\": {\n      \"command\": \"x\"\n    }\n  },\n  \"inputs\": []\n}\n",
        "{\n  \"mcpServers\": {\n    \"b\": {}\n\n  },\n  \"inputs\": []\n}\n",
    );
    // Both duplicates are removed, or the first would count again.
    check(
        &Edit::Remove,
        r#"{"mcpServers":{"a":{"command":"x"},"b":{},"a":{"command":"y"}}}"#,
        r#"{"mcpServers":{"b":{}}}"#,
    );
}

#[test]
fn the_last_of_duplicate_keys_counts() {
    check(
        &Edit::Disabled(true),
        r#"{"mcpServers": {"a": {"x": 1}, "a": {"disabled": 1, "disabled": false}}}"#,
        r#"{"mcpServers": {"a": {"x": 1}, "a": {"disabled": 1, "disabled": true}}}"#,
    );
}

#[test]
fn impossible_changes_are_refused() {
    let disable = Edit::Disabled(true);
    let broken = apply(&disable, "{\n  \"mcpServers\": {\n    \"a\": {,}\n  }\n}").unwrap_err();
    assert!(matches!(broken, EditRefusal::Broken { line: 3, column: 11, .. }), "{broken:?}");
    for loose in
        ["{'mcpServers': {}}", "{mcpServers: {}}", "{\"a\": 1 \"b\": 2}", "{} {}", "[1", "{\"a\": 0x1}"]
    {
        assert!(matches!(apply(&disable, loose), Err(EditRefusal::Broken { .. })), "{loose}");
    }
    for none in ["", "{}", "{\"mcpServers\": {\"b\": {}}}"] {
        for edit in [disable.clone(), Edit::Remove, allow("t", true), enable("t", true)] {
            assert_eq!(apply(&edit, none), Err(EditRefusal::NoServer { server: "a".into() }), "{none}");
        }
    }
    for (text, at) in [
        ("[]", "the file"),
        ("{\"mcpServers\": []}", "mcpServers"),
        ("{\"mcpServers\": {\"a\": 1}}", "mcpServers.a"),
        ("{\"mcpServers\": {\"a\": {\"alwaysAllow\": \"t\"}}}", "mcpServers.a.alwaysAllow"),
        ("{\"mcpServers\": {\"a\": {\"alwaysAllow\": [1]}}}", "mcpServers.a.alwaysAllow"),
    ] {
        let refusal = apply(&allow("t", true), text).unwrap_err();
        assert!(matches!(&refusal, EditRefusal::Unexpected { at: place, .. } if place == at), "{refusal:?}");
    }
    for timeout in [0, 999, 3_600_001] {
        let edit = Edit::Timeout(Duration::from_millis(timeout));
        assert_eq!(apply(&edit, r#"{"mcpServers": {"a": {}}}"#), Err(EditRefusal::Timeout));
    }
}

// A server that the reader refuses would be lost at the next reading, and its name taken by a broken server.
#[test]
fn an_unreadable_server_is_not_written() {
    let program = |change: fn(&mut Stdio)| {
        let mut stdio = Stdio::new("x");
        change(&mut stdio);
        ServerConfig::new(stdio)
    };
    let limited = |timeout, startup_timeout| ServerConfig {
        timeout,
        startup_timeout,
        ..ServerConfig::new(Stdio::new("x"))
    };
    let at = |url: &str| ServerConfig::new(Launch::Sse(Endpoint::new(url)));
    let mut headed = Endpoint::new("http://h");
    headed.headers.insert("B: s3cr3t".into(), String::new());
    let minute = Duration::from_secs(60);
    let range = "must be a number of seconds from 1 to 3600";
    let address = "url: must be an address that begins with http:// or https://";
    for (config, reported) in [
        (limited(Duration::from_millis(500), minute), format!("timeout: {range}")),
        (limited(Duration::ZERO, minute), format!("timeout: {range}")),
        (
            limited(Duration::MAX, Duration::from_millis(999)),
            format!(
                "timeout: {range} (the milliseconds that Claude Code reads are not meant here); startupTimeout: {range}"
            ),
        ),
        (program(|stdio| stdio.command = " ".into()), "command: must be a string that is not empty".into()),
        (program(|stdio| stdio.cwd = Some(String::new())), "cwd: must be a string that is not empty".into()),
        (
            program(|stdio| stdio.env_file = Some(String::new())),
            "envFile: must be a string that is not empty".into(),
        ),
        (
            program(|stdio| _ = stdio.env.insert("A=s3cr3t".into(), String::new())),
            "env[\"A…\"]: this can't be the name of an environment variable".into(),
        ),
        (at(""), "url: must be a string that is not empty".into()),
        (at("s3cr3t"), address.into()),
        (at("ftp://h"), address.into()),
        (
            ServerConfig::new(Launch::Http(headed)),
            "headers[\"B…\"]: this can't be the name of a header".into(),
        ),
    ] {
        for before in ["", "{\"mcpServers\": {\"b\": 1}}"] {
            let refused = apply(&Edit::Add(Box::new(config.clone())), before).unwrap_err();
            assert!(matches!(&refused, EditRefusal::Invalid { .. }), "{refused:?}");
            assert_eq!(
                refused.to_string(),
                format!("the configuration of the server is invalid: {reported}")
            );
        }
    }
    // Values that can only be checked with their variables are written, and so are those with warnings only.
    let mut headers = Endpoint::new("${URL}/x");
    headers.headers.insert("A".into(), "${input:t}".into());
    let config = ServerConfig { watch_paths: vec!["w".into()], ..ServerConfig::new(Launch::Http(headers)) };
    apply(&Edit::Add(Box::new(config)), "").unwrap();
}
