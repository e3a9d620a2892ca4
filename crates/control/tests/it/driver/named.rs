//! There is a method for each request, with the right fields on the wire and the right reply.

use std::{collections::BTreeSet, fmt::Debug, pin::Pin, time::Duration};

use agentwire_control::{Control, ControlError};
use agentwire_protocol::{
    PermissionMode, RawJson,
    control::{
        CallVisitor, ClaimSession, ContextDetail, ControlCall, GenerateSessionTitle, GetUsage, Initialize,
        McpCall, ReadFile, RegisterRepoRoot, ReloadPlugins, SetMaxThinkingTokens, UpdateSettingsSource,
        visit_calls,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Session, quiet};
use crate::script::success;

/// The call of a method, and its reply as text.
type Asking = Pin<Box<dyn Future<Output = Result<String, ControlError>> + Send>>;

/// A method, the fields that it sends besides the subtype, and its reply.
struct Row {
    subtype: &'static str,
    fields: Value,
    reply: Value,
    ask: fn(Control) -> Asking,
}

macro_rules! row {
    ($subtype:literal, $fields:tt, $reply:tt, |$control:ident| $call:expr) => {
        Row {
            subtype: $subtype,
            fields: json!($fields),
            reply: json!($reply),
            ask: |$control| Box::pin(async move { $call.await.map(|reply| format!("{reply:?}")) }),
        }
    };
}

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

fn session_rows() -> Vec<Row> {
    vec![
        row!("initialize", {}, {"pid": 7}, |c| c.reinitialize(&Initialize::default())),
        row!("interrupt", {}, {"still_queued": []}, |c| c.interrupt()),
        row!("interrupt", {"cancel_queued": true}, {"cancelled": []}, |c| c.interrupt_and_cancel_queued()),
        row!("rename_session", {"title": "t", "source": "host"}, {}, |c| c.rename_session("t")),
        row!("generate_session_title", {"description": "d"}, {"title": null}, |c| c
            .generate_session_title(&GenerateSessionTitle::new("d"))),
        row!("set_color", {"color": "red"}, {}, |c| c.set_color("red")),
        row!("side_question", {"question": "q"}, {"response": "a"}, |c| c.side_question("q")),
        row!("claim_session", {"cwd": "/w"}, {"status": "ok"}, |c| c.claim_session(&ClaimSession::new("/w"))),
        row!("end_session", {"reason": "r"}, {}, |c| c.end_session(Some("r"))),
        row!("end_session", {}, {}, |c| c.end_session(None)),
        row!("set_model", {"model": "m"}, {"model": "m"}, |c| c.set_model(Some("m"))),
        row!("set_max_thinking_tokens", {"max_thinking_tokens": 5}, {}, |c| c
            .set_max_thinking_tokens(&SetMaxThinkingTokens::new(Some(5)))),
        row!("set_permission_mode", {"mode": "plan"}, {"mode": "plan"}, |c| c
            .set_permission_mode(PermissionMode::Plan)),
        row!("set_mcp_permission_mode_override", {"serverName": "s", "mode": null}, {"warning": "w"}, |c| c
            .set_mcp_permission_mode_override("s", None)),
    ]
}

fn settings_rows() -> Vec<Row> {
    vec![
        row!("get_settings", {}, {"effective": {}}, |c| c.settings()),
        row!("apply_flag_settings", {"settings": {"a": 1}}, {}, |c| c
            .apply_flag_settings(raw(r#"{"a":1}"#))),
        row!("update_settings", {"source": "userSettings", "settings": {"a": "b"}}, {}, |c| c
            .update_settings(UpdateSettingsSource::User, raw(r#"{"a":"b"}"#))),
        row!("reload_plugins", {}, {"error_count": 1}, |c| c.reload_plugins(&ReloadPlugins::default())),
        row!("reload_skills", {}, {"skills": []}, |c| c.reload_skills()),
        row!("reload_output_styles", {}, {"available_output_styles": ["x"]}, |c| c.reload_output_styles()),
        row!("get_context_usage", {}, {"totalTokens": 1}, |c| c.context_usage(None)),
        row!("get_context_usage", {"detail": "summary"}, {}, |c| c
            .context_usage(Some(ContextDetail::Summary))),
        row!("get_usage", {}, {}, |c| c.usage(&GetUsage::default())),
        row!("get_session_cost", {}, {"text": "t"}, |c| c.session_cost()),
        row!("get_status", {}, {"sections": []}, |c| c.status()),
        row!("get_binary_version", {}, {"version": "2"}, |c| c.binary_version()),
        row!("list_models", {}, {"models": []}, |c| c.list_models()),
        row!("list_permission_rules", {}, {"state": {}}, |c| c.list_permission_rules()),
        row!("get_hooks_listing", {}, {"hooks": []}, |c| c.hooks_listing()),
    ]
}

fn mcp_rows() -> Vec<Row> {
    vec![
        row!("mcp_status", {}, {"mcpServers": []}, |c| c.mcp_status()),
        row!("mcp_set_servers", {"servers": {}}, {"added": ["a"]}, |c| c.mcp_set_servers([].into())),
        row!("mcp_reconnect", {"serverName": "s"}, {}, |c| c.mcp_reconnect("s")),
        row!("mcp_toggle", {"serverName": "s", "enabled": false}, {}, |c| c.mcp_toggle("s", false)),
        row!("mcp_call", {"tool": "mcp__s__t"}, {"content": null}, |c| c
            .mcp_call(&McpCall::new("mcp__s__t", None))),
        row!("mcp_read_resource", {"serverName": "s", "uri": "ui://a"}, {"contents": []}, |c| c
            .mcp_read_resource("s", "ui://a")),
        row!("mcp_authenticate", {"serverName": "s"}, {}, |c| c.mcp_authenticate("s", None)),
        row!("mcp_authenticate", {"serverName": "s", "redirectUri": "u"}, {"authUrl": "a"}, |c| c
            .mcp_authenticate("s", Some("u"))),
        row!("mcp_oauth_callback_url", {"serverName": "s", "callbackUrl": "u"}, {}, |c| c
            .mcp_oauth_callback_url("s", "u")),
        row!("mcp_clear_auth", {"serverName": "s"}, {}, |c| c.mcp_clear_auth("s")),
        row!("mcp_message", {"server_name": "s", "message": {"id": 1}}, {}, |c| c
            .send_mcp_message("s", raw(r#"{"id":1}"#))),
    ]
}

fn file_and_task_rows() -> Vec<Row> {
    vec![
        row!("file_suggestions", {"query": "q"}, {"suggestions": [{"path": "p"}]}, |c| c
            .file_suggestions("q")),
        row!("read_file", {"path": "p"}, {"contents": "c"}, |c| c.read_file(&ReadFile::new("p"))),
        row!("rewind_files", {"user_message_id": "u"}, {"canRewind": true}, |c| c.rewind_files("u".into())),
        row!("rewind_files", {"user_message_id": "u", "dry_run": true}, {"canRewind": false}, |c| c
            .preview_rewind_files("u".into())),
        row!("seed_read_state", {"path": "p", "mtime": 1.5}, {}, |c| c.seed_read_state("p", 1.5)),
        row!("register_repo_root", {"directory": "d"}, {"directory": "/d"}, |c| c
            .register_repo_root(&RegisterRepoRoot::new("d"))),
        row!("cancel_async_message", {"message_uuid": "u"}, {"cancelled": true}, |c| c
            .cancel_async_message("u".into())),
        row!("stop_task", {"task_id": "t"}, {}, |c| c.stop_task("t")),
        row!("background_tasks", {}, {}, |c| c.background_tasks(None)),
        row!("background_tasks", {"tool_use_id": "u"}, {"backgrounded": true}, |c| c
            .background_tasks(Some("u".into()))),
        row!("get_task_output", {"task_id": "t"}, {"output": "o"}, |c| c.task_output("t")),
        row!("set_has_subscribers", {"has_subscribers": null}, {}, |c| c.set_has_subscribers(None)),
    ]
}

fn rows() -> Vec<Row> {
    [session_rows(), settings_rows(), mcp_rows(), file_and_task_rows()].into_iter().flatten().collect()
}

#[test]
fn no_request_lacks_a_method() {
    let mut subtypes = Subtypes(BTreeSet::new());
    visit_calls(&mut subtypes);
    let named: BTreeSet<&str> = rows().iter().map(|row| row.subtype).collect();
    assert_eq!(named, subtypes.0);
}

#[tokio::test(start_paused = true)]
async fn each_method_sends_its_request_and_reads_its_reply() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    for Row { subtype, fields, reply, ask } in rows() {
        let asking = tokio::spawn(ask(control.clone()));
        let line = cli.next_line().await.unwrap();
        let mut expected = fields;
        expected["subtype"] = subtype.into();
        assert_eq!(line["request"], expected);
        let id = line["request_id"].as_str().unwrap();
        cli.send_line(&success(id, &reply.to_string())).await;
        let answer = asking.await.unwrap().unwrap();
        // The content of a reply is returned.
        let has_content = reply.as_object().is_some_and(|reply| !reply.is_empty());
        assert!(!has_content || answer != "()", "{subtype}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_method_returns_a_refusal() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    for Row { subtype: asked, ask, .. } in rows() {
        let asking = tokio::spawn(ask(control.clone()));
        let id = cli.next_request_id().await;
        let refusal = json!({"subtype": "error", "request_id": id, "error": "no"});
        cli.send_line(&json!({"type": "control_response", "response": refusal}).to_string()).await;
        let error = asking.await.unwrap().unwrap_err();
        let ControlError::Rejected { subtype, message, .. } = &error else { panic!("{error:?}") };
        assert_eq!((&**subtype, message.as_str()), (asked, "no"));
    }
}

#[tokio::test(start_paused = true)]
async fn each_method_times_out_with_the_limit_of_its_handle() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    let quick = control.within(Duration::from_secs(2));
    for Row { ask, .. } in rows() {
        let asking = tokio::spawn(ask(quick.clone()));
        let id = cli.next_request_id().await;
        let error = asking.await.unwrap().unwrap_err();
        assert!(matches!(error, ControlError::TimedOut { after, .. } if after.as_secs() == 2), "{error:?}");
        let line = cli.next_line().await.unwrap();
        assert_eq!((&line["type"], &line["request_id"]), (&"control_cancel_request".into(), &id.into()));
    }
}

#[tokio::test(start_paused = true)]
async fn each_method_is_cancelled_when_it_is_dropped() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    for Row { ask, .. } in rows() {
        // Without a limit, which would cancel the call too.
        let asking = tokio::spawn(ask(control.within(Duration::MAX)));
        let id = cli.next_request_id().await;
        asking.abort();
        let line = cli.next_line().await.unwrap();
        assert_eq!((&line["type"], &line["request_id"]), (&"control_cancel_request".into(), &id.into()));
    }
}

#[test]
fn handle_is_send_and_sync() {
    fn goes_anywhere<T: Clone + Send + Sync + 'static>() {}
    goes_anywhere::<Control>();
}

struct Subtypes(BTreeSet<&'static str>);

impl CallVisitor for Subtypes {
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug,
    {
        self.0.insert(C::SUBTYPE);
    }
}
