//! Permission requests: the answers of a handler, and warnings about options that bypass it.

use std::{fs, path::PathBuf};

use agentwire::{
    Decision, Options, PermissionPrompts, RawJson, Session, Warning,
    hooks::PermissionHandler,
    protocol::{
        control::CanUseTool, permission::PermissionMode, sandbox::SandboxSettings, settings::RawSettings,
    },
};
use serde_json::{Value, json};

use crate::peer::{connect, connected};

fn question() -> Value {
    json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "rm a"}, "tool_use_id": "toolu_1"})
}

#[tokio::test(start_paused = true)]
async fn decision_is_sent() {
    let allows = PermissionHandler::new(async |request: CanUseTool, _cx| {
        assert_eq!((&*request.tool_name, request.input.as_str()), ("Bash", r#"{"command":"rm a"}"#));
        Decision::allow_with_input(RawJson::parse(r#"{"command":"ls"}"#).unwrap())
    });
    for (handler, sent) in [
        (allows, json!({"behavior": "allow", "updatedInput": {"command": "ls"}})),
        (handler(), json!({"behavior": "deny", "message": "no"})),
    ] {
        let (_session, mut peer) = connected(Session::builder().permissions(handler)).await;
        peer.ask("q1", question()).await;
        assert_eq!(peer.response("q1").await["response"], sent);
    }
}

#[tokio::test(start_paused = true)]
async fn callback_can_use_the_session() {
    let handler = PermissionHandler::new(async |_, cx: agentwire::control::CallContext| {
        let mode = agentwire::protocol::control::SetPermissionMode::new(PermissionMode::AcceptEdits);
        cx.control.call(&mode).await.map(|_| Decision::deny("mode set"))
    });
    let (_session, mut peer) = connected(Session::builder().permissions(handler)).await;
    peer.ask("q1", question()).await;
    peer.answer("set_permission_mode", json!({"mode": "acceptEdits"})).await;
    assert_eq!(peer.response("q1").await["response"]["message"], "mode set");
}

#[test]
fn callback_adds_the_flag() {
    let flag = "--permission-prompt-tool=stdio".to_owned();
    let without = Session::builder().to_launch_plan().unwrap();
    assert!(!without.args.contains(&flag));
    let with = Session::builder().permissions(handler()).to_launch_plan().unwrap();
    assert!(with.args.contains(&flag));
}

pub(crate) fn handler() -> PermissionHandler {
    PermissionHandler::new(async |_, _| Decision::deny("no"))
}

/// Returns the warnings of these options with a callback, as text.
fn warnings(options: Options) -> Vec<String> {
    assert_eq!(
        Session::builder().options(options.clone()).to_launch_plan().unwrap().warnings,
        [],
        "without a callback"
    );
    let plan = Session::builder().options(options).permissions(handler()).to_launch_plan().unwrap();
    plan.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn bypassing_options_cause_warnings() {
    assert_eq!(warnings(Options::new()), [] as [&str; 0]);
    for (options, expected) in [
        (Options::new().permission_mode(PermissionMode::DontAsk), "`permissionMode` (dontAsk) keeps"),
        (Options::new().permission_mode(PermissionMode::BypassPermissions), "(bypassPermissions) keeps"),
        (Options::new().permission_mode(PermissionMode::Auto), "a classifier decides"),
        (Options::new().permission_prompts(PermissionPrompts::None), "`permissionPrompts` (none) keeps"),
        (
            Options::new().allowed_tools([
                "Read",
                "Bash(*)",
                "Write,Edit",
                "Bash(ls:*)",
                "mcp__a__*",
                "mcp__b",
            ]),
            "`allowedTools` (Read, Bash, Write, Edit, mcp__a__*, mcp__b) keeps",
        ),
        (
            Options::new().allowed_tools(["Bash(git push:*, x),Read Edit(*)"]),
            "`allowedTools` (Read, Edit) keeps",
        ),
        (settings(r#"{"permissions":{"allow":["Bash(ls)","WebFetch"]}}"#), "`settings` (WebFetch) keeps"),
        (settings(r#"{"permissions":{"denyInsteadOfPrompting":true}}"#), "denyInsteadOfPrompting) keeps"),
        (auto_allow(true), "`sandbox` (autoAllowBashIfSandboxed) keeps"),
        (settings(r#"{"sandbox":{"autoAllowBashIfSandboxed":true}}"#), "`settings` (autoAllowBash"),
    ] {
        let warned = warnings(options);
        assert!(warned.len() == 1 && warned[0].contains(expected), "{expected}: {warned:?}");
    }
    for options in [
        Options::new().permission_mode(PermissionMode::AcceptEdits),
        Options::new().permission_prompts(PermissionPrompts::Host),
        Options::new().allow_dangerously_skip_permissions(),
        // A rule for some calls, and tools that always ask.
        Options::new().allowed_tools([
            "Bash(ls:*)",
            "AskUserQuestion",
            "ExitPlanMode",
            "SandboxNetworkAccess",
        ]),
        settings(r#"{"permissions":{"deny":["Bash"],"ask":["Read"]}}"#),
        settings(r#"{"permissions":{"allow":["*","mcp__*"]}}"#),
        auto_allow(false),
        settings(r#"{"sandbox":{"enabled":false,"autoAllowBashIfSandboxed":true}}"#),
    ] {
        assert_eq!(warnings(options), [] as [&str; 0]);
    }
}

#[cfg(feature = "mcp")]
#[test]
fn rules_for_in_process_tools_cause_no_warning() {
    use agentwire::mcp::{McpServers, Server};

    let servers =
        McpServers::new().with("units", Server::new("units", "1")).with("my srv", Server::new("my srv", "1"));
    let rules =
        ["mcp__units", "mcp__units__*", "mcp__units__add", "mcp__my_srv", "mcp__units2", "mcp__other"];
    let builder = Session::builder().options(Options::new().allowed_tools(rules));
    let plan = builder.permissions(handler()).mcp_servers(servers).to_launch_plan().unwrap();
    let warnings: Vec<_> = plan.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("`allowedTools` (mcp__units2, mcp__other) keeps"), "{warnings:?}");
}

/// Returns two folders with settings.
pub(crate) fn folders_with_settings() -> (tempfile::TempDir, [PathBuf; 2]) {
    let place = tempfile::tempdir().unwrap();
    let base = place.path().canonicalize().unwrap();
    let folders = ["cwd", "root"].map(|name| {
        let folder = base.join(name);
        fs::create_dir_all(folder.join(".claude")).unwrap();
        fs::write(folder.join(SETTINGS), "{}").unwrap();
        folder
    });
    (place, folders)
}

#[test]
fn files_of_the_project_config_root_are_warned_about() {
    let (_place, [cwd, root]) = folders_with_settings();
    let warnings = |options: Options| {
        let builder = Session::builder().options(options).permissions(handler());
        builder.to_launch_plan().unwrap().warnings
    };
    let options = Options::new().cwd(&cwd);
    assert_eq!(warnings(options.clone()), [Warning::FolderHeeded { file: cwd.join(SETTINGS) }]);
    let warned = warnings(options.project_config_root(&root));
    assert_eq!(warned, [Warning::FolderHeeded { file: root.join(SETTINGS) }]);
}

pub(crate) const SETTINGS: &str = ".claude/settings.json";

fn auto_allow(is_on: bool) -> Options {
    let mut sandbox = SandboxSettings::default();
    sandbox.auto_allow_bash_if_sandboxed = Some(is_on);
    Options::new().sandbox(sandbox)
}

fn settings(text: &str) -> Options {
    Options::new().settings(RawSettings::new(RawJson::parse(text).unwrap()))
}

/// A settings file may have set the mode.
#[tokio::test(start_paused = true)]
async fn initial_mode_causes_one_warning() {
    let started = async |builder: agentwire::SessionBuilder| {
        let reply = json!({"current_permission_mode": "dontAsk"});
        let (session, ..) = connect(builder, async |peer| peer.answer("initialize", reply).await).await;
        session.unwrap().warnings().to_vec()
    };
    let warning = Warning::NotAsked {
        option: "permissionMode",
        value: "dontAsk".to_owned(),
        instead: "such tool uses are denied without a question",
    };
    assert_eq!(started(Session::builder()).await, []);
    assert_eq!(started(Session::builder().permissions(handler())).await, std::slice::from_ref(&warning));
    let options = Options::new().permission_mode(PermissionMode::DontAsk);
    assert_eq!(started(Session::builder().permissions(handler()).options(options)).await, [warning]);
}
