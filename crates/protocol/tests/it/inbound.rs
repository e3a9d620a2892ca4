//! Requests of the CLI: each with its reply.

use agentwire_protocol::{
    InboundRequest, Message, RawJson,
    control::{
        CanUseTool, ElicitationAsked, HookCallback, InboundCall, McpMessage, McpMessageReply,
        RequestUserDialog, RequestUserDialogReply,
    },
    elicitation::{ElicitationAction, ElicitationReply},
    hook::AnyInput,
    permission::{Allow, Decision, DecisionClassification, DecisionReason, Deny},
    tagged::Tagged,
};

use crate::tree::Tree;

#[test]
fn every_request_has_its_reply() {
    let subtypes = [
        CanUseTool::SUBTYPE,
        HookCallback::SUBTYPE,
        McpMessage::SUBTYPE,
        ElicitationAsked::SUBTYPE,
        RequestUserDialog::SUBTYPE,
    ];
    assert_eq!(subtypes, InboundRequest::KINDS);
    let raw = || RawJson::parse(r#"{"b":1.10,"a":2}"#).unwrap();
    let mut allow = Allow::new();
    allow.tool_use_id = Some("t".into());
    allow.decision_classification = Some(DecisionClassification::UserPermanent);
    answered::<CanUseTool>(
        &Decision::Allow(allow),
        r#"{"behavior":"allow","toolUseID":"t","decisionClassification":"user_permanent"}"#,
    );
    let mut deny = Deny::new("no");
    deny.tool_use_id = Some("t".into());
    deny.decision_classification = Some(DecisionClassification::UserReject);
    answered::<CanUseTool>(
        &Decision::Deny(deny),
        r#"{"behavior":"deny","message":"no","toolUseID":"t","decisionClassification":"user_reject"}"#,
    );
    answered::<McpMessage>(&McpMessageReply::new(raw()), r#"{"mcp_response":{"b":1.10,"a":2}}"#);
    answered::<ElicitationAsked>(
        &ElicitationReply::accept(raw()),
        r#"{"action":"accept","content":{"b":1.10,"a":2}}"#,
    );
    answered::<ElicitationAsked>(&ElicitationReply::decline(), r#"{"action":"decline"}"#);
    assert_eq!(ElicitationReply::cancel().action, ElicitationAction::Cancel);
    answered::<RequestUserDialog>(
        &RequestUserDialogReply::completed(raw()),
        r#"{"behavior":"completed","result":{"b":1.10,"a":2}}"#,
    );
    answered::<RequestUserDialog>(&RequestUserDialogReply::cancelled(), r#"{"behavior":"cancelled"}"#);
    answered::<HookCallback>(&raw(), r#"{"b":1.10,"a":2}"#);
}

#[test]
fn permission_request_round_trips() {
    let text = r#"{"tool_name":"Bash","input":{"b":1.10},"tool_use_id":"t","display_name":"Bash","title":"t","description":"d","permission_suggestions":[{"type":"setMode","mode":"plan","destination":"session"}],"blocked_path":"/a","decision_reason":"r","decision_reason_type":"subcommandResults","decision_reason_rule_source":"userSettings","decision_reason_hook_event":"PreToolUse","decision_reason_hook_source":"sdk","classifier_approvable":false,"suppress_always_allow_rule":true,"default_to_no":true,"matched_ask_rule":{"source":"userSettings","tool_name":"Bash","rule_content":"ls"},"agent_id":"a","mcp_server":{"name":"srv","source":"later"},"server_policy_ask_only":false,"requires_user_interaction":true}"#;
    let asked: CanUseTool = serde_json::from_str(text).unwrap();
    assert_eq!(asked.decision_reason_type, Some(DecisionReason::SubcommandResults));
    let written = serde_json::to_string(&asked).unwrap();
    assert_eq!(Tree::of(&written).sorted(), Tree::of(text).sorted());
}

#[test]
fn debug_hides_a_request_of_a_host() {
    let line = r#"{"type":"control_request","request_id":"r","request":{"subtype":"claim_session","env":{"KEY":"s3cret"}}}"#;
    let debug = format!("{:?}", Message::from_line(line).unwrap());
    assert!(debug.contains("claim_session") && !debug.contains("s3cret"), "{debug}");
}

#[test]
fn hook_callback_contains_its_event() {
    let line = include_str!("../../fixtures/messages/control_request/hook-session-end.json");
    let Message::ControlRequest(request) = Message::from_line(line).unwrap() else { panic!("{line}") };
    let InboundRequest::HookCallback(callback) = request.request else { panic!("{line}") };
    let AnyInput::SessionEnd(input) = callback.input.decode().unwrap() else { panic!("{line}") };
    assert_eq!(input.reason.as_str(), "clear");
}

fn answered<C: InboundCall>(reply: &C::Reply, text: &str)
where
    C::Reply: PartialEq + std::fmt::Debug,
{
    assert_eq!(serde_json::to_string(reply).unwrap(), text);
    assert_eq!(serde_json::from_str::<C::Reply>(text).unwrap(), *reply);
}
