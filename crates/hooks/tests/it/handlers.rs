//! Several handlers for one event as one: their order, where they stop, and what becomes of their replies.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
};

use agentwire_hooks::{Handlers, Hooks, Matcher};
use agentwire_protocol::{
    RawJson,
    control::HookFailure,
    hook::{
        BlockDecision, Elicitation, HookReply, LaterReply, PermissionRequest, PostToolUse, PreModelSwitch,
        PreToolUse, PreToolUseInput, Stop, UserPromptSubmit,
    },
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::cli::{Cli, callback, post_tool_use, pre_tool_use};

async fn answer(hooks: Hooks, input: Value) -> Result<Value, String> {
    Cli::start(hooks).await.exchange(callback("hook_0", input)).await
}

/// What the handlers of a chain have done, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, what: impl Debug) {
        self.0.lock().unwrap().push(format!("{what:?}"));
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn raw(value: &Value) -> RawJson {
    RawJson::encode(value).unwrap()
}

fn deny(reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason
    }})
}

#[tokio::test]
async fn in_order_each_sees_the_changes_before_and_the_first_denial_is_the_last_word() {
    let log = Log::default();
    let seen = |name: &'static str| {
        let log = log.clone();
        move |input: &PreToolUseInput| log.note(format_args!("{name} {}", input.tool_input))
    };
    let (first, second, third) = (seen("first"), seen("second"), seen("third"));
    let chain = Handlers::of(PreToolUse)
        .then(move |input, _| {
            first(&input);
            async { HookReply::allow_with_input(raw(&json!({"command": "pwd"}))) }
        })
        .then(move |input, _| {
            second(&input);
            let denies = input.tool_input.to_string().contains("pwd");
            async move { if denies { HookReply::deny("no pwd") } else { HookReply::proceed() } }
        })
        .then(move |input, _| {
            third(&input);
            async {}
        });
    let reply = answer(Hooks::new().on(PreToolUse, chain.in_order()), pre_tool_use("Bash")).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(reply["hookSpecificOutput"]["permissionDecisionReason"], "no pwd");
    assert_eq!(log.taken(), [r#"first {"command":"ls"}"#, r#"second {"command":"pwd"}"#]);
}

#[tokio::test]
async fn at_once_all_run_together_and_the_strictest_wins() {
    let all = Arc::new(Barrier::new(4));
    let meet = || {
        let all = Arc::clone(&all);
        async move { all.wait().await }
    };
    let (a, b, c, d) = (meet(), meet(), meet(), meet());
    let once = |future| Mutex::new(Some(future));
    let (a, b, c, d) = (once(a), once(b), once(c), once(d));
    let take = |future: &Mutex<Option<_>>| future.lock().unwrap().take().unwrap();
    let handlers = Handlers::of(PreToolUse)
        .then(move |_, _| {
            let met = take(&a);
            async move {
                met.await;
                HookReply::allow().with_context("one").with_system_message("first")
            }
        })
        .then(move |_, _| {
            let met = take(&b);
            async move {
                met.await;
                HookReply::ask("sure?").with_context("two")
            }
        })
        .then(move |_, _| {
            let met = take(&c);
            async move {
                met.await;
                LaterReply::new()
            }
        })
        .then(move |_, _| {
            let met = take(&d);
            async move {
                met.await;
                HookReply::<PreToolUse>::proceed().ending_the_turn("enough").with_system_message("second")
            }
        });
    let reply = answer(Hooks::new().on(PreToolUse, handlers.at_once()), pre_tool_use("Bash")).await;
    let expected = json!({
        "continue": false, "stopReason": "enough", "systemMessage": "first\nsecond",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "sure?",
            "additionalContext": "one\ntwo"
        }
    });
    assert_eq!(reply, Ok(expected));
}

/// All orders of four decisions; each time the strictest of those that are there must win.
#[tokio::test]
async fn no_order_of_decisions_weakens_a_denial() {
    let decisions = ["none", "allow", "ask", "defer", "deny"];
    let one = |name: &'static str| {
        move |_: PreToolUseInput, _| async move {
            match name {
                "allow" => HookReply::allow(),
                "ask" => HookReply::ask("ask"),
                "defer" => HookReply::defer(),
                "deny" => HookReply::<PreToolUse>::deny("deny"),
                _ => HookReply::proceed(),
            }
        }
    };
    for (first_rank, first) in decisions.iter().enumerate() {
        for (later_rank, later) in decisions.iter().enumerate() {
            let both = Handlers::of(PreToolUse).then(one(first)).then(one(later));
            let strictest = decisions[first_rank.max(later_rank)];
            let in_order = answer(Hooks::new().on(PreToolUse, both.clone().in_order()), pre_tool_use("Bash"));
            let at_once = answer(Hooks::new().on(PreToolUse, both.at_once()), pre_tool_use("Bash"));
            for reply in [in_order.await.unwrap(), at_once.await.unwrap()] {
                let decision = reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none");
                assert_eq!(decision, strictest, "{first} and {later}");
            }
        }
    }
}

