//! A failing handler is observed as failing, and distinguished from a refusing one.

use agentwire::{
    Activity, ActivityOutcome, Decision, Observation, Session,
    control::FailureKind,
    hooks::{Hooks, PermissionHandler},
    protocol::hook::{HookReply, PreToolUse},
};
use serde_json::{Value, json};

use super::{rest, spans::RecordedSpans};
use crate::peer::{Peer, can_use_tool, connected};

/// Returns the outcome of each callback.
fn outcomes(observations: &[Observation]) -> Vec<&ActivityOutcome> {
    let ended = observations.iter().filter_map(|observation| match observation {
        Observation::Ended(ended) if ended.began.activity != Activity::Session => Some(&ended.outcome),
        _ => None,
    });
    ended.collect()
}

fn failure(outcome: &ActivityOutcome) -> (FailureKind, Option<&str>) {
    match outcome {
        ActivityOutcome::Failed { failure, reason, .. } => (*failure, reason.as_deref()),
        other => panic!("{other:?}"),
    }
}

fn input(command: &str) -> Value {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "t",
    })
}

async fn call_hook(peer: &mut Peer, callback: &str, input: Value) -> Value {
    peer.ask(callback, json!({"subtype": "hook_callback", "callback_id": callback, "input": input})).await;
    peer.response(callback).await
}

#[tokio::test(start_paused = true)]
async fn failing_hook_is_not_observed_as_refusing() {
    for contents in [false, true] {
        let hooks = Hooks::new()
            .on(PreToolUse, async |_, _| Err::<(), _>("out of order"))
            .on(PreToolUse, async |_, _| -> () { panic!("no way") })
            .on(PreToolUse, async |_, _| HookReply::deny("not today"));
        let builder = Session::builder().hooks(hooks);
        let builder = if contents { builder.observe_contents() } else { builder };
        let (session, mut peer) = connected(builder).await;
        let observations = session.observe();
        for callback in ["hook_0", "hook_1", "hook_2"] {
            let answer = call_hook(&mut peer, callback, input("ls")).await;
            let decision = &answer["response"]["hookSpecificOutput"]["permissionDecision"];
            assert_eq!(decision, "deny", "{answer}");
        }
        call_hook(&mut peer, "hook_0", json!({"hook_event_name": "PreToolUse"})).await;
        peer.close(session).await.unwrap();
        let all = rest(observations).await;
        let outcomes = outcomes(&all);
        let reason = |text: &'static str| contents.then_some(text);
        let failed = (FailureKind::Error, reason("the PreToolUse hook failed: out of order"));
        assert_eq!(failure(outcomes[0]), failed);
        let panicked = (FailureKind::Panic, reason("the PreToolUse hook panicked: no way"));
        assert_eq!(failure(outcomes[1]), panicked);
        assert_eq!(outcomes[2].as_str(), "deny");
        assert!(outcomes[0].is_fault() && !outcomes[2].is_fault());
        let (kind, why) = failure(outcomes[3]);
        assert_eq!((kind, why.is_some()), (FailureKind::Input, contents));
    }
}

#[tokio::test(start_paused = true)]
async fn failing_and_denying_permission_handlers_differ() {
    let permissions = PermissionHandler::new(async |request, _cx| match &*request.tool_name {
        "Bash" => Err("no idea"),
        "Edit" => panic!("no way"),
        _ => Ok(Decision::deny("not today")),
    });
    let (spans, _guard) = RecordedSpans::here();
    let (session, mut peer) = connected(Session::builder().permissions(permissions)).await;
    let observations = session.observe();
    for tool in ["Bash", "Edit", "Write"] {
        let mut question = can_use_tool(tool);
        question["tool_use_id"] = tool.into();
        peer.ask(tool, question).await;
        peer.response(tool).await;
    }
    peer.ask("odd", json!({"subtype": "from_the_future"})).await;
    peer.refusal("odd").await;
    peer.close(session).await.unwrap();
    let all = rest(observations).await;
    let outcomes = outcomes(&all);
    assert_eq!(failure(outcomes[0]), (FailureKind::Error, None));
    assert_eq!(failure(outcomes[1]), (FailureKind::Panic, None));
    assert_eq!(outcomes[2].as_str(), "deny");
    assert_eq!(*outcomes[3], ActivityOutcome::Unhandled);
    assert_eq!(spans.field("permission", "error").as_deref(), Some("error"));
    assert_eq!(spans.field("permission", "otel.status_code").as_deref(), Some("ERROR"));
}

#[cfg(feature = "mcp")]
#[tokio::test(start_paused = true)]
async fn panicking_mcp_tool_fails_inside_its_span() {
    use agentwire::mcp::{McpServers, Server};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}

    let server = Server::new("s", "1")
        .tool("fine", "", async |_: Nothing, _cx| {
            tracing::info_span!("my own").in_scope(|| "fine".to_owned())
        })
        .tool("broken", "", async |_: Nothing, _cx| -> String { panic!("no way") })
        .tool("sorry", "", async |_: Nothing, _cx| Err::<String, _>("not today"));
    let (spans, _guard) = RecordedSpans::here();
    let builder = Session::builder().mcp_servers(McpServers::new().with("s", server));
    let (session, mut peer) = connected(builder).await;
    let observations = session.observe();
    for (id, tool) in [(1, "fine"), (2, "broken"), (3, "sorry"), (4, "unknown")] {
        let message = json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {}},
        });
        peer.ask(tool, json!({"subtype": "mcp_message", "server_name": "s", "message": message})).await;
        peer.response(tool).await;
    }
    peer.close(session).await.unwrap();
    let all = rest(observations).await;
    let outcomes = outcomes(&all);
    assert_eq!(*outcomes[0], ActivityOutcome::Done);
    assert_eq!(failure(outcomes[1]), (FailureKind::Panic, None));
    assert_eq!(outcomes[2].as_str(), "error", "an error result is the tool's own");
    assert_eq!(format!("{:?}", outcomes[3]), r#"Error { kind: Some("-32602") }"#);
    assert_eq!(spans.around("my own"), ["mcp", "session"]);
}
