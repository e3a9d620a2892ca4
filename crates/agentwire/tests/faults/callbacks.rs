//! What the CLI asks: everything is answered, nothing fails open, and a callback may do anything.

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

use crate::{
    fault_cli::play,
    runner::tests,
    told::{Told, ends_well},
};

tests!(callbacks:
    an_unknown_request, a_request_without_its_fields, a_request_that_comes_twice, a_cancel_of_nothing, no_permission_callback, permission_with_all_fields,
    a_failing_permission_callback, a_hook_that_panics, a_hook_that_errs, a_hook_that_may_fail, a_hook_that_is_too_slow,
    a_hook_may_call_anything, a_hook_may_interrupt, fifty_hooks_at_once, a_question_that_is_taken_back,
    background_work_of_a_query, background_work_of_a_session,
);

/// One good turn, all of which is told; then the session ends well.
async fn one_turn(mut session: Session) -> Told {
    let told = Told::turn(&mut session, "hi").await;
    assert!(told.error.is_none(), "{told:?}");
    assert_eq!(told.said().last(), Some(&"result"));
    ends_well(session).await;
    told
}

fn an_unknown_request() {
    play("unknown-request", async |cli| {
        let told = one_turn(cli.connect().await).await;
        assert_eq!(told.said(), ["unhandled control_request", "fault_report", "assistant", "result"]);
        let answer = &told.answers()[0];
        assert_eq!(answer["subtype"], "error");
        assert!(answer["error"].as_str().unwrap().contains("from_the_future"), "{answer}");
    });
}

fn a_request_without_its_fields() {
    play("broken-request", async |cli| {
        let handler = PermissionHandler::new(async |_, _| Decision::allow());
        let told = one_turn(cli.builder().permissions(handler).connect().await.unwrap()).await;
        assert_eq!(told.said(), ["undecodable", "fault_report", "assistant", "result"]);
        is_no_allow(&told, "input");
    });
}

fn a_request_that_comes_twice() {
    play("duplicate-request", async |cli| {
        let asked = AtomicUsize::new(0);
        let handler = PermissionHandler::new(move |_, cx: CallContext| {
            let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
            async move {
                // The second comes while the first is open.
                while cx.control.ignored().duplicate_requests < number as u64 {
                    tokio::task::yield_now().await;
                }
                Decision::deny("once")
            }
        });
        let mut session = cli.builder().permissions(handler).connect().await.unwrap();
        for _ in 0..2 {
            let told = Told::turn(&mut session, "hi").await;
            // An answer more would be told as a stray one.
            assert_eq!(told.answers().len(), 1);
            assert_eq!(told.answers()[0]["response"]["message"], "once");
        }
        assert_eq!(session.control().ignored().duplicate_requests, 2);
        ends_well(session).await;
    });
}

fn a_cancel_of_nothing() {
    play("stray-cancel", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(told.said(), ["assistant", "result"]);
        assert_eq!(session.control().ignored().cancels, 1);
        ends_well(session).await;
    });
}

/// The first answer is an error that says why.
fn is_no_allow(told: &Told, why: &str) {
    let answer = &told.answers()[0];
    assert_eq!(answer["subtype"], "error", "{answer}");
    assert!(answer["error"].as_str().unwrap().contains(why), "{answer}");
    assert!(!answer.to_string().contains("allow"), "{answer}");
}

fn no_permission_callback() {
    play("permission=3", async |cli| {
        let told = one_turn(cli.connect().await).await;
        is_no_allow(&told, "can_use_tool");
        assert!(told.tool_results()[0].contains("can_use_tool"), "{told:?}");
        assert_eq!(
            told.said(),
            ["assistant", "unhandled control_request", "fault_report", "user", "assistant", "result"]
        );
    });
}

fn permission_with_all_fields() {
    play("permission=3", async |cli| {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        let handler = PermissionHandler::new(move |request: CanUseTool, _: CallContext| {
            kept.lock().unwrap().push(request);
            async { Decision::allow() }
        });
        let told = one_turn(cli.builder().permissions(handler).connect().await.unwrap()).await;
        assert_eq!(told.tool_results(), ["the tool ran"]);
        assert_eq!(told.answers()[2]["response"]["behavior"], "allow");
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
fn a_failing_permission_callback() {
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
            let told = one_turn(cli.builder().permissions(handler).connect().await.unwrap()).await;
            is_no_allow(&told, why);
            assert!(told.tool_results()[0].contains(why));
        }
    });
}

/// One turn with these hooks.
async fn with_hooks(cli: &crate::fault_cli::FaultCli, hooks: Hooks) -> Told {
    one_turn(cli.builder().hooks(hooks).connect().await.unwrap()).await
}

fn refuses(told: &Told, why: &str) {
    for answer in told.answers() {
        let output = &answer["response"]["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "deny", "{answer}");
        assert!(output["permissionDecisionReason"].as_str().unwrap().contains(why), "{answer}");
    }
    assert!(told.tool_results()[0].contains(why), "{told:?}");
}

fn a_hook_that_panics() {
    play("hooks=3", async |cli| {
        let told = with_hooks(cli, Hooks::new().on(PreToolUse, async |_, _| -> () { panic!("ouch") })).await;
        assert_eq!(told.answers().len(), 3);
        refuses(&told, "ouch");
    });
}

fn a_hook_that_errs() {
    play("hooks", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| Err::<HookReply<PreToolUse>, _>("no disk"));
        refuses(&with_hooks(cli, hooks).await, "no disk");
    });
}

