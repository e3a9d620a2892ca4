//! Requests of the CLI: everything is answered, nothing fails open, and a callback may use the whole API.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use agentwire::{
    Decision, Session,
    control::CallContext,
    hooks::{HookContext, Hooks, Matcher, PermissionHandler},
    protocol::{
        control::{CanUseTool, HookFailure, Interrupt, McpStatus, SetModel},
        hook::{HookReply, PreToolUse},
    },
    query,
};
use serde_json::json;
use tokio::sync::Barrier;

use crate::{fault_cli::play, received::Received, runner::tests};

tests!(callbacks:
    unknown_request_gets_an_error_reply, request_without_fields_gets_an_error_reply, duplicate_request_is_answered_once, cancel_of_an_unknown_request_is_ignored, missing_permission_callback_denies, permission_request_keeps_all_fields,
    failing_permission_callback_denies, panicking_hook_refuses, failing_hook_refuses, hook_with_continue_on_failure_lets_the_tool_run, slow_hook_is_cancelled_and_sends_nothing,
    hook_can_send_control_requests, hook_can_interrupt_the_turn, many_hooks_run_concurrently, cancelled_question_is_not_answered,
    query_waits_for_background_work, session_receives_background_work,
);

/// Plays one successful turn and a clean end, and returns its messages.
async fn one_turn(mut session: Session) -> Received {
    let received = Received::turn(&mut session, "hi").await;
    assert!(received.error.is_none(), "{received:?}");
    assert_eq!(received.kinds().last(), Some(&"result"));
    session.close().await.unwrap();
    received
}

fn unknown_request_gets_an_error_reply() {
    play("unknown-request", async |cli| {
        let received = one_turn(cli.connect().await).await;
        assert_eq!(received.kinds(), ["unhandled control_request", "fault_report", "assistant", "result"]);
        let answer = &received.answers()[0];
        assert_eq!(answer["subtype"], "error");
        assert!(answer["error"].as_str().unwrap().contains("from_the_future"), "{answer}");
    });
}

fn request_without_fields_gets_an_error_reply() {
    play("broken-request", async |cli| {
        let handler = PermissionHandler::new(async |_, _| Decision::allow());
        let received = one_turn(cli.builder().permissions(handler).connect().await.unwrap()).await;
        assert_eq!(received.kinds(), ["undecodable", "fault_report", "assistant", "result"]);
        is_no_allow(&received, "input");
    });
}

fn duplicate_request_is_answered_once() {
    play("duplicate-request", async |cli| {
        let asked = AtomicUsize::new(0);
        let handler = PermissionHandler::new(move |_, cx: CallContext| {
            let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
            async move {
                // The second arrives while the first is open.
                while cx.control.ignored().duplicate_requests < number as u64 {
                    tokio::task::yield_now().await;
                }
                Decision::deny("once")
            }
        });
        let mut session = cli.builder().permissions(handler).connect().await.unwrap();
        for _ in 0..2 {
            let received = Received::turn(&mut session, "hi").await;
            // An extra answer would be reported as stray.
            assert_eq!(received.answers().len(), 1);
            assert_eq!(received.answers()[0]["response"]["message"], "once");
        }
        assert_eq!(session.control().ignored().duplicate_requests, 2);
        session.close().await.unwrap();
    });
}

fn cancel_of_an_unknown_request_is_ignored() {
    play("stray-cancel", async |cli| {
        let (session, received) = cli.turn().await;
        assert_eq!(received.kinds(), ["assistant", "result"]);
        assert_eq!(session.control().ignored().cancels, 1);
        session.close().await.unwrap();
    });
}

/// Checks that the first answer is an error with this reason.
fn is_no_allow(received: &Received, why: &str) {
    let answer = &received.answers()[0];
    assert_eq!(answer["subtype"], "error", "{answer}");
    assert!(answer["error"].as_str().unwrap().contains(why), "{answer}");
    assert!(!answer.to_string().contains("allow"), "{answer}");
}

fn missing_permission_callback_denies() {
    play("permission=3", async |cli| {
        let received = one_turn(cli.connect().await).await;
        is_no_allow(&received, "can_use_tool");
        assert!(received.tool_results()[0].contains("can_use_tool"), "{received:?}");
        assert_eq!(
            received.kinds(),
            ["assistant", "unhandled control_request", "fault_report", "user", "assistant", "result"]
        );
    });
}

