//! Control frames as they are written, and replies as they are read.

use std::collections::BTreeMap;

use agentwire_protocol::{
    ControlCall, Hidden, Message, PermissionMode, RawJson, RequestId,
    control::{
        Ack, ControlCancelRequest, ControlResponse, ErrorCode, HookFailure, HookMatcher, Initialize,
        InitializeReply, Interrupt, InterruptReply, McpMessage, McpStatus, McpStatusReply, OutboundRequest,
        SetModel, SetModelReply, SetPermissionMode,
    },
    mcp::{McpServerConfig, RemoteServer},
    message::UserInput,
    permission::{Allow, Decision, PermissionUpdate, Rule, RuleBehavior, RulesUpdate, UpdateDestination},
};
use insta::assert_snapshot;
use serde::Serialize;

#[test]
fn requests_start_with_their_subtype() {
    assert_snapshot!(sent(&Initialize::default()), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}"#);
    assert_snapshot!(sent(&Interrupt::default()), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}}"#);
    assert_snapshot!(sent(&SetModel::new(Some("claude-x"))), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_model","model":"claude-x"}}"#);
    assert_snapshot!(sent(&SetModel::new(None)), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_model"}}"#);
    assert_snapshot!(sent(&SetPermissionMode::new(PermissionMode::Plan)), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_permission_mode","mode":"plan"}}"#);
    assert_snapshot!(sent(&McpStatus::default()), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"mcp_status"}}"#);
    assert_snapshot!(sent(&McpMessage::new("srv", raw(r#"{"jsonrpc":"2.0","id":1.0}"#))), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"mcp_message","server_name":"srv","message":{"jsonrpc":"2.0","id":1.0}}}"#);
}

#[test]
fn initialize_contains_its_hooks_and_servers() {
    let mut matcher = HookMatcher::default();
    matcher.matcher = Some("Bash|Write".into());
    matcher.hook_callback_ids = vec!["cb_1".into()];
    matcher.timeout = Some(2.5);
    matcher.on_failure = Some(HookFailure::Block);
    let mut initialize = Initialize::default();
    initialize.hooks = BTreeMap::from([("PreToolUse".into(), vec![matcher])]);
    initialize.sdk_mcp_servers = vec!["srv".into()];
    initialize.system_prompt = Some(vec![String::new()]);
    let mut far = RemoteServer::new("http://far");
    far.headers = Hidden(BTreeMap::from([("Authorization".into(), "Bearer secret".to_owned())]));
    initialize.mcp_servers = BTreeMap::from([("far".into(), McpServerConfig::Http(far))]);
    assert_snapshot!(sent(&initialize), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"Bash|Write","hookCallbackIds":["cb_1"],"timeout":2.5,"onFailure":"block"}]},"sdkMcpServers":["srv"],"systemPrompt":[""],"mcpServers":{"far":{"type":"http","url":"http://far","headers":{"Authorization":"Bearer secret"}}}}}"#);
    let debug = format!("{initialize:?}");
    assert!(!debug.contains("secret") && debug.contains("<hidden>") && debug.contains("cb_1"), "{debug}");
}

#[test]
fn custom_request_needs_no_fields() {
    #[derive(Debug, Serialize)]
    struct EndSession;
    impl ControlCall for EndSession {
        const SUBTYPE: &'static str = "end_session";
        type Reply = Ack;
    }
    #[derive(Debug, Serialize)]
    struct Wrong(u8);
    impl ControlCall for Wrong {
        const SUBTYPE: &'static str = "wrong";
        type Reply = Ack;
    }
    assert_snapshot!(sent(&EndSession), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"end_session"}}"#);
    let id = RequestId::from("r1");
    let error = serde_json::to_string(&OutboundRequest::new(&id, &Wrong(5))).unwrap_err();
    assert_snapshot!(error, @"a request must be an object");
}

