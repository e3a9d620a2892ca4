//! Hooks over a bare router: the host moves the bytes itself, and no driver runs.

use agentwire_codec::{Frame, Line};
use agentwire_control::{CallContext, ControlError, Responder, Router, RouterEvent};
use agentwire_hooks::Hooks;
use agentwire_protocol::{
    control::Interrupt,
    hook::{HookReply, PreToolUse},
};
use serde_json::{Value, json};

use crate::cli::{callback, pre_tool_use};

/// Passes one `hook_callback` through the router, and returns the line that the CLI would read.
async fn answered(hooks: &Hooks, tool: &str) -> String {
    let mut router = Router::new();
    let request = callback("hook_0", pre_tool_use(tool));
    let line = json!({"type": "control_request", "request_id": "r1", "request": request}).to_string();
    router.handle_frame(Frame::new(Line::from(&*line)));
    let Some(RouterEvent::Inbound { id, request, .. }) = router.poll_event() else { panic!("no request") };
    let reply = hooks.respond(request, CallContext::without_driver(id.clone())).unwrap().await;
    router.answer(&id, reply.or_else(|error| error.answer)).unwrap();
    String::from_utf8(router.poll_transmit().unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_hook_answers_a_request_of_a_bare_router() {
    let hooks = Hooks::new().on(PreToolUse, async |input, cx| {
        assert!(!cx.cancelled.is_cancelled());
        let closed = cx.control.call(&Interrupt::default()).await;
        assert!(matches!(closed, Err(ControlError::Closed { .. })), "{closed:?}");
        if input.tool_name == "Bash" { HookReply::deny("no shell here") } else { HookReply::proceed() }
    });
    let line: Value = serde_json::from_str(&answered(&hooks, "Bash").await).unwrap();
    assert_eq!((&line["type"], &line["response"]["request_id"]), (&json!("control_response"), &json!("r1")));
    let output = &line["response"]["response"]["hookSpecificOutput"];
    assert_eq!(output["permissionDecisionReason"], "no shell here");
    let line: Value = serde_json::from_str(&answered(&hooks, "Read").await).unwrap();
    assert_eq!(line["response"]["response"], json!({}));
}

#[tokio::test]
async fn the_host_cancels_a_handler_by_its_context() {
    let hooks = Hooks::new().on(PreToolUse, async |_, cx| {
        cx.cancelled.cancelled().await;
        HookReply::deny("cancelled")
    });
    let request = serde_json::from_value(callback("hook_0", pre_tool_use("Bash"))).unwrap();
    let context = CallContext::without_driver("r1".into());
    let cancelled = context.cancelled.clone();
    let reply = hooks.respond(request, context).unwrap();
    cancelled.cancel();
    assert!(reply.await.unwrap().as_str().contains("cancelled"));
}