fn permission_request_keeps_all_fields() {
    play("permission=3", async |cli| {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        let handler = PermissionHandler::new(move |request: CanUseTool, _: CallContext| {
            kept.lock().unwrap().push(request);
            async { Decision::allow() }
        });
        let received = one_turn(cli.builder().permissions(handler).connect().await.unwrap()).await;
        assert_eq!(received.tool_results(), ["the tool ran"]);
        assert_eq!(received.answers()[2]["response"]["behavior"], "allow");
        let asked = asked.lock().unwrap();
        assert_eq!(asked.len(), 3);
        for request in &*asked {
            assert_eq!(&*request.tool_name, "Bash");
            assert_eq!(request.input.as_str(), r#"{"command":"rm a","description":"Remove a"}"#);
            assert_eq!(request.tool_use_id.as_str(), "toolu_fault");
            assert_eq!(request.description.as_deref(), Some("Remove a"));
            assert_eq!(request.decision_reason.as_deref(), Some("rm needs approval"));
        }
    });
}

#[expect(unreachable_code, reason = "the panic is the fault to be played")]
fn failing_permission_callback_denies() {
    play("permission", async |cli| {
        for (handler, why) in [
            (PermissionHandler::new(async |_, _| Err::<Decision, _>("no disk")), "no disk"),
            (
                PermissionHandler::new(async |_, _| {
                    panic!("ouch");
                    Decision::allow()
                }),
                "ouch",
            ),
        ] {
            let mut session = cli.builder().permissions(handler).connect().await.unwrap();
            for _ in 0..2 {
                let received = Received::turn(&mut session, "hi").await;
                is_no_allow(&received, why);
                assert!(received.tool_results()[0].contains(why));
                assert_eq!(received.kinds().last(), Some(&"result"));
            }
            session.close().await.unwrap();
        }
    });
}

/// Plays one turn with these hooks.
async fn with_hooks(cli: &crate::fault_cli::FaultCli, hooks: Hooks) -> Received {
    one_turn(cli.builder().hooks(hooks).connect().await.unwrap()).await
}

fn refuses(received: &Received, why: &str) {
    for answer in received.answers() {
        let output = &answer["response"]["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "deny", "{answer}");
        assert!(output["permissionDecisionReason"].as_str().unwrap().contains(why), "{answer}");
    }
    assert!(received.tool_results()[0].contains(why), "{received:?}");
}

fn panicking_hook_refuses() {
    play("hooks=3", async |cli| {
        let received =
            with_hooks(cli, Hooks::new().on(PreToolUse, async |_, _| -> () { panic!("ouch") })).await;
        assert_eq!(received.answers().len(), 3);
        refuses(&received, "ouch");
    });
}

fn failing_hook_refuses() {
    play("hooks", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| Err::<HookReply<PreToolUse>, _>("no disk"));
        refuses(&with_hooks(cli, hooks).await, "no disk");
    });
}

fn hook_with_continue_on_failure_lets_the_tool_run() {
    play("hooks", async |cli| {
        let matcher = Matcher::any().on_failure(HookFailure::Continue);
        let hooks = Hooks::new()
            .on_matching(PreToolUse, matcher, async |_, _| Err::<HookReply<PreToolUse>, _>("no disk"));
        let received = with_hooks(cli, hooks).await;
        assert!(received.answers()[0]["error"].as_str().unwrap().contains("no disk"));
        assert_eq!(received.tool_results(), ["the tool ran"]);
    });
}

fn slow_hook_is_cancelled_and_sends_nothing() {
    play("hook-timeout=50", async |cli| {
        let (cancellations, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, dropped) = (Arc::clone(&cancellations), Arc::clone(&ended));
        let hooks = Hooks::new().on(PreToolUse, move |_, cx: HookContext| {
            let (counted, dropped) = (Arc::clone(&counted), Arc::clone(&dropped));
            async move {
                let _dropped = CountsDrop(dropped);
                cx.cancelled.cancelled().await;
                counted.fetch_add(1, Ordering::SeqCst);
                // It ignores the cancellation, so it is dropped.
                std::future::pending::<HookReply<PreToolUse>>().await
            }
        });
        let mut config = agentwire::control::Config::default();
        config.callback_grace = std::time::Duration::from_millis(100);
        let mut session = cli.builder().hooks(hooks).config(config).connect().await.unwrap();
        for turn in 1..=3 {
            let received = Received::turn(&mut session, "hi").await;
            // Nothing was sent in time, and nothing too late in an earlier turn.
            assert_eq!(received.answers(), Vec::<serde_json::Value>::new());
            assert_eq!(received.tool_results(), ["a hook has taken too long"]);
            assert_eq!(cancellations.load(Ordering::SeqCst), turn);
        }
        eventually_async(|| ended.load(Ordering::SeqCst) == 3).await;
        session.close().await.unwrap();
    });
}

struct CountsDrop(Arc<AtomicUsize>);

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn hook_can_send_control_requests() {
    play("hooks=10 messages=2000", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, cx: HookContext| {
            cx.control.call(&McpStatus::default()).await?;
            let reply = cx.control.call(&SetModel::new(Some("m"))).await?;
            Ok::<_, agentwire::ControlError>(HookReply::<PreToolUse>::deny(format!("{:?}", reply.model)))
        });
        let received = with_hooks(cli, hooks).await;
        assert_eq!(received.answers().len(), 10);
        refuses(&received, r#"Some("m")"#);
    });
}