#[test]
fn custom_request_may_be_raw_json() {
    #[derive(Debug, Serialize)]
    struct Raw(RawJson);
    impl ControlCall for Raw {
        const SUBTYPE: &'static str = "raw";
        type Reply = Ack;
    }
    assert_snapshot!(sent(&Raw(raw(r#"{"b":1,"a":1.10}"#))), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"raw","b":1,"a":1.10}}"#);
    assert_snapshot!(sent(&Raw(raw("{ }"))), @r#"{"type":"control_request","request_id":"r1","request":{"subtype":"raw" }}"#);
    let id = RequestId::from("r1");
    let error = serde_json::to_string(&OutboundRequest::new(&id, &Raw(raw(r#""on""#)))).unwrap_err();
    assert_snapshot!(error, @"a request must be an object");
}

#[test]
fn responses_and_cancellations_are_written_as_messages() {
    let id = || RequestId::from("r1");
    let message = |response| Message::ControlResponse(Box::new(response));
    assert_snapshot!(json(&message(ControlResponse::success(id(), Some(raw(r#"{"b":1,"a":1.10}"#))))), @r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"b":1,"a":1.10}}}"#);
    assert_snapshot!(json(&message(ControlResponse::success(id(), None))), @r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}"#);
    assert_snapshot!(json(&message(ControlResponse::failure(id(), "no \"such\" thing"))), @r#"{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"no \"such\" thing"}}"#);
    let cancel = Message::ControlCancelRequest(ControlCancelRequest::new(id()));
    assert_snapshot!(json(&cancel), @r#"{"type":"control_cancel_request","request_id":"r1"}"#);
}

#[test]
fn prompts_are_written_as_user_frames() {
    assert_snapshot!(json(&UserInput::new("hi")), @r#"{"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":""}"#);
    let mut input = UserInput::new(Vec::new());
    input.uuid = Some("u".into());
    assert_snapshot!(json(&input), @r#"{"type":"user","message":{"role":"user","content":[]},"parent_tool_use_id":null,"session_id":"","uuid":"u"}"#);
}

#[test]
fn permission_decisions_are_written_as_the_cli_reads_them() {
    assert_snapshot!(json(&Decision::allow()), @r#"{"behavior":"allow"}"#);
    assert_snapshot!(json(&Decision::allow_with_input(raw(r#"{"b":1,"a":1.10}"#))), @r#"{"behavior":"allow","updatedInput":{"b":1,"a":1.10}}"#);
    assert_snapshot!(json(&Decision::deny("no")), @r#"{"behavior":"deny","message":"no"}"#);
    assert_snapshot!(json(&Decision::deny_and_interrupt("stop")), @r#"{"behavior":"deny","message":"stop","interrupt":true}"#);
    let mut allow = Allow::new();
    let rules = vec![Rule::new("Bash", Some("ls".to_owned())), Rule::new("Read", None)];
    let update = RulesUpdate::new(rules, RuleBehavior::Allow, UpdateDestination::Session);
    allow.updated_permissions = vec![PermissionUpdate::AddRules(update)];
    assert_snapshot!(json(&Decision::Allow(allow)), @r#"{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"},{"toolName":"Read"}],"behavior":"allow","destination":"session"}]}"#);
}

#[test]
fn seen_error_codes_are_known() {
    for code in [
        "unsupported_request",
        "invalid_request",
        "invalid_mode",
        "bypass_not_launched",
        "blocked_by_hook",
        "project_settings_not_claimable",
        "reload_plugins_busy",
    ] {
        assert!(ErrorCode::from(code).is_known(), "{code}");
    }
}

#[test]
fn replies_decode_from_few_fields_and_from_none() {
    let reply: InterruptReply = raw(r#"{"still_queued":["u"]}"#).decode().unwrap();
    assert_eq!(reply.still_queued.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["u"]);
    let reply: McpStatusReply = raw(
        r#"{"mcpServers":[{"name":"srv","status":"failed","error":"gone","tools":[{"name":"add","x":1}]}]}"#,
    )
    .decode()
    .unwrap();
    assert_eq!(
        (reply.mcp_servers[0].status.as_str(), &*reply.mcp_servers[0].tools[0].name),
        ("failed", "add")
    );
    let reply: InitializeReply =
        raw(r#"{"commands":[{"name":"clear"}],"pid":42,"current_permission_mode":"plan","account":{},"later":[]}"#)
            .decode()
            .unwrap();
    assert_eq!((reply.commands.len(), reply.pid), (1, Some(42)));
    assert_eq!(reply.current_permission_mode, Some(PermissionMode::Plan));
    let empty = RawJson::empty_object();
    assert!(empty.decode::<InitializeReply>().is_ok() && empty.decode::<Ack>().is_ok());
    assert!(empty.decode::<SetModelReply>().is_ok() && empty.decode::<InterruptReply>().is_ok());
}

fn sent<C: ControlCall + std::fmt::Debug>(call: &C) -> String {
    json(&OutboundRequest::new(&RequestId::from("r1"), call))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}
