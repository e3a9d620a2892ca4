//! Effects of options on a real start: private files, a second start for an old CLI, warnings, and the runtime of a
//! script.

use std::{env, ffi::OsStr, fs::Permissions, os::unix::fs::PermissionsExt, path::PathBuf, time::Duration};

use agentwire::{
    Error, Options, RawJson, Session, Warning,
    hooks::Hooks,
    protocol::{
        hook::{HookReply, PreToolUse},
        mcp::{McpServerConfig, StdioServer},
        plugin::{LocalPlugin, PluginConfig},
        sandbox::SandboxSettings,
        settings::RawSettings,
    },
};
use serde_json::{Value, json};
use tokio::{runtime::Runtime, time::timeout};

use crate::peer::{Peer, connect, connected, init, next_kind};

/// A CLI that records its start, and answers the handshake and a request for the settings: its folder and its program.
struct Noting(tempfile::TempDir, PathBuf);

impl Noting {
    fn new(reply: Value, name: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join(name);
        std::fs::write(&script, SCRIPT).unwrap();
        std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        std::fs::write(dir.path().join("reply"), reply.to_string()).unwrap();
        Self(dir, script)
    }

    fn options(&self) -> Options {
        Options::new().path_to_claude_code_executable(&self.1)
    }

    /// Returns the record with this name.
    fn note(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
    }

    fn args(&self) -> Vec<String> {
        self.note("args").lines().map(str::to_owned).collect()
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime: Runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { timeout(Duration::from_secs(60), test).await.expect("it hangs") })
}

