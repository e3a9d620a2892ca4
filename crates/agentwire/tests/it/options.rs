//! Options: what each becomes, what is refused, what is stored, and what is not shown.

use agentwire::{
    Decision, Error, Options, PermissionMode, Session, SettingSource, SystemPrompt, hooks::PermissionHandler,
};
use serde_json::{Value, json};

/// The arguments that these options add to those of every session.
fn added(options: Options) -> Vec<String> {
    let always = Options::new().lower().unwrap().args;
    let mut args = options.lower().unwrap().args;
    assert_eq!(args[..always.len()], always);
    args.split_off(always.len())
}

fn handshake(options: Options) -> Value {
    serde_json::to_value(options.lower().unwrap().initialize).unwrap()
}

fn refused(options: Options) -> (&'static str, String) {
    match options.lower() {
        Err(Error::Options { option, why }) => (option, why),
        other => panic!("{other:?}"),
    }
}

/// Every option set, to values that are not the default.
fn full() -> Options {
    Options::new()
        .model("opus")
        .system_prompt("be brief")
        .permission_mode(PermissionMode::Plan)
        .allowed_tools(["Read", "Bash(git:*)"])
        .disallowed_tools(["Write"])
        .max_turns(3)
        .include_partial_messages()
        .resume("11111111-1111-4111-8111-111111111111")
        .setting_sources([SettingSource::User, SettingSource::Project, SettingSource::Local])
        .cwd("/project")
        .path_to_claude_code_executable("/bin/claude")
        .env("TOKEN", "s3cr3t")
        .env_remove("HOME")
        .env_clear()
        .extra_arg("new-flag", Some("-1"))
        .extra_arg("new-switch", None)
}

#[test]
fn what_every_session_gets() {
    let lowered = Options::new().lower().unwrap();
    assert_eq!(
        lowered.args,
        ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
    );
    assert_eq!(lowered.env["CLAUDE_CODE_SDK_READS_SESSION_STATE"], "1");
    assert!(lowered.env.contains_key("CLAUDE_CODE_ENTRYPOINT"));
    assert!(lowered.env_remove.contains("CLAUDECODE"));
    assert_eq!(handshake(Options::new()), json!({"systemPrompt": [""]}));
}

#[test]
fn the_argument_of_each_option() {
    let table = [
        (Options::new().model("opus"), "--model=opus"),
        (Options::new().permission_mode(PermissionMode::AcceptEdits), "--permission-mode=acceptEdits"),
        (Options::new().allowed_tools(["Read", "Bash(git:*)"]), "--allowedTools=Read,Bash(git:*)"),
        (Options::new().disallowed_tools(["Bash"]), "--disallowedTools=Bash"),
        (Options::new().max_turns(3), "--max-turns=3"),
        (Options::new().include_partial_messages(), "--include-partial-messages"),
        (Options::new().resume("1-1"), "--resume=1-1"),
        (
            Options::new().setting_sources([SettingSource::User, SettingSource::Project]),
            "--setting-sources=user,project",
        ),
        (Options::new().setting_sources([]), "--setting-sources="),
        (Options::new().extra_arg("foo", Some("bar")), "--foo=bar"),
        (Options::new().extra_arg("foo", Some("-1")), "--foo=-1"),
        (Options::new().extra_arg("foo", Some("")), "--foo="),
        (Options::new().extra_arg("baz", None), "--baz"),
        // A value that looks like a flag stays a value.
        (Options::new().model("--dangerous"), "--model=--dangerous"),
        (Options::new().resume("--dangerous"), "--resume=--dangerous"),
    ];
    for (options, expected) in table {
        assert_eq!(added(options), [expected]);
    }
}

#[test]
fn the_order_is_fixed() {
    assert_eq!(
        added(full()),
        [
            "--model=opus",
            "--max-turns=3",
            "--resume=11111111-1111-4111-8111-111111111111",
            "--include-partial-messages",
            "--permission-mode=plan",
            "--allowedTools=Read,Bash(git:*)",
            "--disallowedTools=Write",
            "--setting-sources=user,project,local",
            "--new-flag=-1",
            "--new-switch",
        ]
    );
}

#[test]
fn empty_lists_add_nothing() {
    let options = Options::new().allowed_tools(Vec::<String>::new()).disallowed_tools(Vec::<String>::new());
    assert!(added(options).is_empty());
}

#[test]
fn system_prompts() {
    let prompt = |prompt: SystemPrompt| handshake(Options::new().system_prompt(prompt));
    assert_eq!(prompt("p".into()), json!({"systemPrompt": ["p"]}));
    assert_eq!(prompt(SystemPrompt::Preset { append: None }), json!({}));
    assert_eq!(
        prompt(SystemPrompt::Preset { append: Some("more".to_owned()) }),
        json!({"appendSystemPrompt": "more"})
    );
}

