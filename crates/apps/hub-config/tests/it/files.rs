//! Servers and problems of one file.

use std::{collections::BTreeMap, fs, time::Duration};

use agentwire_hub_config::{
    Configuration, Endpoint, Launch, ProblemKind, ServerConfig, Severity, Sources, Stdio,
};

/// Reads a text as the `.mcp.json` of a project.
fn read(text: impl AsRef<[u8]>) -> Configuration {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), text).unwrap();
    Sources::new().project(folder.path()).read()
}

/// Returns the problems, without the folder.
fn reported(configuration: &Configuration) -> Vec<String> {
    let lines = configuration.problems.iter().map(|problem| {
        let folder = problem.file.as_ref().unwrap().parent().unwrap().to_str().unwrap();
        problem.to_string().replace(&format!("{folder}/"), "")
    });
    lines.collect()
}

fn names(configuration: &Configuration) -> Vec<&str> {
    configuration.servers.iter().map(|server| server.name.as_str()).collect()
}

/// Returns the server `a` of a text without problems.
fn server(fields: &str) -> ServerConfig {
    let configuration = read(format!(r#"{{"mcpServers":{{"a":{{{fields}}}}}}}"#));
    assert_eq!(reported(&configuration), [""; 0], "{fields}");
    configuration.servers.into_iter().next().unwrap().config
}

/// Returns the problems of the server `a` without positions, and whether the server is in force.
fn about(fields: &str) -> (Vec<String>, bool) {
    let configuration = read(format!(r#"{{"mcpServers":{{"a":{{{fields}}}}}}}"#));
    let reported = configuration.problems.iter().map(|problem| {
        assert_eq!(problem.server.as_ref().unwrap().as_str(), "a");
        format!("{}: {}", problem.path.replace("mcpServers.", ""), problem.kind)
    });
    (reported.collect(), !configuration.servers.is_empty())
}

#[test]
fn both_formats_are_read_with_comments_and_trailing_commas() {
    for text in [
        r#"{"mcpServers":{"git":{"command":"g"},"web":{"type":"http","url":"https://h/mcp"}}}"#,
        r#"{"servers":{"git":{"command":"g"},"web":{"type":"streamable-http","url":"https://h/mcp"}}}"#,
        "// of the project\r\n{ /* both */ \"servers\": {\r\n \"git\": {\"command\": \"g\",},\r\n\
         \"web\": {\"type\": \"http\", \"url\": \"https://h/mcp\"}, // there\r\n},\r\n}\r\n",
        "\u{feff}{\r\t\"mcpServers\": {\r\t\t// one\r\t\t\"git\": {\"command\": \"g\", /* it */\r\t\t},\r\
         \t\t\"web\": {\"type\": \"http\", \"url\": \"https://h/mcp\"},\r\t},\r}\r",
        "\u{feff}{\"mcpServers\":{\"git\":{\"command\":\"g\"}},\
         \"servers\":{\"web\":{\"type\":\"http\",\"url\":\"https://h/mcp\"}}}",
        "{\"\\u006dcpServers\":{\"g\\u0069t\":{\"command\":\"g\"},\
         \"web\":{\"type\":\"ht\\u0074p\",\"url\":\"https:\\/\\/h/mcp\"}}}",
    ] {
        let configuration = read(text);
        assert_eq!(reported(&configuration), [""; 0], "{text}");
        assert_eq!(names(&configuration), ["git", "web"], "{text}");
        assert_eq!(configuration.servers[0].config, ServerConfig::new(Stdio::new("g")));
        let web = Launch::Http(Endpoint::new("https://h/mcp"));
        assert_eq!(configuration.servers[1].config, ServerConfig::new(web));
    }
}

#[test]
fn every_key_is_read() {
    let config = server(
        r#""type": "stdio", "command": "node", "args": ["a", "${B} \"\\ é"], "cwd": "sub",
        "env": {"A": "b", "PORT": 3000, "FLAG": true, "NOT": null}, "envFile": ".env", "disabled": true,
        "timeout": 3600, "startupTimeout": 1.5, "alwaysAllow": ["get_*"], "disabledTools": ["x"],
        "enabledTools": ["*"], "watchPaths": ["build"]"#,
    );
    let Launch::Stdio(stdio) = &config.launch else { panic!("{config:?}") };
    assert_eq!((stdio.command.as_str(), stdio.cwd.as_deref()), ("node", Some("sub")));
    assert_eq!(stdio.args, ["a", "${B} \"\\ é"]);
    let env = [("A", "b"), ("FLAG", "true"), ("PORT", "3000")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(stdio.env, BTreeMap::from(env));
    assert_eq!(stdio.env_file.as_deref(), Some(".env"));
    assert!(config.disabled);
    assert_eq!(config.timeout, Duration::from_secs(3600));
    assert_eq!(config.startup_timeout, Duration::from_millis(1500));
    assert!(config.always_allow.matches("get_it") && !config.always_allow.matches("set_it"));
    assert!(!config.enables("x") && config.enables("y"));
    assert_eq!(config.watch_paths, ["build"]);

    let Launch::Sse(sse) = server(r#""type":"sse","url":"HTTP://u:p@h","headers":{"X-A":"${B}"}"#).launch
    else {
        panic!("another type");
    };
    assert_eq!((sse.url.as_str(), sse.headers["X-A"].as_str()), ("HTTP://u:p@h", "${B}"));
    server(r#""command":"c","env":{"A":1e3,"B":-0,"C":false,"D":null,"E":12345678901234567890123}"#);
    // `null` counts as missing.
    let config = server(
        r#""command":"c","type":null,"url":null,"args":null,"env":null,"cwd":null,"timeout":null,"no":null"#,
    );
    assert_eq!(config, ServerConfig::new(Stdio::new("c")));
}

#[test]
fn keys_of_other_programs_cause_no_warning() {
    let configuration = read(
        r#"{
        "$schema": "https://example.org/s.json", "_comment": "c", "//": "c",
        "inputs": [{"type": "promptString", "id": "key", "description": "Key", "password": true},
            {"type": "pickString", "id": "p", "options": ["a", {"label": "B", "value": "b"}], "default": "a"},
            {"type": "command", "id": "c", "command": "x.key", "args": {"a": 1}}],
        "servers": {
            "vscode": {"type": "stdio", "command": "node", "args": ["${input:key}", "${workspaceFolder}"],
                "dev": {"watch": "src/**", "debug": {"type": "node"}},
                "gallery": true, "version": "1.0.0", "sandboxEnabled": false},
            "claude": {"type": "http", "url": "${URL:-https://h}/mcp", "oauth": {"clientId": "c", "callbackPort": 1},
                "alwaysLoad": true, "timeout": 60},
            "roo": {"command": "npx", "args": ["-y", "x"], "alwaysAllow": ["*"], "disabledTools": [],
                "watchPaths": ["/a"], "disabled": false, "timeout": 1, "_note": 1, "x-y": 2, "$z": 3}
        }}"#,
    );
    assert_eq!(reported(&configuration), [""; 0]);
    assert_eq!(names(&configuration), ["vscode", "claude", "roo"]);
}

#[test]
fn settings_of_other_programs_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".claude.json");
    fs::write(&file, r#"{"numStartups": 3, "projects": {}, "mcpservers": {}, "mcpServers": {}}"#).unwrap();
    let configuration = Sources::new().global(&file).read();
    assert_eq!(
        reported(&configuration),
        ["warning: .claude.json:1:36: mcpservers: unknown key; did you mean `mcpServers`?"]
    );
}

#[test]
fn all_problems_are_reported_with_their_positions() {
    let configuration = read(
        r#"{
  "mcpServer": {},
  "mcpServers": {
    "good": { "command": "g" },
    "té\u006e": { "command": "", "é": 1, "args": "x", "timeout": 0,
      "env": { "A": {}, "B=": "b" }, "alwaysAllow": ["a", 1, {}] },
    "url": { "url": "https://h" },
    "": {},
    "good2": { "command": "g", "disbled": true },
  },
}
"#,
    );
    assert_eq!(
        reported(&configuration),
        [
            "warning: .mcp.json:2:3: mcpServer: unknown key; did you mean `mcpServers`?",
            r#"error: .mcp.json:5:30: mcpServers["tén"].command: must be a string that is not empty"#,
            r#"warning: .mcp.json:5:34: mcpServers["tén"]["é"]: unknown key"#,
            r#"error: .mcp.json:5:50: mcpServers["tén"].args: must be an array of strings"#,
            r#"error: .mcp.json:5:66: mcpServers["tén"].timeout: must be a number of seconds from 1 to 3600"#,
            r#"error: .mcp.json:6:21: mcpServers["tén"].env.A: must be a string"#,
            r#"error: .mcp.json:6:25: mcpServers["tén"].env["B…"]: this can't be the name of an environment variable"#,
            r#"error: .mcp.json:6:59: mcpServers["tén"].alwaysAllow[1]: must be a string"#,
            r#"error: .mcp.json:6:62: mcpServers["tén"].alwaysAllow[2]: must be a string"#,
            "error: .mcp.json:7:14: mcpServers.url.url: a `url` needs a `type`: \
             \"streamable-http\" (or \"http\"), or \"sse\" for servers of the older kind",
            r#"error: .mcp.json:8:5: mcpServers[""]: the name of a server has 1 to 128 characters, none of them a control character"#,
            "warning: .mcp.json:9:32: mcpServers.good2.disbled: unknown key; did you mean `disabled`?",
        ]
    );
    // A bad server does not affect others.
    assert_eq!(names(&configuration), ["good", "good2"]);
}

#[test]
fn an_ambiguous_launch_is_an_error() {
    let two = "a: has both `command` and `url`: only one can be meant";
    let unknown = "a.type: must be \"stdio\", \"streamable-http\" (or \"http\") or \"sse\"";
    let address = "a.url: must be an address that begins with http:// or https://";
    for (fields, errors) in [
        ("", vec!["a: needs `command` (a program) or `url` (an address)"]),
        (r#""command":"c","url":"http://h""#, vec![two]),
        (r#""type":"sse","command":"c","url":"http://h""#, vec![two]),
        (r#""type":"stdio","url":"http://h""#, vec!["a: a server of the type stdio needs `command`"]),
        (r#""type":"http","command":"c""#, vec!["a: a server of the type streamable-http needs `url`"]),
        (r#""type":"sse""#, vec!["a: a server of the type sse needs `url`"]),
        (r#""type":"ws","url":"ws://h""#, vec![unknown, address]),
        (r#""type":1,"command":"c""#, vec![unknown]),
        (r#""type":"sse","url":"h""#, vec![address]),
        (r#""type":"sse","url":"http://""#, vec![address]),
        (r#""type":"sse","url":" ""#, vec!["a.url: must be a string that is not empty"]),
    ] {
        let (mut reported, there) = about(fields);
        reported.retain(|line| !line.contains("does not apply"));
        reported.sort();
        assert_eq!(reported, errors, "{fields}");
        assert!(!there, "{fields}");
    }
    for (wrong, meant) in [
        ("streamableHttp", "streamable-http"),
        ("streamable_http", "streamable-http"),
        ("STDIO", "stdio"),
        ("ssse", "sse"),
    ] {
        let (reported, there) = about(&format!(r#""type":"{wrong}","command":"c""#));
        assert_eq!(reported, [format!("{unknown}; did you mean `{meant}`?")]);
        assert!(!there);
    }
    // A key of another type is only a warning.
    let (reported, there) = about(r#""command":"c","headers":{}"#);
    assert_eq!(reported, ["a.headers: does not apply to a server of the type stdio"]);
    assert!(there);
    let (reported, there) = about(r#""type":"http","url":"http://h","env":{},"cwd":".","watchPaths":["a"]"#);
    assert_eq!(reported.len(), 3, "{reported:?}");
    assert!(reported.iter().any(|line| line.starts_with("a.watchPaths: does not apply")), "{reported:?}");
    assert!(there);
}

#[test]
fn values_of_the_wrong_type_or_range_break_their_server() {
    let too_long = "a.timeout: must be a number of seconds from 1 to 3600 \
                    (the milliseconds that Claude Code reads are not meant here)";
    for (field, error) in [
        (r#""disabled":"true""#, "a.disabled: must be true or false"),
        (r#""disabled":"false""#, "a.disabled: must be true or false"),
        (r#""timeout":0.5"#, "a.timeout: must be a number of seconds from 1 to 3600"),
        (r#""timeout":-1"#, "a.timeout: must be a number of seconds from 1 to 3600"),
        (r#""timeout":"60""#, "a.timeout: must be a number of seconds from 1 to 3600"),
        (r#""startupTimeout":true"#, "a.startupTimeout: must be a number of seconds from 1 to 3600"),
        (r#""startupTimeout":"1m""#, "a.startupTimeout: must be a number of seconds from 1 to 3600"),
        (r#""timeout":60000"#, too_long),
        (r#""timeout":1e999"#, too_long),
        (r#""args":["a",null]"#, "a.args[1]: must be a string"),
        (r#""args":["--port",3000]"#, "a.args[1]: must be a string"),
        (r#""args":"--port""#, "a.args: must be an array of strings"),
        (r#""cwd":"""#, "a.cwd: must be a string that is not empty"),
        (r#""env":["A=b"]"#, "a.env: must be an object with a string for each name"),
        (r#""env":[]"#, "a.env: must be an object with a string for each name"),
        (r#""env":{"":"b"}"#, "a.env[\"\"]: this can't be the name of an environment variable"),
        (r#""env":{"A":["b"]}"#, "a.env.A: must be a string"),
        (r#""env":{"A":{"B":1}}"#, "a.env.A: must be a string"),
        (r#""envFile":true"#, "a.envFile: must be a string"),
        (r#""headers":{"A B":"c"}"#, "a.headers[\"A…\"]: this can't be the name of a header"),
        (r#""headers":{"A":1}"#, "a.headers.A: must be a string"),
        (r#""alwaysAllow":"*""#, "a.alwaysAllow: must be an array of strings"),
        (r#""alwaysAllow":true"#, "a.alwaysAllow: must be an array of strings"),
        (r#""disabledTools":{}"#, "a.disabledTools: must be an array of strings"),
        (r#""enabledTools":[[]]"#, "a.enabledTools[0]: must be a string"),
        (r#""watchPaths":"x""#, "a.watchPaths: must be an array of strings"),
    ] {
        let (mut reported, there) = about(&format!(r#""command":"c",{field}"#));
        reported.retain(|line| !line.contains("does not apply"));
        assert_eq!(reported, [error], "{field}");
        assert!(!there, "{field}");
    }
    let configuration = read(r#"{"mcpServers":{"a":[],"b":null,"c":"x"}}"#);
    let all = configuration.problems.iter().all(|problem| problem.kind == ProblemKind::Expected("an object"));
    assert!(all && configuration.problems.len() == 3, "{:?}", configuration.problems);
}

#[test]
fn unknown_keys_are_reported_with_a_suggestion() {
    for (key, meant) in [
        ("comand", Some("command")),
        ("Args", Some("args")),
        ("agrs", Some("args")),
        ("environment", Some("env")),
        ("ENV_VARS", Some("env")),
        ("enable", Some("disabled")),
        ("evn", Some("env")),
        ("env_file", Some("envFile")),
        ("always_allow", Some("alwaysAllow")),
        ("autoApprove", Some("alwaysAllow")),
        ("disable", Some("disabled")),
        ("enabled", Some("disabled")),
        ("disabledTool", Some("disabledTools")),
        ("timeOut", Some("timeout")),
        ("startup_timeout", Some("startupTimeout")),
        ("serverUrl", Some("url")),
        ("watchPath", Some("watchPaths")),
        ("transportType", Some("type")),
        ("banana", None),
        ("q", None),
        ("ü", None),
        ("a key that is much too long to be one of those that anybody could have meant", None),
    ] {
        let configuration =
            read(format!(r#"{{"mcpServers":{{"a":{{"command":"c","{key}":{{"x":[1]}}}}}}}}"#));
        let [problem] = &configuration.problems[..] else { panic!("{key}: {:?}", configuration.problems) };
        assert_eq!(problem.kind, ProblemKind::UnknownKey { suggestion: meant }, "{key}");
        assert_eq!(problem.severity(), Severity::Warning);
        assert_eq!(names(&configuration), ["a"], "{key}");
    }
    // Keys that protect the user in other programs, and are not supported here, are reported.
    let (reported, there) = about(r#""command":"c","sandboxEnabled":true"#);
    assert_eq!(
        (reported, there),
        (vec!["a.sandboxEnabled: the hub does not support this key".to_owned()], true)
    );
}

#[test]
fn duplicates_are_reported_and_the_last_one_counts() {
    let configuration = read(
        r#"{"mcpServers": {
            "a": {"command": "first"},
            "b": {"command": "b", "env": {"X": "1", "X": "2"}, "command": "c"},
            "a": {"command": "second"},
            "My server: 1": {"command": "m", "x-y z": 1, "x-y z": 2}, "My server: 1": {"command": "m"}
        },
        "servers": {"b": {"command": "d"}}}"#,
    );
    assert_eq!(
        reported(&configuration),
        [
            "warning: .mcp.json:3:53: mcpServers.b.env.X: duplicate of line 3; the last one counts",
            "warning: .mcp.json:3:64: mcpServers.b.command: duplicate of line 3; the last one counts",
            "warning: .mcp.json:4:13: mcpServers.a: duplicate of line 2; the last one counts",
            "warning: .mcp.json:5:71: mcpServers[\"My server: 1\"]: duplicate of line 5; the last one counts",
            "warning: .mcp.json:7:21: servers.b: duplicate of line 3; the last one counts",
        ]
    );
    let commands = configuration.servers.iter().map(|server| match &server.config.launch {
        Launch::Stdio(stdio) => (server.name.as_str(), stdio.command.as_str()),
        other => panic!("{other:?}"),
    });
    assert_eq!(commands.collect::<Vec<_>>(), [("a", "second"), ("My server: 1", "m"), ("b", "d")]);
    // All three duplicates are reported, and the first two may be broken.
    let configuration = read(r#"{"mcpServers":{"a":{},"a":[],"a":{"command":"c"}}}"#);
    assert_eq!((names(&configuration), configuration.problems.len()), (vec!["a"], 2));
}

#[test]
fn invalid_inputs_are_reported() {
    let configuration = read(
        r#"{"servers": {"a": {"command": "c"}}, "inputs": [1, {"id": ""}, {"type": "promptString"},
            {"id": "x", "id": "y"}, {"id": "y", "options": [null]}]}"#,
    );
    assert_eq!(
        reported(&configuration),
        [
            "error: .mcp.json:1:49: inputs[0]: must be an object",
            "error: .mcp.json:1:52: inputs[1]: must be an object with an `id`",
            "error: .mcp.json:1:64: inputs[2]: must be an object with an `id`",
            "warning: .mcp.json:2:25: inputs[3].id: duplicate of line 2; the last one counts",
            "warning: .mcp.json:2:37: inputs[4]: duplicate of line 2; the last one counts",
        ]
    );
    assert_eq!(names(&configuration), ["a"]);
    assert_eq!(
        reported(&read(r#"{"inputs": {}}"#)),
        ["error: .mcp.json:1:12: inputs: must be an array of objects"]
    );
}

#[test]
fn a_file_without_a_configuration_is_reported() {
    for (text, error) in [
        ("", "error: .mcp.json: the file is empty"),
        (" \n// nothing\n", "error: .mcp.json: the file is empty"),
        ("\u{feff}", "error: .mcp.json: the file is empty"),
        (" \r\n// nothing yet\r\n/* nor here */\r\n", "error: .mcp.json: the file is empty"),
        ("[]", "error: .mcp.json:1:1: must be an object"),
        ("[{\"name\": \"a\", \"command\": \"c\"}]", "error: .mcp.json:1:1: must be an object"),
        ("null", "error: .mcp.json:1:1: must be an object"),
        ("\"mcpServers\"", "error: .mcp.json:1:1: must be an object"),
        ("{\n  \"mcpServers\": {,}\n}", "error: .mcp.json:2:18: unexpected token in object"),
        ("{\"mcpServers\": {\r\n  é", "error: .mcp.json:2:3: expected string for object property"),
        ("{\"a\": 'x'}", "error: .mcp.json:1:7: single-quoted strings are not allowed"),
        ("{\"a\" 1}", "error: .mcp.json:1:6: expected colon after the string or word in object property"),
        ("{\"a\": 1 \"b\": 2}", "error: .mcp.json:1:8: expected comma"),
        ("{a: 1}", "error: .mcp.json:1:2: expected string for object property"),
        ("{} {}", "error: .mcp.json:1:4: text cannot contain more than one JSON value"),
        (
            "{\"a\":\"\\ud800\"}",
            "error: .mcp.json:1:7: invalid unicode escape sequence. 'd800 (unpaired high surrogate)' is not a valid UTF8 character",
        ),
        (
            "{\"mcpServers\": []}",
            "error: .mcp.json:1:16: mcpServers: must be an object with a server for each name",
        ),
    ] {
        let configuration = read(text);
        assert_eq!(reported(&configuration), [error], "{text:?}");
        assert!(configuration.servers.is_empty());
    }
    assert_eq!(reported(&read(b"{\n \"\xc3\xa9\xff\"}")), ["error: .mcp.json:2:4: the file is not UTF-8"]);
    assert_eq!(reported(&read(b"\xff\xfe{\0}\0")), ["error: .mcp.json:1:1: the file is not UTF-8"]);
    for text in ["{}", r#"{"mcpServers":{}}"#, r#"{"mcpServers":null,"inputs":null}"#, "{} // end"] {
        assert_eq!(read(text), Configuration::default(), "{text}");
    }
}

#[test]
fn no_value_is_shown() {
    let configuration = read(
        r#"{"mcpServers": {
            "a": {"command": "c", "type": "s3cr3t", "env": {"A": ["s3cr3t"]}, "args": [{"s": "s3cr3t"}], "timeout": "s3cr3t"},
            "f": {"command": "c", "env": {"A=s3cr3t": "", "A=s3cr3t": ""}, "headers": {"B: s3cr3t": ""}, "C s3cr3t": 1},
            "g": {"type": "http", "url": "http://h", "headers": {"B: s3cr3t": ""}},
            "b": {"command": "c", "args": ["s3cr3t"], "env": {"TOKEN": "s3cr3t"}, "apiKey": "s3cr3t"},
            "c": {"type": "http", "url": "https://u:s3cr3t@h/s3cr3t?k=s3cr3t#s3cr3t", "headers": {"A": "s3cr3t"}},
            "d": {"type": "http", "url": "s3cr3t"},
            "e": {"type": "http", "url": "https://${A:-s3cr3t}/x"}
        }, "inputs": [{"id": 1, "default": "s3cr3t"}], "D=s3cr3t": 1}"#,
    );
    assert!(configuration.problems.len() > 5);
    assert_eq!(names(&configuration), ["b", "c", "e"]);
    let shown = format!("{configuration:?} {:#?} {:?}", configuration.servers, reported(&configuration));
    assert!(!shown.contains("s3cr3t"), "{shown}");
    // The host is not a secret.
    assert!(shown.contains("host: \"h\""), "{shown}");
}

#[test]
fn names_cannot_break_log_lines() {
    let long = "x".repeat(129);
    for name in ["", " ", "a\\nb", "a\\u001b[31mb", &long] {
        let configuration =
            read(format!(r#"{{"mcpServers":{{"{name}":{{"command":"c"}},"b":{{"command":"c"}}}}}}"#));
        assert_eq!(names(&configuration), ["b"], "{name}");
        let [problem] = &configuration.problems[..] else { panic!("{name}: {:?}", configuration.problems) };
        assert_eq!(problem.kind, ProblemKind::ServerName, "{name}");
        let shown = problem.to_string();
        assert!(!shown.contains(char::is_control) && shown.len() < 400, "{shown}");
    }
    for name in ["日本語", "a b", "a.b", "\\\"", "x/y@1", &long[1..]] {
        let configuration = read(format!(r#"{{"mcpServers":{{"{name}":{{"command":"c"}}}}}}"#));
        assert_eq!(configuration.servers.len(), 1, "{name}");
        assert_eq!(configuration.problems, [], "{name}");
    }
}
