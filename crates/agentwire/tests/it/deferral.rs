//! Deferred tool uses: deferrals that the CLI would lose are denied with a reason.

use agentwire::{
    Session,
    hooks::Hooks,
    protocol::hook::{HookReply, PreToolUse},
};
use serde_json::{Value, json};

use crate::peer::{Peer, assistant, connected, next_kind, pre_tool_use, result};

fn asked(tool_use: &str, beside: &Value) -> Value {
    let mut request = pre_tool_use("Write");
    (request["tool_use_id"], request["input"]["tool_use_id"]) = (tool_use.into(), tool_use.into());
    request["input"].as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    request
}

/// Returns the hook's decision about this tool use, and its reason.
async fn decided(peer: &mut Peer, tool_use: &str, beside: Value) -> (String, String) {
    peer.ask(tool_use, asked(tool_use, &beside)).await;
    let response = peer.response(tool_use).await;
    let output = &response["response"]["hookSpecificOutput"];
    let text = |name: &str| output[name].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

async fn deferring() -> (Session, Peer) {
    let hooks = Hooks::new().on(PreToolUse, async |input, _| match input.tool_name.starts_with("Free") {
        true => HookReply::allow(),
        false => HookReply::defer().with_system_message("parked"),
    });
    connected(Session::builder().hooks(hooks)).await
}

fn denied_for((decision, reason): (String, String), why: &str) {
    assert_eq!(decision, "deny");
    assert!(reason.contains(why), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn only_the_first_tool_use_of_a_turn_is_deferred() {
    let (mut session, mut peer) = deferring().await;
    assert_eq!(decided(&mut peer, "t1", json!({})).await.0, "defer");
    denied_for(decided(&mut peer, "t2", json!({})).await, "another tool use");
    assert_eq!(decided(&mut peer, "t3", json!({"tool_name": "Free"})).await.0, "allow");
    // A second hook may be called for the same tool use.
    assert_eq!(decided(&mut peer, "t1", json!({})).await.0, "defer");
    peer.say(result("")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(decided(&mut peer, "t4", json!({})).await.0, "defer");
}

/// Returns a line with tool uses of the model's message. Only a message without a stream has a stop reason.
fn requested(message: &str, tool_uses: &[&str], stop_reason: Option<&str>) -> Value {
    let blocks =
        tool_uses.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "Write", "input": {}}));
    let mut line = assistant("");
    line["message"]["id"] = message.into();
    line["message"]["content"] = blocks.collect();
    line["message"]["stop_reason"] = stop_reason.into();
    line
}

/// The CLI ignores the other deferrals, and the tool may run.
#[tokio::test(start_paused = true)]
async fn tool_use_of_a_message_without_a_stream_is_deferred_only_alone() {
    let whole = Some("tool_use");
    let mut of_a_subagent = requested("m2", &["t3"], whole);
    of_a_subagent["parent_tool_use_id"] = "t0".into();
    let done = serde_json::from_str(&result("Done.")).unwrap();
    let cases = [
        (vec![requested("m1", &["t1"], whole), requested("m1", &["t2"], whole)], "deny"),
        (vec![requested("m1", &["t1", "t2"], whole), of_a_subagent], "deny"),
        (vec![requested("m1", &["t1"], whole)], "defer"),
        (vec![requested("m0", &["t0"], whole), requested("m1", &["t1"], whole)], "defer"),
        // An API of another provider may send no ids.
        (vec![requested("", &["t0"], whole), done, requested("", &["t1"], whole)], "defer"),
        (vec![requested("m1", &["t1"], None), requested("m1", &["t2"], None)], "defer"),
    ];
    for (lines, expected) in cases {
        let (_session, mut peer) = deferring().await;
        for line in &lines {
            peer.say(line).await;
        }
        let (decision, reason) = decided(&mut peer, "t1", json!({})).await;
        assert_eq!((&*decision, reason.contains("alone")), (expected, expected == "deny"), "{lines:?}");
        if expected == "deny" {
            denied_for(decided(&mut peer, "t2", json!({})).await, "alone");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cancelled_hook_defers_nothing() {
    let hooks = Hooks::new().on(PreToolUse, async |_, context| {
        if context.tool_use_id.as_deref() == Some("t1") {
            context.cancelled.cancelled().await;
        }
        HookReply::defer()
    });
    let (_session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    peer.ask("t1", asked("t1", &json!({}))).await;
    peer.say(json!({"type": "control_cancel_request", "request_id": "t1"})).await;
    assert_eq!(decided(&mut peer, "t2", json!({})).await.0, "defer");
}

#[tokio::test(start_paused = true)]
async fn tool_uses_that_can_not_be_resumed_are_not_deferred() {
    let (_session, mut peer) = deferring().await;
    // Deeper than `serde_json` reads a `Value`.
    let deep = (0..200).fold(json!({}), |inner, _| json!([inner]));
    let cases = [
        (json!({"agent_id": "a", "agent_type": "x"}), "a subagent"),
        (json!({"tool_name": "mcp__p__t", "mcp_server": {"name": "p", "source": "sdk"}}), "in-process"),
        (json!({"agent_id": "a", "tool_input": deep.clone()}), "a subagent"),
        (
            json!({"tool_name": "mcp__p__t", "mcp_server": {"name": "p", "source": "sdk"}, "tool_input": deep}),
            "in-process",
        ),
    ];
    for (beside, why) in cases {
        denied_for(decided(&mut peer, "t1", beside).await, why);
    }
    let elsewhere = json!({"tool_name": "mcp__p__t", "mcp_server": {"name": "p", "source": "dynamic"}});
    assert_eq!(decided(&mut peer, "t2", elsewhere).await.0, "defer");
}

#[tokio::test(start_paused = true)]
async fn a_denial_keeps_the_notice_of_the_reply() {
    let (_session, mut peer) = deferring().await;
    peer.ask("t1", asked("t1", &json!({"agent_id": "a"}))).await;
    assert_eq!(peer.response("t1").await["response"]["systemMessage"], "parked");
}

#[cfg(feature = "mcp")]
#[tokio::test(start_paused = true)]
async fn in_process_servers_are_known_by_name_where_the_cli_names_no_server() {
    use agentwire::mcp::{McpServers, McpService, Outbox, ResponseFuture, ServerInstance};
    use agentwire::protocol::RawJson;

    struct Silent;
    impl McpService for Silent {
        fn open(&self, _: Outbox) -> Box<dyn ServerInstance> {
            Box::new(Self)
        }
    }
    impl ServerInstance for Silent {
        fn handle(&self, _: RawJson) -> ResponseFuture {
            Box::pin(std::future::pending())
        }
    }
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::defer());
    let servers = McpServers::new().with("my srv", Silent);
    let (_session, mut peer) = connected(Session::builder().hooks(hooks).mcp_servers(servers)).await;
    denied_for(decided(&mut peer, "t1", json!({"tool_name": "mcp__my_srv__t"})).await, "in-process");
    assert_eq!(decided(&mut peer, "t2", json!({"tool_name": "mcp__other__t"})).await.0, "defer");
}