#[tokio::test]
async fn a_failure_counts_unless_somebody_refuses() {
    let fails = async |_, _| Err::<(), _>("disk full");
    let panics = async |input: PreToolUseInput, _| assert!(input.tool_name.is_empty(), "oh");
    let allows = async |_, _| HookReply::<PreToolUse>::allow();
    let denies = async |_, _| HookReply::<PreToolUse>::deny("no");
    let lenient = || Matcher::any().on_failure(HookFailure::Continue);
    let bash = || pre_tool_use("Bash");

    let chain = Handlers::of(PreToolUse).then(fails).then(panics).then(allows);
    let refused = Ok(deny("the PreToolUse hook failed: disk full"));
    assert_eq!(answer(Hooks::new().on(PreToolUse, chain.clone().in_order()), bash()).await, refused);
    assert_eq!(answer(Hooks::new().on(PreToolUse, chain.at_once()), bash()).await, refused);

    // Even where a failure lets it through, another handler's refusal holds.
    let chain = Handlers::of(PreToolUse).then(panics).then(denies);
    let hooks = Hooks::new().on_matching(PreToolUse, lenient(), chain.clone().in_order());
    assert_eq!(answer(hooks, bash()).await, Ok(deny("no")));
    let hooks = Hooks::new().on_matching(PreToolUse, lenient(), chain.at_once());
    assert_eq!(answer(hooks, bash()).await, Ok(deny("no")));

    let chain = Handlers::of(PreToolUse).then(panics).then(allows);
    let hooks = Hooks::new().on_matching(PreToolUse, lenient(), chain.in_order());
    assert_eq!(answer(hooks, bash()).await, Err("the PreToolUse hook failed: panicked: oh".to_owned()));
}

#[tokio::test]
async fn changes_build_on_one_another_in_order_and_conflict_at_once() {
    let redact = |what: &'static str, by: &'static str| {
        move |input: agentwire_protocol::hook::PostToolUseInput, _| async move {
            let text = input.tool_response.to_string().replace(what, by);
            HookReply::<PostToolUse>::replace_output(RawJson::parse(&text).unwrap())
        }
    };
    let mut input = post_tool_use();
    input["tool_response"] = json!("key and token");
    let both = Handlers::of(PostToolUse).then(redact("key", "***")).then(redact("token", "***"));
    let reply = answer(Hooks::new().on(PostToolUse, both.clone().in_order()), input.clone()).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["updatedToolOutput"], "*** and ***");
    // Where the event could refuse, it would; here the first change is more than none.
    let reply = answer(Hooks::new().on(PostToolUse, both.at_once()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["updatedToolOutput"], "*** and token");

    let to = |command: &'static str| {
        move |_, _| async move { HookReply::<PreToolUse>::allow_with_input(raw(&json!({"command": command}))) }
    };
    let both = Handlers::of(PreToolUse).then(to("pwd")).then(to("id"));
    let reply = answer(Hooks::new().on(PreToolUse, both.at_once()), pre_tool_use("Bash")).await;
    let why = "the PreToolUse hook failed: two handlers set `updatedInput`, each in its own way";
    assert_eq!(reply, Ok(deny(why)));
}

/// Where nothing can be refused, neither a failure nor an objection of one handler undoes what another takes out.
#[tokio::test]
async fn a_changed_output_survives_the_failure_and_the_objection_of_others() {
    let redacts = async |_, _| HookReply::<PostToolUse>::replace_output(raw(&json!("***")));
    let fails = async |_, _| Err::<(), _>("disk full");
    let objects = async |_, _| HookReply::<PostToolUse>::block("no");
    for chain in [
        Handlers::of(PostToolUse).then(redacts).then(fails),
        Handlers::of(PostToolUse).then(fails).then(redacts),
        Handlers::of(PostToolUse).then(objects).then(redacts),
    ] {
        let in_order = answer(Hooks::new().on(PostToolUse, chain.clone().in_order()), post_tool_use()).await;
        let at_once = answer(Hooks::new().on(PostToolUse, chain.at_once()), post_tool_use()).await;
        for reply in [in_order, at_once] {
            assert_eq!(reply.unwrap()["hookSpecificOutput"]["updatedToolOutput"], "***");
        }
    }
    // A failure alone stays one.
    let reply = answer(
        Hooks::new().on(PostToolUse, Handlers::of(PostToolUse).then(fails).in_order()),
        post_tool_use(),
    );
    assert_eq!(reply.await, Err("the PostToolUse hook failed: disk full".to_owned()));
}

