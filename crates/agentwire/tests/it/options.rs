//! Options: their flags and fields, refused values, serialization, and hidden secrets.

use agentwire::{
    Decision, Delivery, Error, FlagSettings, Options, OutputFormat, PermissionMode, PermissionPrompts,
    PreviewFormat, RawJson, Session, SessionStoreFlush, SettingSource, SystemPrompt, ThinkingConfig,
    ToolConfig, TraceContext, Warning,
    hooks::PermissionHandler,
    protocol::{
        agent::{AgentDefinition, AgentMcpServer},
        effort::EffortLevel,
        mcp::{McpServerConfig, RemoteServer, SdkServer},
        message::ThinkingDisplay,
        plugin::{LocalPlugin, PluginConfig},
        sandbox::SandboxSettings,
        settings::RawSettings,
    },
};
use serde_json::{Value, json};

/// Returns the arguments that these options add to the common ones.
fn added(options: Options) -> Vec<String> {
    let always = Options::new().to_launch_plan().unwrap().args;
    let mut args = options.to_launch_plan().unwrap().args;
    assert_eq!(args[..always.len()], always);
    args.split_off(always.len())
}

fn handshake(options: Options) -> Value {
    serde_json::to_value(options.to_launch_plan().unwrap().initialize).unwrap()
}

fn refused(options: Options) -> (&'static str, String) {
    match options.to_launch_plan() {
        Err(Error::Options { option, why }) => (option, why),
        other => panic!("{other:?}"),
    }
}

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

fn http_server() -> McpServerConfig {
    let mut server = RemoteServer::new("http://far/mcp");
    server.headers.insert("Authorization".into(), "s3cr3t".to_owned());
    McpServerConfig::Http(server)
}

fn in_process() -> McpServerConfig {
    McpServerConfig::Sdk(SdkServer::new("calc"))
}

fn plugin() -> PluginConfig {
    PluginConfig::Local(LocalPlugin::new("/plugin"))
}

