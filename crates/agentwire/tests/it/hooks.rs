//! Hooks through the facade: their declaration in the handshake, and its warnings.

use agentwire::{
    Session, Warning,
    hooks::{HookWarning, Hooks, Matcher},
    protocol::hook::{HookReply, PostToolUse, PreToolUse, Stop},
};
use serde_json::{Value, json};

use crate::peer::{Peer, connect, connected, next_kind, pre_tool_use};

#[tokio::test(start_paused = true)]
async fn hooks_are_declared_in_the_handshake() {
    let hooks = Hooks::new()
        .on_matching(PreToolUse, Matcher::tools(["Write"]), async |_, _| ())
        .on(PostToolUse, async |_, _| ());
    let (session, _, request) = connect(Session::builder().hooks(hooks), Peer::shake_hands).await;
    session.unwrap();
    let declared = &request["request"]["hooks"];
    assert_eq!(declared["PreToolUse"][0]["matcher"], "Write");
    assert_eq!(declared["PreToolUse"][0]["hookCallbackIds"], json!(["hook_0"]));
    assert_eq!(declared["PreToolUse"][0]["onFailure"], "block");
    assert_eq!(declared["PostToolUse"][0]["hookCallbackIds"], json!(["hook_1"]));
}

/// A hook of an earlier call may guard something.
#[tokio::test(start_paused = true)]
async fn hooks_of_a_later_call_are_added() {
    let shell = Matcher::tools(["Bash"]);
    let guard = Hooks::new().on_matching(PreToolUse, shell, async |_, _| HookReply::deny("no shell here"));
    let watch = Hooks::new().on(PreToolUse, async |_, _| ()).on(Stop, async |_, _| ());
    let builder = Session::builder().hooks(guard).hooks(watch);
    let (session, mut peer, request) = connect(builder, Peer::shake_hands).await;
    let _session = session.unwrap();
    let declared = &request["request"]["hooks"];
    assert_eq!(declared["PreToolUse"][0]["matcher"], "Bash");
    for (declared, id) in [
        (&declared["PreToolUse"][0], "hook_0"),
        (&declared["PreToolUse"][1], "hook_1"),
        (&declared["Stop"][0], "hook_2"),
    ] {
        assert_eq!(declared["hookCallbackIds"], json!([id]));
    }
    peer.ask("h1", pre_tool_use("Bash")).await;
    let response = peer.response("h1").await;
    assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "deny", "{response}");
}

#[tokio::test(start_paused = true)]
async fn hook_warnings_are_session_warnings() {
    let hooks = Hooks::new()
        .on_matching(Stop, Matcher::tools(["Write"]), async |_, _| ())
        .on(PreToolUse, async |_, _| ());
    let (session, _peer) = connected(Session::builder().hooks(hooks)).await;
    let ignored = HookWarning::MatcherIgnored { event: "Stop".into(), pattern: "Write".into() };
    // A `Stop` hook guards nothing: its refusal makes the model continue.
    let events = vec!["PreToolUse".into()];
    let too_old = HookWarning::BlockUnsupported { events };
    assert_eq!(session.warnings(), [Warning::Hook(ignored), Warning::Hook(too_old)]);
    let warning = session.warnings()[0].to_string();
    assert_eq!(warning, "the CLI ignores the matcher `Write`: it calls the Stop hook each time");
}

#[tokio::test(start_paused = true)]
async fn matcher_without_a_tool_causes_a_warning() {
    let hooks = Hooks::new().on_matching(PreToolUse, Matcher::tools(["bash"]), async |_, _| ()).on_matching(
        PreToolUse,
        Matcher::tools(["Bash"]),
        async |_, _| (),
    );
    let (mut session, peer) = connected(Session::builder().hooks(hooks)).await;
    // The peer of these tests does not report that it waits for hooks.
    let at_start = session.warnings().len();
    assert_eq!(at_start, 1);
    let init = |tools: Value| {
        json!({
            "type": "system", "subtype": "init", "session_id": "s", "cwd": "/", "model": "m", "tools": tools,
        })
    };
    // Without tools there is nothing to guard.
    peer.say(init(json!([]))).await;
    next_kind(&mut session).await;
    assert_eq!(session.warnings().len(), at_start);
    // The first message that lists tools counts.
    for tools in [json!(["Bash", "Write"]), json!(["Write"])] {
        peer.say(init(tools)).await;
        next_kind(&mut session).await;
    }
    let [Warning::Hook(HookWarning::MatchesNoTool { event, pattern, .. })] = &session.warnings()[at_start..]
    else {
        panic!("{:?}", session.warnings());
    };
    assert_eq!((&**event, &**pattern), ("PreToolUse", "bash"));
}