#[test]
fn the_environment() {
    let lowered = full().lower().unwrap();
    assert_eq!(lowered.env["TOKEN"], "s3cr3t");
    assert!(lowered.env_remove.contains("HOME"));
    // What the user sets wins over what every session gets.
    let lowered = Options::new().env("CLAUDE_CODE_ENTRYPOINT", "mine").lower().unwrap();
    assert_eq!(lowered.env["CLAUDE_CODE_ENTRYPOINT"], "mine");
}

#[test]
fn nonsense_is_refused() {
    let table = [
        (Options::new().model(""), "model"),
        (Options::new().resume(""), "resume"),
        (Options::new().max_turns(0), "maxTurns"),
        (Options::new().allowed_tools(["Read", ""]), "allowedTools"),
        (Options::new().disallowed_tools([" "]), "disallowedTools"),
        (Options::new().extra_arg("", None), "extraArgs"),
        (Options::new().extra_arg("--foo", None), "extraArgs"),
        (Options::new().extra_arg("foo=bar", None), "extraArgs"),
        (Options::new().extra_arg("foo bar", None), "extraArgs"),
        (Options::new().extra_arg("output-format", Some("text")), "extraArgs"),
        (Options::new().extra_arg("verbose", None), "extraArgs"),
        (Options::new().model("opus").extra_arg("model", Some("sonnet")), "extraArgs"),
        (Options::new().env("", "x"), "env"),
        (Options::new().env("A=B", "x"), "env"),
        (Options::new().env_remove("A=B"), "envRemove"),
    ];
    for (options, option) in table {
        assert_eq!(refused(options).0, option);
    }
    let (option, why) = refused(Options::new().env("TOKEN", "s3cr3t\0"));
    assert_eq!(option, "env");
    assert!(why.contains("TOKEN") && !why.contains("s3cr3t"), "{why}");
}

#[test]
fn two_answers_to_one_question_are_refused() {
    let options = Options::new().extra_arg("permission-prompt-tool", Some("mcp__x__ask"));
    assert!(Session::builder().options(options.clone()).lower().is_ok());
    let handler = PermissionHandler::new(async |_, _| Decision::deny("no"));
    let refused = Session::builder().options(options).permissions(handler).lower();
    assert!(matches!(refused, Err(Error::Options { option: "extraArgs", .. })), "{refused:?}");
}

#[test]
fn round_trip() {
    for options in [Options::new(), full()] {
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<Options>(&json).unwrap(), options, "{json}");
    }
    assert_eq!(serde_json::from_str::<Options>("{}").unwrap(), Options::new());
}

#[test]
fn names_are_those_of_the_reference() {
    let options: Options = serde_json::from_value(json!({
        "model": "opus", "systemPrompt": {"type": "preset", "preset": "claude_code", "append": "more"},
        "permissionMode": "acceptEdits", "allowedTools": ["Read"], "disallowedTools": ["Bash"], "maxTurns": 2,
        "includePartialMessages": true, "resume": "1", "settingSources": ["user", "local"], "cwd": "/project",
        "pathToClaudeCodeExecutable": "/bin/claude", "env": {"A": "b"}, "extraArgs": {"foo": null, "bar": "x"},
    }))
    .unwrap();
    let expected = Options::new()
        .model("opus")
        .system_prompt(SystemPrompt::Preset { append: Some("more".to_owned()) })
        .permission_mode(PermissionMode::AcceptEdits)
        .allowed_tools(["Read"])
        .disallowed_tools(["Bash"])
        .max_turns(2)
        .include_partial_messages()
        .resume("1")
        .setting_sources([SettingSource::User, SettingSource::Local])
        .cwd("/project")
        .path_to_claude_code_executable("/bin/claude")
        .env("A", "b")
        .extra_arg("foo", None)
        .extra_arg("bar", Some("x"));
    assert_eq!(options, expected);
    let prompt: SystemPrompt = serde_json::from_value(json!("text")).unwrap();
    assert_eq!(prompt, SystemPrompt::from("text"));
}

#[test]
fn unknown_keys_are_errors() {
    for json in [
        json!({"modle": "opus"}),
        json!({"allowed_tools": []}),
        json!({"systemPrompt": {"type": "preset", "preset": "claude_code", "apend": "x"}}),
        json!({"systemPrompt": {"type": "preset", "preset": "another"}}),
        json!({"settingSources": ["everywhere"]}),
    ] {
        assert!(serde_json::from_value::<Options>(json.clone()).is_err(), "{json}");
    }
}

#[test]
fn debug_shows_no_secrets() {
    let options = full().extra_arg("key", Some("s3cr3t"));
    let builder = Session::builder().options(options.clone());
    for shown in [
        format!("{options:?}"),
        format!("{options:#?}"),
        format!("{:?}", options.lower().unwrap()),
        format!("{builder:?}"),
        format!("{:?}", builder.launch()),
    ] {
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
    assert!(format!("{options:?}").contains("TOKEN"));
}