#[tokio::test]
async fn a_failure_that_may_pass_takes_back_no_question() {
    let chain = Handlers::of(PreToolUse)
        .then(async |_, _| HookReply::ask("sure?"))
        .then(async |_, _| Err::<(), _>("disk full"));
    let lenient = Matcher::any().on_failure(HookFailure::Continue);
    for hooks in [
        Hooks::new().on_matching(PreToolUse, lenient.clone(), chain.clone().in_order()),
        Hooks::new().on_matching(PreToolUse, lenient, chain.clone().at_once()),
    ] {
        let reply = answer(hooks, pre_tool_use("Bash")).await.unwrap();
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask");
    }
    let reply = answer(Hooks::new().on(PreToolUse, chain.in_order()), pre_tool_use("Bash")).await;
    assert_eq!(reply, Ok(deny("the PreToolUse hook failed: disk full")));
}

/// Only the event's own words decide there.
#[tokio::test]
async fn a_block_of_a_permission_request_is_its_denial() {
    let chain =
        Handlers::of(PermissionRequest).then(async |_, _| HookReply::allow_request()).then(async |_, _| {
            let mut reply = HookReply::proceed();
            reply.decision = Some(BlockDecision::Block);
            reply.reason = Some("no".to_owned());
            reply
        });
    let input = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {}});
    let reply = answer(Hooks::new().on(PermissionRequest, chain.in_order()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["decision"], json!({"behavior": "deny", "message": "no"}));
}

#[tokio::test]
async fn no_later_handler_accepts_what_one_has_declined() {
    let says = |action: &str| {
        let output = raw(&json!({"action": action})).decode().unwrap();
        HookReply::<Elicitation>::output(output)
    };
    let handlers = || {
        let (declined, accepted) = (says("decline"), says("accept"));
        Handlers::of(Elicitation)
            .then(move |_, _| std::future::ready(declined.clone()))
            .then(move |_, _| std::future::ready(accepted.clone()))
    };
    let input = json!({"session_id": "s", "mcp_server_name": "forms"});
    for hooks in [
        Hooks::new().on(Elicitation, handlers().in_order()),
        Hooks::new().on(Elicitation, handlers().at_once()),
    ] {
        let reply = answer(hooks, input.clone()).await.unwrap();
        assert_eq!(reply["hookSpecificOutput"]["action"], "decline", "{reply}");
    }
}

#[tokio::test]
async fn a_block_stops_the_chain_of_every_event_that_knows_it() {
    let never = async |_, _| -> HookReply<_> { panic!("it must not be asked") };
    let chain = Handlers::of(Stop).then(async |_, _| HookReply::go_on("not yet")).then(never);
    let reply = answer(Hooks::new().on(Stop, chain.in_order()), json!({"session_id": "s"})).await;
    assert_eq!(reply, Ok(json!({"decision": "block", "reason": "not yet"})));

    let never = async |_, _| -> HookReply<_> { panic!("it must not be asked") };
    let chain = Handlers::of(UserPromptSubmit)
        .then(async |_, _| HookReply::context("note"))
        .then(async |_, _| HookReply::block_prompt("no"))
        .then(never);
    let input = json!({"session_id": "s", "prompt": "hi"});
    let reply = answer(Hooks::new().on(UserPromptSubmit, chain.in_order()), input).await.unwrap();
    assert_eq!((&reply["decision"], &reply["reason"]), (&json!("block"), &json!("no")));

    let never = async |_, _| -> HookReply<_> { panic!("it must not be asked") };
    let chain = Handlers::of(PermissionRequest)
        .then(async |_, _| HookReply::allow_request())
        .then(async |_, _| HookReply::deny_request("no"))
        .then(never);
    let input = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {}});
    let reply = answer(Hooks::new().on(PermissionRequest, chain.in_order()), input).await.unwrap();
    let decision = json!({"behavior": "deny", "message": "no"});
    assert_eq!(reply["hookSpecificOutput"]["decision"], decision);
}

#[tokio::test]
async fn a_block_in_the_old_words_outweighs_an_allow_in_the_new_ones() {
    let handlers = Handlers::of(PreToolUse)
        .then(async |_, _| HookReply::allow())
        .then(async |_, _| HookReply::block("old"));
    for hooks in [
        Hooks::new().on(PreToolUse, handlers.clone().in_order()),
        Hooks::new().on(PreToolUse, handlers.at_once()),
    ] {
        let reply = answer(hooks, pre_tool_use("Bash")).await.unwrap();
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
        assert_eq!(reply["hookSpecificOutput"]["permissionDecisionReason"], "old", "{reply}");
    }
    let handlers = Handlers::of(PreModelSwitch)
        .then(async |_, _| HookReply::allow_switch())
        .then(async |_, _| HookReply::block("old"));
    let input = json!({"session_id": "s", "from_model": "a", "to_model": "b", "source": "sdk"});
    let reply = answer(Hooks::new().on(PreModelSwitch, handlers.in_order()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
}

#[tokio::test]
async fn no_handlers_say_nothing() {
    for hooks in [
        Hooks::new().on(PreToolUse, Handlers::of(PreToolUse).in_order()),
        Hooks::new().on(PreToolUse, Handlers::of(PreToolUse).at_once()),
    ] {
        assert_eq!(answer(hooks, pre_tool_use("Bash")).await, Ok(json!({})));
    }
}
