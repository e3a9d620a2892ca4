//! The outcomes of a deferred tool use when its session is resumed.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use agentwire::{
    Decision, Incoming, Message, Session, SessionBuilder,
    hooks::{Hooks, PermissionHandler},
    protocol::{
        hook::{HookReply, PreToolUse},
        mcp::{McpServerConfig, StdioServer},
        message::{TerminalReason, TurnResult},
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::{
    Place,
    place::{bash, tool_results},
};

/// The observed actions of a session.
#[derive(Debug, Default)]
struct Seen {
    /// The tool uses that the hook was asked about.
    asked: Vec<String>,
    /// The results that the model got for them, and whether each is an error.
    outputs: Vec<(bool, String)>,
    results: Vec<TurnResult>,
}

impl Seen {
    fn last(&self) -> &TurnResult {
        self.results.last().unwrap()
    }

    /// Returns the id of the only waiting tool use.
    fn waits(&self) -> Option<&str> {
        self.last().deferred_tool_use.as_ref().map(|deferred| deferred.id.as_str())
    }
}

/// Returns a command that leaves a line in `ran.txt`.
fn note(id: &str) -> Value {
    bash(id, &format!("echo {id} >> ran.txt"))
}

/// Returns the commands that ran.
fn ran(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.file("project/ran.txt")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn session(place: &Place) -> SessionBuilder {
    Session::builder().options(place.in_project().allowed_tools(["Bash"]))
}

fn resumed(place: &Place, before: &Seen) -> SessionBuilder {
    let id = before.last().session_id.as_ref().unwrap();
    let options = place.in_project().allowed_tools(["Bash"]);
    Session::builder().options(options.resume(id.as_str()))
}

/// Runs a session with a hook that decides by a function, until this many turns have ended.
async fn hooked(
    builder: SessionBuilder,
    decide: impl Fn(&str) -> HookReply<PreToolUse> + Send + Sync + 'static,
    prompt: Option<&str>,
    turns: usize,
) -> Seen {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let book = Arc::clone(&asked);
    let hooks = Hooks::new().on(PreToolUse, move |input, _| {
        book.lock().unwrap().push(input.tool_use_id.to_string());
        let reply = decide(input.tool_use_id.as_str());
        async { reply }
    });
    let mut seen = run(builder.hooks(hooks), prompt, turns).await;
    seen.asked = std::mem::take(&mut asked.lock().unwrap());
    seen
}

async fn run(builder: SessionBuilder, prompt: Option<&str>, turns: usize) -> Seen {
    let mut session = builder.connect().await.unwrap();
    if let Some(prompt) = prompt {
        session.send(prompt).await.unwrap();
    }
    let mut seen = Seen::default();
    while seen.results.len() < turns {
        match session.next().await.unwrap().unwrap() {
            Incoming::Message(Message::User(user), _) => seen.outputs.extend(tool_results(&user)),
            Incoming::Message(Message::Result(result), _) => seen.results.push(*result),
            _ => {}
        }
    }
    session.close().await.unwrap();
    seen
}

/// Returns a place with a session in which a command waits.
async fn parked() -> (Place, Seen) {
    let place = Place::using(&[note("toolu_1")]).await;
    let seen = hooked(session(&place), |_| HookReply::defer(), Some("Go."), 1).await;
    assert_eq!(seen.waits(), Some("toolu_1"));
    assert_eq!(seen.last().terminal_reason, Some(TerminalReason::ToolDeferred));
    assert!(ran(&place).is_empty());
    (place, seen)
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn an_allowed_tool_use_runs_exactly_once() {
    let (place, before) = parked().await;
    let seen = hooked(resumed(&place, &before), |_| HookReply::allow(), None, 1).await;
    assert_eq!((&*seen.asked, seen.last().result.as_deref()), (&["toolu_1".to_owned()][..], Some("Done.")));
    assert_eq!(ran(&place), ["toolu_1"]);
    // A later process no longer knows the tool use.
    let seen = hooked(resumed(&place, &before), |_| HookReply::allow(), Some("And now?"), 1).await;
    assert!(seen.asked.is_empty() && seen.waits().is_none(), "{seen:?}");
    assert_eq!(ran(&place), ["toolu_1"]);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn denied_tool_use_never_runs_and_the_model_gets_the_reason() {
    let (place, before) = parked().await;
    let seen = hooked(resumed(&place, &before), |_| HookReply::deny("a person said no"), None, 1).await;
    let [(true, why)] = &seen.outputs[..] else { panic!("{seen:?}") };
    assert!(why.contains("a person said no"), "{why}");
    let seen = hooked(resumed(&place, &before), |_| HookReply::allow(), Some("And now?"), 1).await;
    assert!(seen.asked.is_empty() && ran(&place).is_empty(), "{seen:?}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_tool_use_is_deferred_as_often_as_the_hook_defers_it() {
    let (place, first) = parked().await;
    for _ in 0..2 {
        let seen = hooked(resumed(&place, &first), |_| HookReply::defer(), None, 1).await;
        assert_eq!((seen.waits(), &*seen.asked), (Some("toolu_1"), &["toolu_1".to_owned()][..]));
    }
    let seen = hooked(resumed(&place, &first), |_| HookReply::allow(), None, 1).await;
    assert_eq!((seen.waits(), ran(&place)), (None, vec!["toolu_1".to_owned()]));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_sent_while_a_tool_use_continues_has_the_next_turn() {
    let (place, before) = parked().await;
    let (called, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (calls, released) = (Arc::clone(&called), Arc::clone(&release));
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        let (calls, released) = (Arc::clone(&calls), Arc::clone(&released));
        async move {
            calls.notify_one();
            released.notified().await;
            HookReply::allow()
        }
    });
    let mut session = resumed(&place, &before).hooks(hooks).connect().await.unwrap();
    called.notified().await;
    let turn = session.ask("And now?").await.unwrap();
    let prompt = turn.prompt().unwrap().clone();
    release.notify_one();
    let result = turn.finish().await.unwrap().unwrap();
    assert_eq!(result.user_message_uuid.as_ref(), Some(&prompt));
    let earlier = session.turn().finish().await.unwrap().unwrap();
    assert_eq!((earlier.user_message_uuid, earlier.deferred_tool_use.is_none()), (None, true));
    assert_eq!(ran(&place), ["toolu_1"]);
    session.close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn rules_and_the_handler_decide_without_a_hook() {
    for (allowed, decides, runs) in
        [(false, Some(true), true), (false, Some(false), false), (false, None, false), (true, None, true)]
    {
        let (place, before) = parked().await;
        let id = before.last().session_id.as_ref().unwrap();
        let mut options = place.in_project().resume(id.as_str());
        if allowed {
            options = options.allowed_tools(["Bash"]);
        }
        let mut builder = Session::builder().options(options);
        if let Some(allows) = decides {
            builder = builder.permissions(PermissionHandler::new(move |_, _| async move {
                if allows { Decision::allow() } else { Decision::deny("no") }
            }));
        }
        let seen = run(builder, None, 1).await;
        assert_eq!(seen.last().result.as_deref(), Some("Done."), "{allowed} {decides:?}");
        assert_eq!(ran(&place).len(), usize::from(runs), "{allowed} {decides:?}");
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_with_a_resume_gets_its_turn_after_the_deferred_tool_use() {
    let (place, before) = parked().await;
    let seen = hooked(resumed(&place, &before), |_| HookReply::allow(), Some("And then?"), 2).await;
    assert_eq!((ran(&place), seen.outputs.len()), (vec!["toolu_1".to_owned()], 1));
    assert!(seen.results[0].user_message_uuid.is_none(), "{seen:?}");
    assert!(seen.results[1].user_message_uuid.is_some(), "{seen:?}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_to_the_same_process_abandons_the_deferred_tool_use() {
    let place = Place::using(&[note("toolu_1")]).await;
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::defer());
    let mut session = session(&place).hooks(hooks).connect().await.unwrap();
    session.ask("Go.").await.unwrap().finish().await.unwrap();
    let result = session.ask("And then?").await.unwrap().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    let before = Seen { results: vec![*result], ..Seen::default() };
    let seen = hooked(resumed(&place, &before), |_| HookReply::allow(), Some("And now?"), 1).await;
    assert!(seen.asked.is_empty() && ran(&place).is_empty(), "{seen:?}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn first_tool_use_of_a_message_is_deferred_and_the_others_are_denied() {
    // The CLI may ask about several `Read` calls at once, but not about commands.
    let read = |id: &str| json!({"tool_use": {"id": id, "name": "Read", "input": {"file_path": "${place}/project/a.txt"}}});
    for blocks in [
        vec![note("toolu_1"), note("toolu_2"), note("toolu_3"), note("toolu_free")],
        vec![read("toolu_1"), read("toolu_2"), read("toolu_3"), note("toolu_free")],
    ] {
        let place = Place::using(&blocks).await;
        let decide = |id: &str| if id == "toolu_free" { HookReply::allow() } else { HookReply::defer() };
        let seen = hooked(session(&place), decide, Some("Go."), 1).await;
        let first = seen.waits().unwrap().to_owned();
        let denied = seen.outputs.iter().filter(|(error, _)| *error);
        assert!(denied.clone().all(|(_, why)| why.contains("another tool use")), "{seen:?}");
        assert_eq!((denied.count(), ran(&place)), (2, vec!["toolu_free".to_owned()]));
        let again = hooked(resumed(&place, &seen), |_| HookReply::allow(), None, 1).await;
        assert_eq!((&again.asked, &again.last().result), (&vec![first], &Some("Done.".to_owned())));
        // The request to the model has a result for each of the four.
        let request = place.model.requests().into_iter().rfind(|request| request.tools).unwrap();
        assert_eq!(request.tool_results, 4);
    }
}

/// After an error in the middle of a stream, the CLI requests the message again without a stream.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn tool_uses_of_a_message_without_a_stream_are_denied() {
    let replies = json!([
        {"blocks": [{"text": "I will."}], "error_event": true},
        {"blocks": [note("toolu_1"), note("toolu_2")]},
        {"blocks": [{"text": "Done."}], "times": 9},
    ]);
    let place = Place::scripted(&json!({"replies": replies}).to_string()).await;
    let seen = hooked(session(&place), |_| HookReply::defer(), Some("Go."), 1).await;
    let denied = seen.outputs.iter().filter(|(error, why)| *error && why.contains("alone")).count();
    assert_eq!((denied, seen.asked.len(), seen.waits()), (2, 2, None), "{seen:?}");
    assert!(ran(&place).is_empty(), "{seen:?}");
    assert_eq!(seen.last().result.as_deref(), Some("Done."));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_tool_use_of_a_subagent_is_denied() {
    for background in [false, true] {
        let input = json!({
            "description": "A task", "prompt": "AGENT-ONE: go.", "subagent_type": "general-purpose",
            "run_in_background": background,
        });
        let task = json!({"tool_use": {"id": "toolu_task", "name": "Task", "input": input}});
        let agent = json!([{"blocks": [note("toolu_1")]}, {"blocks": [{"text": "No."}], "times": 9}]);
        let script = json!({
            "replies": [{"blocks": [task]}, {"blocks": [{"text": "Done."}], "times": 9}],
            "match": [{"marker": "AGENT-ONE", "replies": agent}],
        });
        let place = Place::scripted(&script.to_string()).await;
        let decide = |id: &str| if id == "toolu_task" { HookReply::allow() } else { HookReply::defer() };
        let turns = if background { 2 } else { 1 };
        let seen = hooked(session(&place), decide, Some("Go."), turns).await;
        assert!(seen.asked.contains(&"toolu_1".to_owned()), "{seen:?}");
        assert!(seen.results.iter().all(|result| result.deferred_tool_use.is_none()), "{seen:?}");
        // The agent was asked again, with the denial.
        let matched = agentwire_testkit::model::Answer::Matched(0);
        let requests = place.model.requests().into_iter().filter(|request| request.answer == matched).count();
        assert_eq!((requests, ran(&place).len()), (2, 0), "{seen:?}");
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_tool_of_an_in_process_server_is_denied() {
    use agentwire::mcp::{McpServers, Server, schemars};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct NoInput {}

    let call = json!({"tool_use": {"id": "toolu_1", "name": "mcp__own__touch", "input": {}}});
    let place = Place::using(&[call]).await;
    let server = Server::new("own", "1").tool("touch", "Touches.", async |_: NoInput, _| "touched");
    let servers = McpServers::new().with("own", server);
    let builder = session(&place).mcp_servers(servers);
    let seen = hooked(builder, |_| HookReply::defer(), Some("Go."), 1).await;
    let [(true, why)] = &seen.outputs[..] else { panic!("{seen:?}") };
    assert!(why.contains("in-process"), "{why}");
    assert_eq!((seen.waits(), seen.last().result.as_deref()), (None, Some("Done.")));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_tool_of_a_server_of_the_clis_own_is_deferred() {
    let input = json!({"text": "hello from afar"});
    let call = json!({"tool_use": {"id": "toolu_1", "name": "mcp__srv__echo", "input": input}});
    let place = Place::using(&[call]).await;
    let program = env!("CARGO_BIN_EXE_agentwire-judge-mcp");
    let server = || [("srv", McpServerConfig::Stdio(StdioServer::new(program, Vec::new())))];
    let options = place.in_project().mcp_servers(server());
    let builder = Session::builder().options(options.clone());
    let before = hooked(builder, |_| HookReply::defer(), Some("Go."), 1).await;
    assert_eq!(before.waits(), Some("toolu_1"), "{before:?}");
    let id = before.last().session_id.as_ref().unwrap();
    let builder = Session::builder().options(options.resume(id.as_str()));
    let seen = hooked(builder, |_| HookReply::allow(), None, 1).await;
    let [(false, output)] = &seen.outputs[..] else { panic!("{seen:?}") };
    assert!(output.contains("hello from afar"), "{output}");
}