fn servers() -> [(&'static str, McpServerConfig); 1] {
    let mut server = StdioServer::new("srv", Vec::new());
    server.env.insert("KEY".into(), "s3cr3t".to_owned());
    [("s", McpServerConfig::Stdio(server))]
}

fn secret_settings() -> RawSettings {
    serde_json::from_value(json!({"env": {"KEY": "s3cr3t"}})).unwrap()
}

fn value(args: &[String], flag: &str) -> Option<String> {
    args.iter().find_map(|arg| arg.strip_prefix(flag)).map(str::to_owned)
}

#[test]
fn settings_with_secrets_are_in_a_file_that_only_the_cli_may_read() {
    let cli = Noting::new(json!({}), "claude");
    for closed in [true, false] {
        let file = run(async {
            let session = Session::connect(cli.options().settings(secret_settings())).await.unwrap();
            let file = PathBuf::from(value(&cli.args(), "--settings=").unwrap());
            assert!(file.exists());
            assert!(!cli.note("args").contains("s3cr3t"));
            if closed {
                session.close().await.unwrap();
            }
            file
        });
        assert_eq!((cli.note("mode").trim(), cli.note("folder").trim()), ("600", "700"));
        assert_eq!(cli.note("settings"), r#"{"env":{"KEY":"s3cr3t"}}"#);
        assert!(!file.exists() && !file.parent().unwrap().exists(), "closed: {closed}");
    }
}

#[test]
fn the_files_of_a_launch_stay_as_long_as_its_builder() {
    let cli = Noting::new(json!({}), "claude");
    let builder = Session::builder().options(cli.options().settings(secret_settings()));
    let launch = builder.launch().unwrap();
    let args: Vec<String> = launch.args.iter().map(|arg| arg.to_str().unwrap().to_owned()).collect();
    let file = PathBuf::from(value(&args, "--settings=").unwrap());
    assert!(file.exists());
    drop(builder);
    assert!(!file.exists());
}

/// An old CLI refuses the flag that makes it wait for the handshake; another one ignores the handshake fields.
#[test]
fn cli_that_does_not_take_the_handshake_fields_is_started_again_with_flags() {
    for old in ["1", ""] {
        let cli = Noting::new(json!({}), "claude");
        run(async {
            let options = cli.options().mcp_servers(servers()).env("OLD", old);
            let session = Session::connect(options).await.unwrap();
            assert_eq!(session.warnings(), [Warning::DeliveredByArgv { option: "mcpServers" }]);
            session.close().await.unwrap();
        });
        let args = cli.args();
        assert!(value(&args, "--mcp-config=/").is_some() && !args.concat().contains("await-initialize"));
        assert!(cli.note("servers").contains("s3cr3t") && !args.concat().contains("s3cr3t"));
        assert_eq!(cli.note("starts").lines().count(), 2);
    }
}

#[test]
fn cli_that_accepts_the_handshake_fields_is_started_once() {
    let cli = Noting::new(json!({"mcp_servers_applied": true}), "claude");
    run(async {
        let session = Session::connect(cli.options().mcp_servers(servers())).await.unwrap();
        assert!(session.warnings().is_empty(), "{:?}", session.warnings());
        session.close().await.unwrap();
    });
    assert!(cli.args().contains(&"--await-initialize".to_owned()));
    assert_eq!(cli.note("starts").lines().count(), 1);
}

#[test]
fn plugin_of_an_unknown_kind_is_passed_in_the_handshake() {
    let cli = Noting::new(json!({"plugins_applied": true}), "claude");
    run(async {
        let plugin: PluginConfig = serde_json::from_value(json!({"type": "zip", "path": "/p.zip"})).unwrap();
        let session = Session::connect(cli.options().plugins([plugin])).await.unwrap();
        session.close().await.unwrap();
    });
    assert_eq!(cli.note("starts").lines().count(), 1);

    let old = Noting::new(json!({}), "claude");
    run(async {
        let plugin: PluginConfig = serde_json::from_value(json!({"type": "zip", "path": "/p.zip"})).unwrap();
        let error = Session::connect(old.options().plugins([plugin])).await.unwrap_err();
        assert!(error.to_string().contains("can only be passed in the handshake"), "{error}");
    });
    assert_eq!(old.note("starts").lines().count(), 1);
}

#[test]
fn cli_that_can_not_load_a_plugin_is_started_once() {
    let cli = Noting::new(json!({"plugins_applied": false}), "claude");
    run(async {
        let plugin = PluginConfig::Local(LocalPlugin::new("/plugin"));
        let session = Session::connect(cli.options().plugins([plugin])).await.unwrap();
        assert!(session.warnings().is_empty(), "{:?}", session.warnings());
        session.close().await.unwrap();
    });
    assert_eq!(cli.note("starts").lines().count(), 1);
}

#[test]
fn a_resumed_session_with_hooks_waits_for_the_handshake() {
    let args = |options: Options, hooks: Hooks| {
        Session::builder().options(options).hooks(hooks).to_launch_plan().unwrap().args.join(" ")
    };
    let hooks = || Hooks::new().on(PreToolUse, async |_, _| HookReply::deny("no"));
    for resumed in [
        Options::new().resume("id"),
        Options::new().continue_last(),
        Options::new().extra_arg("resume", Some("id")),
        Options::new().executable_args(["-c"]),
    ] {
        assert!(args(resumed.clone(), hooks()).contains("--await-initialize"), "{resumed:?}");
        assert!(!args(resumed, Hooks::new()).contains("--await-initialize"));
    }
    assert!(!args(Options::new(), hooks()).contains("--await-initialize"));

    // A CLI that does not know the flag is started again without it.
    let cli = Noting::new(json!({}), "claude");
    run(async {
        let options = cli.options().resume("id").env("OLD", "1");
        let session = Session::builder().options(options).hooks(hooks()).connect().await.unwrap();
        session.close().await.unwrap();
    });
    assert!(!cli.note("args").contains("await-initialize"));
    assert_eq!(cli.note("starts").lines().count(), 2);
}

#[test]
fn script_is_run_by_its_runtime() {
    let cli = Noting::new(json!({}), "claude.js");
    let options = cli.options().executable("/bin/sh").executable_args(["-u"]).model("opus");
    let launch = Session::builder().options(options.clone()).launch().unwrap();
    assert_eq!(launch.program, PathBuf::from("/bin/sh"));
    assert_eq!(launch.args[0], "-u");
    run(async { Session::connect(options).await.unwrap().close().await.unwrap() });
    assert!(cli.args().contains(&"--model=opus".to_owned()));
}

#[test]
fn working_folder_is_named_as_given() {
    let cli = Noting::new(json!({}), "claude");
    let pwd = |options: Options| {
        let launch = Session::builder().options(options).launch().unwrap();
        launch.env.get(OsStr::new("PWD")).cloned()
    };
    assert_eq!(pwd(cli.options()), None);
    let folder = cli.options().cwd("sub/..");
    assert_eq!(pwd(folder.clone()), Some(env::current_dir().unwrap().join("sub/..").into()));
    assert_eq!(pwd(folder.env("PWD", "/own")), Some("/own".into()));
}

#[test]
fn cli_gets_no_empty_name_of_its_configuration_folder() {
    let cli = Noting::new(json!({}), "claude");
    let launch = |folder: &str| {
        let options = cli.options().env("CLAUDE_CONFIG_DIR", folder);
        Session::builder().options(options).launch().unwrap()
    };
    let name = OsStr::new("CLAUDE_CONFIG_DIR");
    assert_eq!(launch("/c").env.get(name), Some(&"/c".into()));
    let launch = launch("");
    assert!(!launch.env.contains_key(name) && launch.env_remove.contains(&name.to_owned()), "{launch:?}");
}

#[test]
fn the_version_warns_and_never_blocks() {
    let command = json!([{"name": "help", "description": "", "argumentHint": ""}]);
    let warnings = |version: Option<&str>, check: bool| {
        let mut reply = json!({"commands": command.clone()});
        if let Some(version) = version {
            reply["claude_code_version"] = json!(version);
        }
        let cli = Noting::new(reply, "claude");
        run(async {
            let options = cli.options().per_task_stop_affordance().version_check(check);
            let session = Session::connect(options).await.unwrap();
            let warnings = session.warnings().to_vec();
            session.close().await.unwrap();
            warnings
        })
    };
    let too_new = |found: Option<&str>| Warning::OptionTooNew {
        option: "perTaskStopAffordance",
        found: found.map(str::to_owned),
        needed: "2.1.330",
    };
    assert_eq!(warnings(Some("2.1.330"), true), []);
    assert_eq!(warnings(None, true), [too_new(None)]);
    assert_eq!(warnings(Some("2.1.300"), true), [too_new(Some("2.1.300"))]);
    let old = Warning::CliTooOld { found: "2.0.1".to_owned(), needed: "2.1.0" };
    assert_eq!(warnings(Some("2.0.1"), true), [old, too_new(Some("2.0.1"))]);
    assert_eq!(warnings(Some("2.0.1"), false), []);
    assert_eq!(warnings(Some("of another kind"), true), []);
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_can_not_be_started_again_gets_a_warning() {
    let builder = Session::builder().options(Options::new().mcp_servers(servers()));
    let (session, _peer, request) = connect(builder, Peer::shake_hands).await;
    assert_eq!(session.unwrap().warnings(), [Warning::NotDelivered { option: "mcpServers" }]);
    assert_eq!(request["request"]["mcpServers"]["s"]["env"]["KEY"], "s3cr3t");

    let warned = || vec![Warning::NotDelivered { option: "plugins" }];
    for (reply, expected) in [
        (json!({}), warned()),
        (json!({"plugins_applied": false}), warned()),
        (json!({"plugins_applied": true}), vec![]),
    ] {
        let plugin = PluginConfig::Local(LocalPlugin::new("/plugin"));
        let builder = Session::builder().options(Options::new().plugins([plugin]));
        let (session, ..) = connect(builder, async |peer| peer.answer("initialize", reply).await).await;
        assert_eq!(session.unwrap().warnings(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn settings_that_the_cli_ignores_refuse_the_session() {
    let ignored = json!({
        "effective": {},
        "errors": [{"file": "/s.json", "path": "cleanupPeriodDays", "message": "Expected number"}],
    });
    // The error is in another file.
    let mut applied = ignored.clone();
    applied["sources"] = json!([{"source": "flagSettings", "settings": {}}]);
    let inline = RawSettings::new(RawJson::parse(r#"{"cleanupPeriodDays": "30"}"#).unwrap());
    for options in [
        Options::new().settings(inline),
        Options::new().settings(PathBuf::from("/s.json")),
        Options::new().extra_arg("settings", Some("/s.json")),
    ] {
        for (reply, starts) in [(&ignored, false), (&applied, true)] {
            let builder = Session::builder().options(options.clone());
            let (session, ..) = connect(builder, async |peer| {
                peer.shake_hands().await;
                peer.answer("get_settings", reply.clone()).await
            })
            .await;
            assert_eq!(session.is_ok(), starts);
            let Err(error) = session else { continue };
            assert!(matches!(error, Error::Options { option: "settings", .. }), "{error}");
            assert!(error.to_string().ends_with(": /s.json: cleanupPeriodDays: Expected number"), "{error}");
        }
    }
    // Hooks of an unknown event are neither applied nor an error.
    let inline = RawSettings::new(RawJson::parse(r#"{"hooks": {"PreToolUs": []}}"#).unwrap());
    for (options, starts) in [
        (Options::new().settings(inline), false),
        (Options::new().settings(PathBuf::from("/empty.json")), true),
    ] {
        let (session, ..) = connect(Session::builder().options(options), async |peer| {
            peer.shake_hands().await;
            peer.answer("get_settings", json!({"effective": {}, "sources": []})).await
        })
        .await;
        assert_eq!(session.is_ok(), starts);
    }
    // Without a setting there is nothing to ignore.
    let empty = RawSettings::new(RawJson::parse("{}").unwrap());
    let (session, ..) =
        connect(Session::builder().options(Options::new().settings(empty)), Peer::shake_hands).await;
    session.unwrap();
}

/// CLI 2.1.330 drops such a rule without an error.
#[tokio::test(start_paused = true)]
async fn deny_rule_that_the_cli_can_not_parse_refuses_the_session() {
    let deny = |rules: Value| json!({"permissions": {"deny": rules}});
    let own = deny(json!(["Bash(rm:*)", "bash"]));
    for (applied, starts) in [
        (deny(json!(["Bash(rm:*)"])), false),
        (json!({}), false),
        (own.clone(), true),
        // The same rules, in the words of another version.
        (deny(json!(["Bash(rm *)", "Bash"])), true),
    ] {
        let session = with_settings(&own, &applied).await;
        assert_eq!(session.is_ok(), starts, "{applied}");
        let Err(error) = session else { continue };
        assert!(error.to_string().contains(" in `permissions.deny`, and ignores it"), "{error}");
    }
}

/// Starts a session with settings of its own, of which the CLI applies others.
async fn with_settings(own: &Value, applied: &Value) -> Result<Session, Error> {
    let settings = RawSettings::new(RawJson::parse(own.to_string()).unwrap());
    let (session, ..) =
        connect(Session::builder().options(Options::new().settings(settings)), async |peer| {
            peer.shake_hands().await;
            let sources = json!([{"source": "flagSettings", "settings": applied}]);
            peer.answer("get_settings", json!({"effective": applied, "sources": sources})).await
        })
        .await;
    session
}

/// CLI 2.1.332 drops such a value without an error.
#[tokio::test(start_paused = true)]
async fn server_rules_that_are_no_list_refuse_the_session() {
    for key in ["deniedMcpServers", "allowedMcpServers"] {
        for (own, applied, starts) in [
            (json!("x"), json!({}), false),
            (json!({"serverName": "x"}), json!({}), false),
            (json!(["x"]), json!({key: []}), false),
            (json!(null), json!({}), true),
            (json!([{"serverName": "x"}]), json!({key: [{"serverName": "x"}]}), true),
        ] {
            let own = json!({key: own, "model": "m"});
            let session = with_settings(&own, &applied).await;
            assert_eq!(session.is_ok(), starts, "{own}");
            let Err(error) = session else { continue };
            assert!(error.to_string().contains(&format!(" in `{key}`, and ignores it")), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn sandbox_that_the_cli_ignores_refuses_the_session() {
    let sandbox = json!({"credentials": {"files": [{"path": "/k", "mode": "dney"}]}});
    let sandbox: SandboxSettings = serde_json::from_value(sandbox).unwrap();
    let builder = Session::builder().options(Options::new().sandbox(sandbox));
    let (session, ..) = connect(builder, async |peer| {
        peer.shake_hands().await;
        let error = json!({"path": "sandbox.credentials.files.0.mode", "message": "Invalid value"});
        let reply = json!({"effective": {}, "errors": [error]});
        timeout(Duration::from_secs(1), peer.answer("get_settings", reply)).await.expect("no question")
    })
    .await;
    let error = session.unwrap_err().to_string();
    assert!(error.contains("`sandbox`"), "{error}");
    assert!(error.ends_with(": sandbox.credentials.files.0.mode: Invalid value"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn plugin_that_is_not_loaded_causes_a_warning() {
    let (mut session, peer) = connected(Session::builder()).await;
    let mut init = init();
    init["plugin_errors"] = json!([
        {"plugin": "p@inline", "type": "hook-load-failed", "message": "no JSON", "path": "/p"},
        {"plugin": "inline[2]", "type": "path-not-found", "path": "/missing"},
    ]);
    // Each turn begins with this message.
    for _ in 0..2 {
        peer.say(init.clone()).await;
        next_kind(&mut session).await;
    }
    let warning =
        |plugin: &str, why: &str| Warning::Plugin { plugin: plugin.to_owned(), why: why.to_owned() };
    assert_eq!(session.warnings(), [warning("p@inline", "no JSON"), warning("/missing", "path-not-found")]);
}

#[tokio::test(start_paused = true)]
async fn verbatim_prompts_are_marked_and_can_not_opt_out() {
    let builder = Session::builder().options(Options::new().verbatim_prompts());
    let (session, mut peer) = connected(builder).await;
    session.send("look at @file").await.unwrap();
    assert_eq!(peer.line().await.unwrap()["client_composed"], true);
    let mut typed = agentwire::UserInput::from("look at @file");
    typed.client_composed = Some(false);
    session.send(typed.clone()).await.unwrap();
    assert_eq!(peer.line().await.unwrap()["client_composed"], true);
    session.control().send(&typed).await.unwrap();
    assert_eq!(peer.line().await.unwrap()["client_composed"], true);
}

const SCRIPT: &str = r#"#!/bin/sh
dir=$(dirname "$0")
echo start >> "$dir/starts"
printf '%s\n' "$@" > "$dir/args"
for arg in "$@"; do
  case "$arg" in
    --await-initialize) [ -n "$OLD" ] && { echo "error: unknown option '--await-initialize'" >&2; exit 1; } ;;
    --settings=/*)
      file=${arg#--settings=}
      stat -c %a "$file" > "$dir/mode"
      stat -c %a "$(dirname "$file")" > "$dir/folder"
      cp "$file" "$dir/settings" ;;
    --mcp-config=/*) cp "${arg#--mcp-config=}" "$dir/servers" ;;
  esac
done
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
  case "$line" in
    *'"get_settings"'*) reply='{"effective":{},"sources":[{"source":"flagSettings","settings":{}}]}' ;;
    *) reply=$(cat "$dir/reply") ;;
  esac
  printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":%s}}\n' "$id" "$reply"
done
"#;
