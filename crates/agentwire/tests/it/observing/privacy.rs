//! Contents are observed only on request.

use agentwire::{
    Activity, Decision, Observation, Session, SessionBuilder, UserInput,
    hooks::{DialogHandler, ElicitationHandler, Hooks, PermissionHandler},
    protocol::{
        control::RequestUserDialogReply,
        hook::{HookReply, PostToolUse, PreToolUse},
    },
};
use serde_json::json;

use super::{rest, spans::RecordedSpans};
use crate::peer::{Peer, assistant, connected, init, result};

/// The secret, which all messages and callbacks contain.
const SECRET: &str = "xyzzy";

/// Returns callbacks that use the secret in decisions, errors and panics.
fn builder() -> SessionBuilder {
    let hooks = Hooks::new()
        .on(PreToolUse, async |_, _| HookReply::deny(SECRET))
        .on(PreToolUse, async |_, _| Err::<(), _>(SECRET))
        .on(PreToolUse, async |_, _| -> () { panic!("{SECRET}") })
        .on(PostToolUse, async |_, _| HookReply::context(SECRET));
    let permissions = PermissionHandler::new(async |request, _| match &*request.tool_name {
        "Bash" => Ok(Decision::deny(SECRET)),
        "Edit" => Err(SECRET),
        _ => panic!("{SECRET}"),
    });
    let elicitation = ElicitationHandler::new(async |_, _| {
        Err::<agentwire::protocol::elicitation::ElicitationReply, _>(SECRET)
    });
    let dialogs = DialogHandler::new(["kind"], async |_, _| Err::<RequestUserDialogReply, _>(SECRET));
    let builder = Session::builder().hooks(hooks).permissions(permissions);
    let builder = builder.elicitation(elicitation).dialogs(dialogs);
    #[cfg(feature = "mcp")]
    let builder = builder.mcp_servers(servers());
    builder
}

#[cfg(feature = "mcp")]
fn servers() -> agentwire::mcp::McpServers {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Input {
        text: String,
    }

    let server = agentwire::mcp::Server::new("s", "1")
        .tool("echo", "", async |input: Input, _| input.text)
        .tool("broken", "", async |_: Input, _| -> String { panic!("{SECRET}") })
        .tool("sorry", "", async |_: Input, _| Err::<String, _>(SECRET));
    agentwire::mcp::McpServers::new().with("s", server)
}

/// Plays all kinds of messages, with the secret in them.
async fn play(mut session: Session, mut peer: Peer) {
    session.send(format!("do {SECRET}")).await.unwrap();
    let prompt = peer.line().await.unwrap();
    let mut init = init();
    init["user_message_uuids"] = json!([prompt["uuid"]]);
    peer.say(&init).await;
    let mut used = assistant("");
    used["message"]["content"] =
        json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": SECRET}}]);
    peer.say(used).await;
    let hook = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": SECRET}, "tool_use_id": "t", "tool_response": SECRET,
    });
    let broken = json!({"hook_event_name": "PreToolUse", "cwd": 5, "prompt": SECRET, SECRET: SECRET});
    let ask = |tool: &str| json!({"subtype": "can_use_tool", "tool_name": tool, "input": {"file_path": SECRET}, "tool_use_id": "t"});
    let call = |tool: &str, arguments: serde_json::Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": params});
        json!({"subtype": "mcp_message", "server_name": "s", "message": message})
    };
    let callback = |id: &str, input: &serde_json::Value| json!({"subtype": "hook_callback", "callback_id": id, "input": input, "tool_use_id": "t"});
    let requests = [
        callback("hook_0", &hook),
        callback("hook_1", &hook),
        callback("hook_2", &hook),
        callback("hook_3", &hook),
        callback("hook_0", &broken),
        callback("hook_9", &hook),
        ask("Bash"),
        ask("Edit"),
        ask("Write"),
        call("echo", json!({"text": SECRET})),
        call("broken", json!({"text": SECRET})),
        call("sorry", json!({"text": SECRET})),
        call("echo", json!({"wrong": SECRET})),
        json!({"subtype": "mcp_message", "server_name": "s", "message": {"what": SECRET}}),
        json!({"subtype": "elicitation", "mcp_server_name": "m", "message": SECRET}),
        json!({"subtype": "request_user_dialog", "dialog_kind": "kind", "payload": {"what": SECRET}}),
        json!({"subtype": "from_the_future", "what": SECRET}),
    ];
    for (request, number) in requests.into_iter().zip(1..) {
        peer.ask(&number.to_string(), request).await;
        peer.response(&number.to_string()).await;
    }
    peer.say(json!({
        "type": "user", "parent_tool_use_id": null, "session_id": "s", "tool_use_result": SECRET,
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": SECRET, "is_error": true},
        ]},
    }))
    .await;
    peer.say(SECRET).await;
    peer.say(json!({"type": "assistant", "message": SECRET})).await;
    peer.say(json!({"type": "result", "subtype": "success", "is_error": true, "result": SECRET})).await;
    while session.next().await.unwrap().unwrap().message().is_none_or(|message| message.kind() != "result") {}
    peer.close(session).await.unwrap();
}

async fn observed(builder: SessionBuilder) -> (String, String) {
    let (observed, _guard) = RecordedSpans::here();
    let (session, peer) = connected(builder).await;
    let observations = session.observe();
    play(session, peer).await;
    (format!("{:?}", rest(observations).await), observed.text_but("rmcp"))
}

#[tokio::test(start_paused = true)]
async fn contents_are_hidden_by_default() {
    let (observations, spans) = observed(builder()).await;
    // All of it was observed, though.
    for what in ["Failed", "Deny", "Turn", "tools/call", "Elicitation", "Dialog", "Unhandled"] {
        assert!(observations.contains(what), "{what}: {observations}");
    }
    assert!(spans.contains("a hook has failed"), "{spans}");
    assert!(!observations.contains(SECRET), "{observations}");
    assert!(!spans.contains(SECRET), "{spans}");
}

#[tokio::test(start_paused = true)]
async fn contents_are_observed_on_request() {
    let (observations, spans) = observed(builder().observe_contents()).await;
    for whole in [&observations, &spans] {
        // The escaping of its quotes does not matter.
        let whole = whole.replace('\\', "");
        for content in [
            format!("do {SECRET}"),
            format!("\"command\":\"{SECRET}\""),
            format!("hook failed: {SECRET}"),
            format!("\"permissionDecisionReason\":\"{SECRET}\""),
        ] {
            assert!(whole.contains(&content), "{content}: {whole}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_sent_again_is_the_input_of_its_turn_once() {
    let (session, mut peer) = connected(Session::builder().observe_contents()).await;
    let observations = session.observe();
    let mut prompt = UserInput::new("hi");
    prompt.uuid = Some("p".into());
    for _ in 0..2 {
        session.send(prompt.clone()).await.unwrap();
        assert_eq!(peer.prompt().await, "hi");
    }
    let mut init = init();
    init["user_message_uuids"] = json!(["p"]);
    peer.say(&init).await;
    peer.say(result("done")).await;
    peer.close(session).await.unwrap();
    let all = rest(observations).await;
    let inputs = all.iter().filter_map(|observation| match observation {
        Observation::Began(began) if matches!(began.activity, Activity::Turn { .. }) => began.input.as_ref(),
        _ => None,
    });
    assert_eq!(inputs.map(ToString::to_string).collect::<Vec<_>>(), [r#""hi""#]);
}