fn a_hook_that_may_fail() {
    play("hooks", async |cli| {
        let matcher = Matcher::any().on_failure(HookFailure::Continue);
        let hooks = Hooks::new()
            .on_matching(PreToolUse, matcher, async |_, _| Err::<HookReply<PreToolUse>, _>("no disk"));
        let told = with_hooks(cli, hooks).await;
        assert!(told.answers()[0]["error"].as_str().unwrap().contains("no disk"));
        assert_eq!(told.tool_results(), ["the tool ran"]);
    });
}

fn a_hook_that_is_too_slow() {
    play("hook-timeout=50", async |cli| {
        let (told_of_it, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, dropped) = (Arc::clone(&told_of_it), Arc::clone(&ended));
        let hooks = Hooks::new().on(PreToolUse, move |_, cx: HookContext| {
            let (counted, dropped) = (Arc::clone(&counted), Arc::clone(&dropped));
            async move {
                let _dropped = CountsDrop(dropped);
                cx.cancelled.cancelled().await;
                counted.fetch_add(1, Ordering::SeqCst);
                // It does not listen, so it is dropped.
                std::future::pending::<HookReply<PreToolUse>>().await
            }
        });
        let mut config = agentwire::control::Config::default();
        config.callback_grace = std::time::Duration::from_millis(100);
        let mut session = cli.builder().hooks(hooks).config(config).connect().await.unwrap();
        for turn in 1..=3 {
            let told = Told::turn(&mut session, "hi").await;
            // Nothing was sent: no answer in time, and none too late in an earlier turn.
            assert_eq!(told.answers(), Vec::<serde_json::Value>::new());
            assert_eq!(told.tool_results(), ["a hook has taken too long"]);
            assert_eq!(told_of_it.load(Ordering::SeqCst), turn);
        }
        while ended.load(Ordering::SeqCst) < 3 {
            tokio::task::yield_now().await;
        }
        ends_well(session).await;
    });
}

struct CountsDrop(Arc<AtomicUsize>);

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn a_hook_may_call_anything() {
    play("hooks=10 messages=2000", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, cx: HookContext| {
            cx.control.call(&McpStatus::default()).await?;
            let reply = cx.control.call(&SetModel::new(Some("m"))).await?;
            Ok::<_, agentwire::ControlError>(HookReply::<PreToolUse>::deny(format!("{:?}", reply.model)))
        });
        let told = with_hooks(cli, hooks).await;
        assert_eq!(told.answers().len(), 10);
        refuses(&told, r#"Some("m")"#);
    });
}

fn a_hook_may_interrupt() {
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
            let told = Told::turn(&mut session, "hi").await;
            assert!(told.error.is_none(), "{told:?}");
            assert_eq!(told.lines().last().unwrap()["subtype"], "error_during_execution");
            eventually_async(|| receipts.load(Ordering::SeqCst) == 2 * turn).await;
        }
        // The CLI exits with 1, since its last result is an error, which was read.
        assert_eq!(session.close().await.unwrap().exit.unwrap().code, Some(1));
    });
}

/// Lets others work until the condition is true; the test's own limit bounds it.
async fn eventually_async(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

fn fifty_hooks_at_once() {
    play("hooks=50", async |cli| {
        // None of them gets past the barrier before all of them run.
        let barrier = Arc::new(Barrier::new(50));
        let hooks = Hooks::new().on(PreToolUse, move |_, _| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
            }
        });
        let told = with_hooks(cli, hooks).await;
        assert_eq!(told.answers().len(), 50);
        assert!(told.answers().iter().all(|answer| answer["subtype"] == "success"));
        assert_eq!(told.tool_results(), ["the tool ran"]);
    });
}

fn a_question_that_is_taken_back() {
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
            let told = Told::turn(&mut session, "hi").await;
            assert_eq!(told.answers(), Vec::<serde_json::Value>::new());
            assert_eq!(told.tool_results(), ["the question was cancelled"]);
            eventually_async(|| cancelled.load(Ordering::SeqCst) == turn).await;
        }
        ends_well(session).await;
    });
}

fn background_work_of_a_query() {
    play("background=3", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
        let handler = PermissionHandler::new(async |_, _| Decision::allow());
        let session = cli.builder().hooks(hooks).permissions(handler).connect().await.unwrap();
        let told = Told::by_query(&mut session.into_query("hi").await.unwrap()).await;
        assert!(told.error.is_none(), "{told:?}");
        assert_eq!(told.tool_results(), ["the tool ran"; 3]);
        assert_eq!(
            told.texts(),
            ["hello", "from the background", "from the background", "from the background"]
        );
        assert_eq!(told.words.iter().filter(|word| *word == "result").count(), 4);
        assert_eq!(told.answers().len(), 6);
        assert!(told.answers().iter().all(|answer| answer["subtype"] == "success"));
    });
    play("background", async |cli| {
        // Without callbacks it is as long, and as well.
        let told = Told::by_query(&mut query("hi", cli.options()).await.unwrap()).await;
        assert!(told.error.is_none(), "{told:?}");
        assert_eq!(told.texts(), ["hello", "from the background"]);
    });
}

fn background_work_of_a_session() {
    play("background", async |cli| {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
        let handler = PermissionHandler::new(async |_, _| Decision::allow());
        let mut session = cli.builder().hooks(hooks).permissions(handler).connect().await.unwrap();
        let first = Told::turn(&mut session, "hi").await;
        assert_eq!(first.said(), ["assistant", "result"]);
        // The session is told the rest, and no input was ended meanwhile.
        let mut rest = session.turn();
        let mut results = Vec::new();
        while let Some(incoming) = rest.next().await {
            let incoming = incoming.unwrap();
            let line = crate::told::line(&incoming);
            if line["type"] == "user" {
                results.push(line["message"]["content"][0]["content"].clone());
            }
        }
        assert_eq!(results, [json!("the tool ran")]);
        assert!(rest.result().is_some());
        ends_well(session).await;
    });
}
