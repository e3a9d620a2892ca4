//! The named requests and spare processes.

use std::{collections::BTreeMap, fmt::Debug};

use agentwire::{
    ControlError, PermissionMode, RawJson, Session,
    hooks::Hooks,
    protocol::{
        control::{
            ClaimSession, ContextDetail, ErrorCode, GenerateSessionTitle, GetUsage, McpCall, ReadFile,
            RegisterRepoRoot, ReloadPlugins, SetMaxThinkingTokens, UpdateSettingsSource,
        },
        hook::{HookReply, PreToolUse},
        mcp::{McpServerConfig, StdioServer},
    },
};

use super::Place;

/// The outcome of each request.
#[derive(Default)]
struct Outcomes(BTreeMap<&'static str, Option<String>>);

impl Outcomes {
    #[expect(clippy::panic, reason = "it is test code")]
    async fn note<T: Debug>(
        &mut self,
        name: &'static str,
        call: impl Future<Output = Result<T, ControlError>>,
    ) {
        let refused = match call.await {
            Ok(_) => None,
            Err(ControlError::Rejected { message, code, .. }) => {
                Some(code.as_ref().map_or(message, |code| ErrorCode::as_str(code).to_owned()))
            }
            Err(error) => panic!("{name}: {error:?}"),
        };
        assert!(self.0.insert(name, refused).is_none(), "{name} twice");
    }

    fn refused(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, refused)| refused.is_some()).map(|(name, _)| *name).collect()
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn every_request_is_answered() {
    let place = Place::new().await;
    let options = place.in_project();
    let mut session = Session::connect(options).await.unwrap();
    let mut turn = session.ask("Say hello.").await.unwrap();
    turn.next().await.unwrap().unwrap();
    let c = turn.control().clone();
    let raw = |text: &str| RawJson::parse(text).unwrap();
    let mut outcomes = Outcomes::default();
    // In the turn.
    outcomes.note("mcp_status", c.mcp_status()).await;
    outcomes.note("get_settings", c.settings()).await;
    outcomes.note("get_context_usage", c.context_usage(Some(ContextDetail::Summary))).await;
    outcomes
        .note("set_max_thinking_tokens", c.set_max_thinking_tokens(&SetMaxThinkingTokens::new(Some(1024))))
        .await;
    outcomes.note("background_tasks", c.background_tasks(None)).await;
    turn.finish().await.unwrap().unwrap();
    // Between turns.
    outcomes.note("set_permission_mode", c.set_permission_mode(PermissionMode::Plan)).await;
    outcomes.note("set_model", c.set_model(Some("haiku"))).await;
    outcomes.note("apply_flag_settings", c.apply_flag_settings(raw(r#"{"effortLevel":"high"}"#))).await;
    outcomes
        .note(
            "update_settings",
            c.update_settings(UpdateSettingsSource::Local, raw(r#"{"outputStyle":"default"}"#)),
        )
        .await;
    outcomes.note("reload_plugins", c.reload_plugins(&ReloadPlugins::default())).await;
    outcomes.note("reload_skills", c.reload_skills()).await;
    outcomes.note("reload_output_styles", c.reload_output_styles()).await;
    outcomes.note("get_usage", c.usage(&GetUsage::default())).await;
    outcomes.note("get_session_cost", c.session_cost()).await;
    outcomes.note("get_status", c.status()).await;
    outcomes.note("get_binary_version", c.binary_version()).await;
    outcomes.note("list_models", c.list_models()).await;
    outcomes.note("list_permission_rules", c.list_permission_rules()).await;
    outcomes.note("get_hooks_listing", c.hooks_listing()).await;
    outcomes.note("set_mcp_permission_mode_override", c.set_mcp_permission_mode_override("s", None)).await;
    outcomes
        .note(
            "mcp_set_servers",
            c.mcp_set_servers(BTreeMap::from([(
                "s".into(),
                McpServerConfig::Stdio(StdioServer::new("false", Vec::new())),
            )])),
        )
        .await;
    outcomes.note("mcp_toggle", c.mcp_toggle("s", false)).await;
    outcomes.note("mcp_reconnect", c.mcp_reconnect("nobody")).await;
    outcomes.note("mcp_call", c.mcp_call(&McpCall::new("mcp__nobody__t", None))).await;
    outcomes.note("mcp_read_resource", c.mcp_read_resource("nobody", "ui://a")).await;
    outcomes.note("mcp_authenticate", c.mcp_authenticate("nobody", None)).await;
    outcomes.note("mcp_oauth_callback_url", c.mcp_oauth_callback_url("nobody", "http://127.0.0.1/")).await;
    outcomes.note("mcp_clear_auth", c.mcp_clear_auth("nobody")).await;
    outcomes.note("file_suggestions", c.file_suggestions("a")).await;
    outcomes.note("read_file", c.read_file(&ReadFile::new("a.txt"))).await;
    outcomes.note("seed_read_state", c.seed_read_state(place.path("project/a.txt"), 1.0)).await;
    outcomes
        .note("register_repo_root", c.register_repo_root(&RegisterRepoRoot::new(place.path("project/sub"))))
        .await;
    outcomes.note("rewind_files", c.rewind_files("00000000-0000-4000-8000-000000000001".into())).await;
    outcomes
        .note("cancel_async_message", c.cancel_async_message("00000000-0000-4000-8000-000000000002".into()))
        .await;
    outcomes.note("stop_task", c.stop_task("nobody")).await;
    outcomes.note("get_task_output", c.task_output("nobody")).await;
    outcomes.note("set_has_subscribers", c.set_has_subscribers(Some(true))).await;
    outcomes.note("rename_session", c.rename_session("A title")).await;
    outcomes
        .note("generate_session_title", c.generate_session_title(&GenerateSessionTitle::new("a greeting")))
        .await;
    outcomes.note("set_color", c.set_color("red")).await;
    outcomes.note("claim_session", c.claim_session(&ClaimSession::new("/"))).await;
    outcomes.note("interrupt", c.interrupt()).await;
    outcomes.note("interrupt with cancel_queued", c.interrupt_and_cancel_queued()).await;
    outcomes.note("side_question", c.side_question("Why?")).await;
    session.reinitialize().await.unwrap();
    outcomes.note("end_session", c.end_session(Some("done"))).await;
    session.close().await.unwrap();
    let refused = [
        "claim_session",
        "get_task_output",
        "mcp_authenticate",
        "mcp_call",
        "mcp_clear_auth",
        "mcp_oauth_callback_url",
        "mcp_read_resource",
        "mcp_reconnect",
        "rewind_files",
        "set_color",
    ];
    assert_eq!(outcomes.refused(), refused, "{:#?}", outcomes.0);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_spare_process_is_claimed() {
    let place = Place::new().await;
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::allow());
    let spare = Session::builder().options(place.options()).hooks(hooks).prewarm().await.unwrap();
    let refused = spare.claim(ClaimSession::new(place.path("nowhere"))).await.unwrap_err();
    assert!(refused.error.report().to_string().contains("cwd_not_found"), "{refused:?}");
    let mut claim = ClaimSession::new(place.path("project"));
    claim.permission_mode = Some(PermissionMode::Plan);
    let mut session = refused.spare.unwrap().claim(claim).await.unwrap();
    let initialized = session.initialized();
    assert_eq!(initialized.current_permission_mode, Some(PermissionMode::Plan));
    assert_eq!(initialized.hooks_applied, Some(true));
    let turn = session.ask("Say hello.").await.unwrap();
    assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("Hello."));
    session.close().await.unwrap();
}
