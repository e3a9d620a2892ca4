//! Questions that others settle first: the `PermissionRequest` hook, an interrupt, and what runs in the background.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agentwire::{
    Decision, Options, Session,
    control::CallContext,
    hooks::{HookContext, Hooks, PermissionHandler},
    protocol::{
        control::CanUseTool,
        hook::{HookReply, PermissionRequest},
    },
};
use serde_json::json;
use tokio::sync::Notify;

use super::{AFTER_A_TURN, Game, Place, reply, shell, uses};

/// Returns a handler that never decides, and reports the cancellation of its request.
fn waits(began: &Arc<Notify>, cancelled: &Arc<Notify>) -> PermissionHandler {
    let (began, cancelled) = (Arc::clone(began), Arc::clone(cancelled));
    PermissionHandler::new(move |_, cx: CallContext| {
        let (began, cancelled) = (Arc::clone(&began), Arc::clone(&cancelled));
        async move {
            began.notify_one();
            cx.cancelled.cancelled().await;
            cancelled.notify_one();
            pending::<Decision>().await
        }
    })
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn hook_that_decides_first_cancels_the_question() {
    for allows in [true, false] {
        let (began, cancelled) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let asked = Arc::clone(&began);
        let hooks = Hooks::new().on(PermissionRequest, move |_, _| {
            let asked = Arc::clone(&asked);
            async move {
                asked.notified().await;
                if allows { HookReply::allow_request() } else { HookReply::deny_request("says the hook") }
            }
        });
        let game = Game::new(waits(&began, &cancelled)).hooks(hooks);
        let played = game.play(uses([shell("mkfifo p")])).await;
        assert_eq!(played.exists("project/p"), allows, "{:?}", played.results);
        assert_eq!(played.results[0].1.contains("says the hook"), !allows);
        cancelled.notified().await;
        assert_eq!(played.turns[0].permission_denials.len(), usize::from(!allows));
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn handler_that_decides_first_wins_over_an_open_hook() {
    let (ran, fired) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let answered = Arc::new(Notify::new());
    let (after, flag, before_close) = (Arc::clone(&ran), Arc::clone(&fired), Arc::clone(&answered));
    let hooks = Hooks::new().on(PermissionRequest, move |_, cx: HookContext| {
        let (after, flag) = (Arc::clone(&after), Arc::clone(&flag));
        let before_close = Arc::clone(&before_close);
        async move {
            after.notified().await;
            flag.store(cx.cancelled.is_cancelled(), Ordering::SeqCst);
            before_close.notify_one();
            HookReply::deny_request("too late")
        }
    });
    let place = Place::calling(&[shell("mkfifo p"), shell("mkfifo q")]).await;
    let handler = PermissionHandler::new(async |_, _| Decision::allow());
    let options = place.in_project();
    let builder = Session::builder().options(options).permissions(handler).hooks(hooks);
    let mut session = builder.connect().await.unwrap();
    let result = session.ask("Go.").await.unwrap().finish().await.unwrap().unwrap();
    assert_eq!((result.result.as_deref(), result.permission_denials.len()), (Some("Done."), 0));
    assert!(place.file("project/p").exists() && place.file("project/q").exists());
    // The first hook answers only now; its request was not cancelled.
    ran.notify_one();
    // Closing would cancel it.
    answered.notified().await;
    session.close().await.unwrap();
    assert!(!fired.load(Ordering::SeqCst));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn interrupt_cancels_an_open_question() {
    let (began, cancelled) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let place = Place::calling(&[shell("mkfifo p")]).await;
    let options = place.in_project();
    let builder = Session::builder().options(options).permissions(waits(&began, &cancelled));
    let mut session = builder.connect().await.unwrap();
    let turn = session.ask("Go.").await.unwrap();
    began.notified().await;
    turn.session().interrupt().await.unwrap();
    cancelled.notified().await;
    let result = turn.finish().await.unwrap().unwrap();
    assert!(result.is_error && !place.file("project/p").exists());
    assert_eq!(result.permission_denials.len(), 1);
    // The exit code repeats how the last turn ended, which was read.
    assert_eq!(session.close().await.unwrap().exit.unwrap().code, Some(1));
}

/// The agent also asks after the result of the turn that started it.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn background_agent_asks_under_its_own_id() {
    let agent = json!({
        "description": "Touch", "subagent_type": "general-purpose", "prompt": "MARKER touch", "run_in_background": true,
    });
    let mut script = uses([("Task", agent), ("Read", json!({"file_path": "a.txt"}))]);
    script["match"] = json!([{"marker": "MARKER", "replies": [
        reply(&shell("mkfifo p")), {"blocks": [{"text": "Touched."}]},
    ]}]);
    script["match"][0]["replies"][0]["hold_before"] = AFTER_A_TURN.into();
    script["replies"].as_array_mut().unwrap().push(json!({"blocks": [{"text": "It is done."}]}));
    let handler =
        PermissionHandler::new(async |request: CanUseTool, _| request.agent_id.map(|_| Decision::allow()));
    let played = Game::new(handler).options(Options::new()).play(script).await;
    assert!(played.exists("project/p"), "{:?}", played.results);
    assert_eq!((played.asked(), played.turns.len()), (vec!["Bash"], 2));
}