/// Returns options with a value that is not the default for every field.
fn full() -> Options {
    let mut sandbox = SandboxSettings::default();
    sandbox.enabled = Some(true);
    let mut options = Options::new()
        .model("opus")
        .fallback_model("sonnet,haiku")
        .agent("r")
        .agents([("r", AgentDefinition::new("reviews", "Review."))])
        .effort(EffortLevel::High)
        .thinking(ThinkingConfig::Enabled {
            budget_tokens: Some(1024),
            display: Some(ThinkingDisplay::Omitted),
        })
        .max_thinking_tokens(2048)
        .betas(["context-1m-2025-08-07"])
        .system_prompt("be brief")
        .plan_mode_instructions("plan")
        .tools(["Read", "Skill"])
        .allowed_tools(["Read", "Bash(git:*)"])
        .disallowed_tools(["Write"])
        .tool_aliases([("Bash", "mcp__w__bash".into())])
        .tool_config(ToolConfig::preview_format(PreviewFormat::Html))
        .skills(["pdf"])
        .permission_mode(PermissionMode::Plan)
        .allow_dangerously_skip_permissions()
        .permission_prompt_tool_name("mcp__x__ask")
        .permission_prompts(PermissionPrompts::None);
    options = options
        .max_turns(3)
        .max_budget_usd(1.5)
        .task_budget(1000)
        .resume("11111111-1111-4111-8111-111111111111")
        .continue_last()
        .fork_session()
        .session_id("22222222-2222-4222-8222-222222222222")
        .resume_session_at("33333333-3333-4333-8333-333333333333")
        .resume_drops_turn("44444444-4444-4444-8444-444444444444")
        .persist_session(false)
        .title("a title")
        .session_store_flush(SessionStoreFlush::Eager)
        .load_timeout_ms(1)
        .session_store_flush_timeout_ms(1)
        .session_store_append_timeout_ms(1)
        .session_store_max_pending_bytes(1)
        .session_store_project("project")
        .output_format(OutputFormat::JsonSchema(raw(r#"{"type":"object"}"#)))
        .include_partial_messages()
        .include_hook_events()
        .forward_subagent_text()
        .verbatim_prompts()
        .prompt_suggestions()
        .agent_progress_summaries()
        .supported_dialog_kinds(["x"])
        .per_task_stop_affordance()
        .mcp_servers([("far", http_server())])
        .mcp_servers_delivery(Delivery::Argv)
        .mcp_config_files(["/mcp.json"])
        .strict_mcp_config()
        .plugins([plugin()])
        .plugin_delivery(Delivery::Argv);
    options
        .settings(RawSettings::new(raw(r#"{"env":{"KEY":"s3cr3t"}}"#)))
        .managed_settings(RawSettings::new(raw(r#"{"env":{"KEY":"s3cr3t"}}"#)))
        .setting_sources([SettingSource::User, SettingSource::Project, SettingSource::Local])
        .sandbox(sandbox)
        .cwd("/project")
        .additional_directories(["/a", "/b"])
        .project_config_root("/root")
        .path_to_claude_code_executable("/bin/sh")
        .executable("deno")
        .executable_args(["--key=s3cr3t"])
        .env("TOKEN", "s3cr3t")
        .env_remove("HOME")
        .env_clear()
        .extra_arg("new-flag", Some("-1"))
        .extra_arg("new-switch", None)
        .user("0")
        .client_app("my-app/1.0")
        .debug()
        .debug_file("/d.log")
        .enable_file_checkpointing()
        .max_buffer_size(1 << 20)
        .trace_context(TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        .version_check(false)
}

/// Finds a field without a setter or missing in `Debug`.
#[test]
fn every_option_can_be_set_and_is_shown() {
    let (full, default) = (full(), Options::new());
    let (set, unset) = (serde_json::to_value(&full).unwrap(), serde_json::to_value(default).unwrap());
    let shown = format!("{full:?}");
    for option in Options::described() {
        assert_ne!(set[option.name], unset[option.name], "{}", option.name);
        let field: String = option
            .name
            .chars()
            .flat_map(|c| {
                let word = c.is_ascii_uppercase().then_some('_');
                word.into_iter().chain([c.to_ascii_lowercase()])
            })
            .collect();
        let field = if field == "continue" { "continue_last".to_owned() } else { field };
        assert!(shown.contains(&format!("{field}: ")), "{field}: {shown}");
    }
}

#[test]
fn each_option_has_its_argument() {
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
fn empty_lists_add_nothing() {
    let options = Options::new().allowed_tools(Vec::<String>::new()).disallowed_tools(Vec::<String>::new());
    assert!(added(options).is_empty());
}

#[test]
fn system_prompts_are_in_the_handshake() {
    let prompt = |prompt: SystemPrompt| handshake(Options::new().system_prompt(prompt));
    assert_eq!(prompt("p".into()), json!({"systemPrompt": ["p"]}));
    assert_eq!(prompt(SystemPrompt::PRESET), json!({}));
    assert_eq!(prompt(SystemPrompt::preset_with("more")), json!({"appendSystemPrompt": "more"}));
    assert_eq!(prompt(SystemPrompt::File("/p".into())), json!({}));
    assert_eq!(
        added(Options::new().system_prompt(SystemPrompt::File("/p".into()))),
        ["--system-prompt-file=/p"]
    );
}

#[test]
fn environment_variables_are_set() {
    let plan = full().to_launch_plan().unwrap();
    assert_eq!(plan.env["TOKEN"], "s3cr3t");
    assert!(plan.env_remove.contains("HOME"));
    // The user's value takes precedence over the common one.
    let plan = Options::new().env("CLAUDE_CODE_ENTRYPOINT", "mine").to_launch_plan().unwrap();
    assert_eq!(plan.env["CLAUDE_CODE_ENTRYPOINT"], "mine");
}

#[test]
fn skill_name_that_would_be_another_permission_rule_is_refused() {
    for name in ["", " pdf", "/pdf", "*", "plugin:*", "x),Bash,Skill(y", "a\\b", "a\nb"] {
        assert_eq!(refused(Options::new().skills([name])).0, "skills", "{name:?}");
    }
    for name in ["pdf", "plugin:skill", "my skill"] {
        assert!(
            Session::builder().options(Options::new().skills([name])).to_launch_plan().is_ok(),
            "{name:?}"
        );
    }
}

#[test]
fn invalid_values_are_refused() {
    let mut agent = AgentDefinition::new("reviews", "Review.");
    agent.mcp_servers = vec![AgentMcpServer::Inline([("calc".into(), in_process())].into())];
    let all = [
        Options::new().model(""),
        Options::new().resume(""),
        Options::new().max_turns(0),
        Options::new().allowed_tools(["Read", ""]),
        Options::new().disallowed_tools([" "]),
        Options::new().allowed_tools(["Bash(ls", "Write"]),
        Options::new().disallowed_tools(["Bash(touch:*", "Write(a)"]),
        Options::new().allowed_tools(["Read mcp__my.disk__*"]),
        Options::new().disallowed_tools(["mcp__my.disk__wipe"]),
        Options::new().allowed_tools(["mcp__my,disk__*"]),
        Options::new().disallowed_tools(["mcp__my disk__wipe"]),
        Options::new().extra_arg("", None),
        Options::new().extra_arg("--foo", None),
        Options::new().extra_arg("foo=bar", None),
        Options::new().extra_arg("foo bar", None),
        Options::new().extra_arg("output-format", Some("text")),
        Options::new().extra_arg("verbose", None),
        Options::new().model("opus").extra_arg("model", Some("sonnet")),
        Options::new().env("", "x"),
        Options::new().env("A=B", "x"),
        Options::new().env_remove("A=B"),
        Options::new().max_budget_usd(0.0),
        Options::new().max_budget_usd(-1.0),
        Options::new().max_budget_usd(f64::NAN),
        Options::new().task_budget(0),
        Options::new().session_id("abc"),
        Options::new().session_id(ID).resume(ID),
        Options::new().session_id(ID).continue_last(),
        Options::new().resume_session_at(ID),
        Options::new().resume(ID).resume_drops_turn(ID),
        Options::new().project_config_root("here"),
        Options::new().permission_prompt_tool_name(""),
        Options::new().output_format(OutputFormat::JsonSchema(raw("[1]"))),
        Options::new().settings(RawSettings::new(raw("[1]"))),
        Options::new().managed_settings(RawSettings::new(raw("1"))),
        Options::new().mcp_servers([("calc", in_process())]),
        Options::new().agents([("r", agent)]),
        Options::new().settings(FlagSettings::Path("/s".into())).sandbox(SandboxSettings::default()),
        Options::new().trace_context(TraceContext::new("00-1-2-3")),
        // The ids of a tracer that does nothing.
        Options::new()
            .trace_context(TraceContext::new("00-00000000000000000000000000000000-0000000000000000-01")),
        Options::new().max_buffer_size(0),
    ];
    let reasons = all.map(|options| {
        let (option, why) = refused(options);
        format!("{option}: {why}")
    });
    insta::assert_snapshot!(reasons.join("\n"));
    let (option, why) = refused(Options::new().env("TOKEN", "s3cr3t\0"));
    assert_eq!(option, "env");
    assert!(why.contains("TOKEN") && !why.contains("s3cr3t"), "{why}");
}

/// CLI 2.1.330 drops each of these from the list without an error, or reads `Bash` alone.
#[test]
fn rule_that_the_cli_would_not_read_is_refused() {
    for rule in [
        "Bash(rm:*)x",
        "Bash(rm:*)x,Read",
        "Bash (rm:*)",
        "Read\tBash(rm:*)",
        r#"Bash(echo "x) y")"#,
        r#"Bash(echo "(x)y z")"#,
        r#"Bash(echo "\(x\) y")"#,
        r#"Bash(echo "\(x\),y")"#,
        r#"Bash(echo "\(x) y")"#,
        r#"Bash(echo "(x\) y")"#,
    ] {
        assert_eq!(refused(Options::new().disallowed_tools([rule])).0, "disallowedTools", "{rule}");
        assert_eq!(refused(Options::new().allowed_tools([rule])).0, "allowedTools", "{rule}");
    }
    for rule in [
        "Read, Bash(rm:*) mcp__s__*",
        r#"Bash(echo "(x) y")"#,
        r#"Bash(echo "(x),y")"#,
        r#"Bash(echo "(x)y")"#,
        r#"Bash(echo "\(x\)")"#,
        r#"Bash(echo "(x y")"#,
        "Bash(a (x y)) Bash(rm:*)",
    ] {
        assert!(Options::new().disallowed_tools([rule]).to_launch_plan().is_ok(), "{rule}");
    }
}

/// The CLI accepts any version of UUIDs and both cases, and an id for a copy.
#[test]
fn valid_values_are_accepted() {
    for options in [
        Options::new().session_id("ABCDEF00-0000-0000-0000-000000000000"),
        Options::new().session_id(ID).resume(ID).fork_session(),
        Options::new().session_id(ID).fork_session(),
        Options::new().resume("the title of a session"),
        Options::new().permission_mode(PermissionMode::BypassPermissions),
        Options::new().effort(EffortLevel::from("later")),
    ] {
        assert!(options.to_launch_plan().is_ok(), "{options:?}");
    }
}

#[test]
fn options_without_effect_cause_warnings() {
    let warnings = |options: Options| options.to_launch_plan().unwrap().warnings;
    let overridden = |option, by| vec![Warning::Overridden { option, by }];
    let thinking = Options::new().thinking(ThinkingConfig::Disabled {}).max_thinking_tokens(5);
    assert_eq!(added(thinking.clone()), ["--thinking=disabled"]);
    assert_eq!(warnings(thinking), overridden("maxThinkingTokens", "thinking"));
    assert_eq!(warnings(Options::new().resume(ID).continue_last()), overridden("continue", "resume"));
    let app = Options::new().client_app("a").env("CLAUDE_AGENT_SDK_CLIENT_APP", "b");
    assert_eq!(app.to_launch_plan().unwrap().env["CLAUDE_AGENT_SDK_CLIENT_APP"], "b");
    assert_eq!(warnings(app), overridden("clientApp", "env"));
    assert_eq!(warnings(Options::new().fork_session())[0].option(), Some("forkSession"));
    assert_eq!(warnings(Options::new().load_timeout_ms(1))[0].option(), Some("loadTimeoutMs"));
    let visible =
        warnings(Options::new().managed_settings(RawSettings::new(raw(r#"{"env":{"A":"s3cr3t"}}"#))));
    assert_eq!(visible, [Warning::Visible { option: "managedSettings" }]);
    assert!(visible[0].to_string().contains("`managedSettings`"));
}

/// CLI 2.1.332 supports a `*` in an allow rule only behind the name of a server, and in a deny rule anywhere.
#[test]
fn allow_rule_that_allows_nothing_causes_a_warning() {
    for (rule, allows_nothing) in [
        ("*", true),
        ("B*", true),
        ("mcp__*", true),
        ("Read,mcp__s*__hello", true),
        ("mcp__s", false),
        ("mcp__s__*", false),
        ("mcp__s__*o", false),
        ("Bash(*)", false),
    ] {
        let warnings = Options::new().allowed_tools([rule]).to_launch_plan().unwrap().warnings;
        let warned = warnings.first().and_then(Warning::option);
        assert_eq!(warned, allows_nothing.then_some("allowedTools"), "{rule}");
    }
    assert_eq!(Options::new().disallowed_tools(["*", "mcp__*"]).to_launch_plan().unwrap().warnings, []);
}

#[test]
fn secrets_are_in_no_argument() {
    let options = Options::new()
        .mcp_servers([("far", http_server())])
        .settings(RawSettings::new(raw(r#"{"env":{"KEY":"s3cr3t"}}"#)));
    for options in [options.clone(), options.mcp_servers_delivery(Delivery::Argv)] {
        let plan = options.to_launch_plan().unwrap();
        assert!(!plan.args.concat().contains("s3cr3t"), "{:?}", plan.args);
        assert!(plan.args.contains(&"--settings=<private>/settings.json".to_owned()));
        assert!(plan.files[plan.files.len() - 1].contents.contains("s3cr3t"));
    }
}

#[test]
fn long_values_are_in_no_argument() {
    let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(1 << 20));
    let options = Options::new()
        .output_format(OutputFormat::JsonSchema(raw(&long)))
        .settings(RawSettings::new(raw(&long.replace("description", "model"))))
        .system_prompt("x".repeat(1 << 20));
    let plan = options.to_launch_plan().unwrap();
    assert!(plan.args.concat().len() < 1000);
    assert_eq!(plan.initialize.json_schema.unwrap().as_str(), long);
    assert_eq!(plan.files[0].name, "settings.json");
}

/// A frame is one line, so a schema with line breaks loses them.
#[test]
fn a_schema_has_no_line_breaks() {
    let options = Options::new().output_format(OutputFormat::JsonSchema(raw("{\n  \"type\": \"object\"\n}")));
    let plan = options.to_launch_plan().unwrap();
    assert_eq!(plan.initialize.json_schema.unwrap().as_str(), r#"{"type":"object"}"#);
}

#[test]
fn servers_and_plugins_can_be_flags() {
    let server: McpServerConfig = serde_json::from_value(json!({"command": "x"})).unwrap();
    let mut alone = LocalPlugin::new("/alone");
    alone.skip_mcp_discovery = Some(true);
    let options = Options::new()
        .mcp_servers([("s", server)])
        .mcp_config_files(["/mcp.json"])
        .plugins([plugin(), PluginConfig::Local(alone)]);
    let by_flags = [
        "--mcp-config=/mcp.json",
        r#"--mcp-config={"mcpServers":{"s":{"type":"stdio","command":"x","args":[]}}}"#,
        "--plugin-dir=/plugin",
        "--plugin-dir-no-mcp=/alone",
    ];
    let argv = options.clone().mcp_servers_delivery(Delivery::Argv).plugin_delivery(Delivery::Argv);
    assert_eq!(added(argv), by_flags);
    assert_eq!(added(options.clone()), ["--mcp-config=/mcp.json", "--await-initialize"]);
    // A remote session can't read the handshake in time.
    let far = added(options.extra_arg("sdk-url", Some("ws://far")));
    assert_eq!(far[..4], by_flags);
}

#[test]
fn server_without_a_type_must_be_a_stdio_server() {
    for (server, why) in [
        (
            r#"{"command": "x", "env": {"PORT": 8080}}"#,
            "it has no `type`, and no stdio server has this `env.PORT`",
        ),
        (
            r#"{"command": "x", "args": "--key s3cr3t"}"#,
            "it has no `type`, and no stdio server has this `args`",
        ),
        (r#"{"url": "http://127.0.0.1/"}"#, "it has neither `type` nor `command`"),
        (r#"{"type": 7, "command": "x"}"#, "its `type` is not a string"),
    ] {
        let options: Options =
            serde_json::from_str(&format!(r#"{{"mcpServers": {{"s": {server}}}}}"#)).unwrap();
        let Err(Error::Options { option: "mcpServers", why: refused }) = options.to_launch_plan() else {
            panic!("{server} is not refused");
        };
        assert_eq!(refused, format!("`s`: {why}"));
    }
}

#[test]
fn wrong_shape_of_an_option_is_described() {
    for (options, expected) in [
        (r#"{"systemPrompt": {"type": "custom", "content": "A"}}"#, "the system prompt is a text"),
        (r#"{"systemPrompt": {"preset": "claude_code"}}"#, "or an object of the type `preset`"),
        (r#"{"tools": "Read"}"#, "tools are a list of names"),
        (r#"{"skills": "none"}"#, r#"skills are a list of names, or "all""#),
        (r#"{"settingSources": ["everywhere"]}"#, "everywhere"),
        (r#"{"systemPrompt": {"type": "preset", "preset": "another"}}"#, "the system prompt is a text"),
        (
            r#"{"systemPrompt": {"type": "preset", "preset": "claude_code", "apend": "x"}}"#,
            "the system prompt",
        ),
        (r#"{"allowed_tools": []}"#, "did you mean `allowedTools`?"),
        (r#"{"modle": "opus"}"#, "did you mean `model`?"),
    ] {
        let error = serde_json::from_str::<Options>(options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        let value: Value = serde_json::from_str(options).unwrap();
        assert!(serde_json::from_value::<Options>(value).is_err(), "{options}");
    }
}

#[test]
fn trace_context_is_in_the_environment() {
    let mut trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let plan = Options::new().trace_context(trace.clone()).to_launch_plan().unwrap();
    assert_eq!(plan.env["TRACEPARENT"], trace.traceparent);
    assert!(plan.env_remove.contains("TRACESTATE") && !plan.env.contains_key("TRACESTATE"));
    trace.tracestate = Some("v=1".to_owned());
    assert_eq!(Options::new().trace_context(trace).to_launch_plan().unwrap().env["TRACESTATE"], "v=1");
}

#[cfg(feature = "opentelemetry")]
#[test]
fn active_span_is_the_default_trace() {
    use opentelemetry::{
        Context,
        trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState},
    };

    let env = |options: Options| Session::builder().options(options).to_launch_plan().unwrap().env;
    assert!(!env(Options::new()).contains_key("TRACEPARENT"));
    let state = TraceState::from_key_value([("v", "1")]).unwrap();
    let (trace, span) = (TraceId::from_bytes([10; 16]), SpanId::from_bytes([11; 8]));
    let span = SpanContext::new(trace, span, TraceFlags::SAMPLED, false, state);
    let _active = Context::new().with_remote_span_context(span).attach();
    let active = "00-0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a-0b0b0b0b0b0b0b0b-01";
    assert_eq!(env(Options::new())["TRACEPARENT"], active);
    assert_eq!(env(Options::new())["TRACESTATE"], "v=1");
    // The options take precedence.
    let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert_eq!(env(Options::new().trace_context(TraceContext::new(own)))["TRACEPARENT"], own);
    assert_eq!(env(Options::new().env("TRACEPARENT", "mine"))["TRACEPARENT"], "mine");
}

#[test]
fn settings_are_a_path_or_an_object() {
    let read = |json: Value| serde_json::from_value::<FlagSettings>(json).unwrap();
    assert_eq!(read(json!("/s.json")), FlagSettings::Path("/s.json".into()));
    let inline = FlagSettings::Inline(RawSettings::new(raw(r#"{"model":"opus"}"#)));
    assert_eq!(read(json!({"model": "opus"})), inline);
    assert_eq!(read(json!(r#"{"model":"opus"}"#)), inline);
    for json in [json!(5), json!(["a"]), json!("{bad")] {
        assert!(serde_json::from_value::<FlagSettings>(json).is_err());
    }
}

#[test]
fn two_permission_handlers_are_refused() {
    let options = Options::new().extra_arg("permission-prompt-tool", Some("mcp__x__ask"));
    assert!(Session::builder().options(options.clone()).to_launch_plan().is_ok());
    let handler = PermissionHandler::new(async |_, _| Decision::deny("no"));
    let refused = Session::builder().options(options).permissions(handler).to_launch_plan();
    assert!(matches!(refused, Err(Error::Options { option: "extraArgs", .. })), "{refused:?}");
}

#[test]
fn options_survive_a_round_trip() {
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
        .system_prompt(SystemPrompt::preset_with("more"))
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
    let preset: SystemPrompt =
        serde_json::from_value(json!({"type": "preset", "preset": "claude_code"})).unwrap();
    assert_eq!(preset, SystemPrompt::PRESET);
}

#[test]
fn debug_shows_no_secrets() {
    let options = full().extra_arg("key", Some("s3cr3t")).env("TOKEN", "s3cr3t");
    let builder = Session::builder().options(options.clone());
    for shown in [
        format!("{options:?}"),
        format!("{options:#?}"),
        format!("{:?}", options.to_launch_plan().unwrap()),
        format!("{builder:?}"),
        format!("{:?}", builder.to_launch_plan().unwrap()),
    ] {
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
    assert!(format!("{options:?}").contains("TOKEN"));
}

const ID: &str = "11111111-1111-4111-8111-111111111111";