fn hook_can_interrupt_the_turn() {
    play("hooks=2", async |cli| {
        let receipts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&receipts);
        let hooks = Hooks::new().on(PreToolUse, move |_, cx: HookContext| {
            let counted = Arc::clone(&counted);
            async move {
                let receipt = cx.control.call(&Interrupt::default()).await.unwrap();
                counted.fetch_add(receipt.still_queued.len() + 1, Ordering::SeqCst);
            }
        });
        let mut session = cli.builder().hooks(hooks).connect().await.unwrap();
        for turn in 1..=2 {
            let received = Received::turn(&mut session, "hi").await;
            assert!(received.error.is_none(), "{received:?}");
            assert_eq!(received.lines().last().unwrap()["subtype"], "error_during_execution");
            eventually_async(|| receipts.load(Ordering::SeqCst) == 2 * turn).await;
        }
        // The CLI exits with 1 because its last result, which was read, is an error.
        assert_eq!(session.close().await.unwrap().exit.unwrap().code, Some(1));
    });
}

/// Yields until the condition is true; the test's own time limit bounds it.
async fn eventually_async(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

fn many_hooks_run_concurrently() {
    for count in [50, 1000] {
        play(&format!("hooks={count}"), async |cli| {
            // None of them passes the barrier before all of them run.
            let barrier = Arc::new(Barrier::new(count));
            let hooks = Hooks::new().on(PreToolUse, move |_, _| {
                let barrier = Arc::clone(&barrier);
                async move {
                    barrier.wait().await;
                }
            });
            let received = with_hooks(cli, hooks).await;
            assert_eq!(received.answers().len(), count);
            assert!(received.answers().iter().all(|answer| answer["subtype"] == "success"));
            assert_eq!(received.tool_results(), ["the tool ran"]);
        });
    }
}

fn cancelled_question_is_not_answered() {
    play("cancel-permission=50", async |cli| {
        let cancelled = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cancelled);
        let handler = PermissionHandler::new(move |_, cx: CallContext| {
            let counted = Arc::clone(&counted);
            async move {
                cx.cancelled.cancelled().await;
                counted.fetch_add(1, Ordering::SeqCst);
                Decision::allow()
            }
        });
        let mut session = cli.builder().permissions(handler).connect().await.unwrap();
        for turn in 1..=2 {
            let received = Received::turn(&mut session, "hi").await;
            assert_eq!(received.answers(), Vec::<serde_json::Value>::new());
            assert_eq!(received.tool_results(), ["the question was cancelled"]);
            eventually_async(|| cancelled.load(Ordering::SeqCst) == turn).await;
        }
        session.close().await.unwrap();
    });
}

fn query_waits_for_background_work() {
    play("background=3", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
        let handler = PermissionHandler::new(async |_, _| Decision::allow());
        let session = cli.builder().hooks(hooks).permissions(handler).connect().await.unwrap();
        let received = Received::by_query(&mut session.into_query("hi").await.unwrap()).await;
        assert!(received.error.is_none(), "{received:?}");
        assert_eq!(received.tool_results(), ["the tool ran"; 3]);
        assert_eq!(
            received.texts(),
            ["hello", "from the background", "from the background", "from the background"]
        );
        assert_eq!(received.words.iter().filter(|word| *word == "result").count(), 4);
        assert_eq!(received.answers().len(), 6);
        assert!(received.answers().iter().all(|answer| answer["subtype"] == "success"));
    });
    play("background", async |cli| {
        // Without callbacks the result is the same.
        let received = Received::by_query(&mut query("hi", cli.options()).await.unwrap()).await;
        assert!(received.error.is_none(), "{received:?}");
        assert_eq!(received.texts(), ["hello", "from the background"]);
    });
}

fn session_receives_background_work() {
    play("background", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
        let handler = PermissionHandler::new(async |_, _| Decision::allow());
        let mut session = cli.builder().hooks(hooks).permissions(handler).connect().await.unwrap();
        let first = Received::turn(&mut session, "hi").await;
        assert_eq!(first.kinds(), ["assistant", "result"]);
        // The session receives the rest, and the input was not ended meanwhile.
        let mut rest = session.turn();
        let mut results = Vec::new();
        while let Some(incoming) = rest.next().await {
            let incoming = incoming.unwrap();
            let line = crate::received::line(&incoming);
            if line["type"] == "user" {
                results.push(line["message"]["content"][0]["content"].clone());
            }
        }
        assert_eq!(results, [json!("the tool ran")]);
        assert!(rest.result().is_some());
        session.close().await.unwrap();
    });
}
