//! Hook inputs as the CLI writes them, and replies as it reads them.

use agentwire_protocol::{
    InboundRequest, Message, PermissionMode, RawJson,
    hook::{
        BlockDecision, ContextOutput, HookEvent, HookReply, PermissionDecision, PostToolUse,
        PostToolUseOutput, PreToolUse, PreToolUseOutput, Stop, UserPromptSubmit, UserPromptSubmitOutput,
    },
};
use insta::assert_snapshot;

#[test]
fn inputs_decode_from_frames_of_the_cli() {
    let pre =
        input::<PreToolUse>(include_str!("../../fixtures/messages/control_request/hook-pre-tool-use.json"));
    assert_eq!((&*pre.tool_name, pre.tool_input.as_str()), ("Bash", r#"{"command":"touch a.txt","n":1.10}"#));
    assert_eq!(pre.tool_use_id.as_str(), "toolu_01");
    assert_eq!((pre.session_id.as_str(), &*pre.cwd), ("5e55104e", "/project"));
    assert_eq!(pre.permission_mode, Some(PermissionMode::Default));
    assert_eq!(pre.prompt_id.as_deref(), Some("baa8eaa0"));
    assert!(pre.transcript_path.is_some() && pre.agent_id.is_none() && pre.mcp_server.is_none());

    let post =
        input::<PostToolUse>(include_str!("../../fixtures/messages/control_request/hook-post-tool-use.json"));
    assert_eq!(post.tool_response.as_str(), r#"{"stdout":"done","stderr":"","interrupted":false}"#);
    assert_eq!((&*post.tool_name, post.duration_ms), ("Bash", Some(38)));

    let prompt = input::<UserPromptSubmit>(include_str!(
        "../../fixtures/messages/control_request/hook-user-prompt-submit.json"
    ));
    assert_eq!((&*prompt.prompt, prompt.source, prompt.session_title), ("hi", None, None));

    let stop = input::<Stop>(include_str!("../../fixtures/messages/control_request/hook-stop.json"));
    assert!(
        stop.stop_hook_active && stop.background_tasks == Some(vec![]) && stop.session_crons == Some(vec![])
    );
    assert_eq!(stop.last_assistant_message.as_deref(), Some("All done."));
}

#[test]
fn input_of_another_event_is_rejected() {
    let prompt = r#"{"session_id":"s","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"hi"}"#;
    let raw = RawJson::parse(prompt).unwrap();
    assert_eq!(
        raw.decode::<<PreToolUse as HookEvent>::Input>().unwrap_err().reason(),
        "missing field `tool_name`"
    );
}

#[test]
fn common_reply_fields_are_written_for_every_event() {
    assert_snapshot!(json(&HookReply::<Stop>::proceed()), @"{}");
    let mut reply = HookReply::<PostToolUse>::proceed().with_system_message("look").ending_the_turn("enough");
    reply.suppress_output = Some(true);
    assert_snapshot!(json(&reply), @r#"{"continue":false,"stopReason":"enough","suppressOutput":true,"systemMessage":"look"}"#);
    assert_eq!(format!("{reply:?}"), json(&reply));
    reply.decision = Some(BlockDecision::Block);
    reply.reason = Some("because".to_owned());
    assert_snapshot!(json(&reply), @r#"{"continue":false,"stopReason":"enough","suppressOutput":true,"systemMessage":"look","decision":"block","reason":"because"}"#);
}

#[test]
fn pre_tool_use_replies_are_written_as_the_cli_reads_them() {
    let input = || RawJson::parse(r#"{"b":1.10,"a":2}"#).unwrap();
    assert_snapshot!(json(&HookReply::<PreToolUse>::allow()), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#);
    assert_snapshot!(json(&HookReply::<PreToolUse>::deny("no")), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#);
    assert_snapshot!(json(&HookReply::<PreToolUse>::ask("sure?")), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#);
    assert_snapshot!(json(&HookReply::<PreToolUse>::allow_with_input(input())), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"b":1.10,"a":2}}}"#);
    let mut output = PreToolUseOutput::default();
    output.permission_decision = Some(PermissionDecision::Defer);
    output.additional_context = Some("later".to_owned());
    assert_snapshot!(json(&HookReply::<PreToolUse>::output(output)), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","additionalContext":"later"}}"#);
}

#[test]
fn post_tool_use_replies_are_written_as_the_cli_reads_them() {
    assert_snapshot!(json(&HookReply::<PostToolUse>::context("mind the gap")), @r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind the gap"}}"#);
    let mut output = PostToolUseOutput::default();
    output.updated_tool_output = Some(RawJson::parse(r#"{"stdout":"x"}"#).unwrap());
    output.updated_mcp_tool_output = Some(RawJson::parse("[]").unwrap());
    output.classifier_context = Some("c".to_owned());
    assert_snapshot!(json(&HookReply::<PostToolUse>::output(output)), @r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","classifierContext":"c","updatedToolOutput":{"stdout":"x"},"updatedMCPToolOutput":[]}}"#);
}

#[test]
fn user_prompt_submit_replies_are_written_as_the_cli_reads_them() {
    assert_snapshot!(json(&HookReply::<UserPromptSubmit>::context("it rains")), @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"it rains"}}"#);
    assert_snapshot!(json(&HookReply::<UserPromptSubmit>::block("no")), @r#"{"decision":"block","reason":"no"}"#);
    let mut output = UserPromptSubmitOutput::default();
    output.session_title = Some("rain".to_owned());
    output.suppress_original_prompt = Some(true);
    assert_snapshot!(json(&HookReply::<UserPromptSubmit>::output(output)), @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"rain","suppressOriginalPrompt":true}}"#);
}

#[test]
fn stop_replies_are_written_as_the_cli_reads_them() {
    assert_snapshot!(json(&HookReply::<Stop>::go_on("not yet")), @r#"{"decision":"block","reason":"not yet"}"#);
    let mut output = ContextOutput::default();
    output.additional_context = Some("c".to_owned());
    assert_snapshot!(json(&HookReply::<Stop>::output(output)), @r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}"#);
}

/// The input in a `control_request` line.
fn input<E: HookEvent>(line: &str) -> E::Input {
    let Message::ControlRequest(request) = Message::from_line(line).unwrap() else { panic!("{line}") };
    let InboundRequest::HookCallback(callback) = request.request else { panic!("{line}") };
    assert_eq!(&*callback.callback_id, "cb_1");
    callback.input.decode().unwrap()
}

fn json<E: HookEvent>(reply: &HookReply<E>) -> String {
    serde_json::to_string(reply).unwrap()
}
