//! Several handlers for one event as one: their order, where the chain ends, and how replies are merged.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
};

use agentwire_hooks::{Handlers, Hooks, Matcher};
use agentwire_protocol::{
    RawJson,
    control::HookFailure,
    hook::{
        BlockDecision, Elicitation, ElicitationResult, HookReply, LaterReply, PermissionRequest, PostToolUse,
        PostToolUseInput, PostToolUseOutput, PreModelSwitch, PreToolUse, PreToolUseInput, SessionStart, Stop,
        UserPromptSubmit,
    },
};
use serde_json::{Value, json};

use crate::cli::{answer, post_tool_use, pre_tool_use};

/// The calls of a chain's handlers, in order.
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
async fn each_handler_gets_the_changes_before_it_and_a_denial_ends_the_chain() {
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
async fn replies_are_merged_field_by_field_and_the_strictest_decision_wins() {
    let handlers = Handlers::of(PreToolUse)
        .then(async |_, _| HookReply::allow().with_context("one").with_system_message("first"))
        .then(async |_, _| HookReply::ask("sure?").with_context("two"))
        .then(async |_, _| LaterReply::new())
        .then(async |_, _| {
            HookReply::<PreToolUse>::proceed().ending_the_turn("enough").with_system_message("second")
        })
        .then(async |_, _| HookReply::<PreToolUse>::allow().ending_the_turn("too late").suppressing_output());
    let reply = answer(Hooks::new().on(PreToolUse, handlers.in_order()), pre_tool_use("Bash")).await;
    let expected = json!({
        "continue": false, "stopReason": "enough", "systemMessage": "first\nsecond", "suppressOutput": true,
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "sure?",
            "additionalContext": "one\ntwo"
        }
    });
    assert_eq!(reply, Ok(expected));
}

#[tokio::test]
async fn lists_are_joined_and_flags_stay_set() {
    let replies = |output: Value| {
        let reply = HookReply::<SessionStart>::output(raw(&output).decode().unwrap());
        move |_, _| std::future::ready(reply.clone())
    };
    let chain = Handlers::of(SessionStart)
        .then(replies(json!({"watchPaths": ["/a"], "reloadSkills": true, "sessionTitle": "one"})))
        .then(replies(json!({"watchPaths": ["/b"], "reloadSkills": false, "sessionTitle": "two"})));
    let input = json!({"session_id": "s", "source": "startup"});
    let reply = answer(Hooks::new().on(SessionStart, chain.in_order()), input).await.unwrap();
    let expected = json!({
        "hookEventName": "SessionStart", "watchPaths": ["/a", "/b"], "reloadSkills": true, "sessionTitle": "two",
    });
    assert_eq!(reply["hookSpecificOutput"], expected);

    let allows = |rule: &str| {
        let output = json!({"decision": {"behavior": "allow", "updatedPermissions": [
            {"type": "addRules", "rules": [{"toolName": rule}], "behavior": "allow", "destination": "session"}
        ]}});
        let reply = HookReply::<PermissionRequest>::output(raw(&output).decode().unwrap());
        move |_, _| std::future::ready(reply.clone())
    };
    let chain = Handlers::of(PermissionRequest).then(allows("A")).then(allows("B"));
    let input = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {}});
    let reply = answer(Hooks::new().on(PermissionRequest, chain.in_order()), input).await.unwrap();
    let updates = &reply["hookSpecificOutput"]["decision"]["updatedPermissions"];
    assert_eq!(
        (&updates[0]["rules"][0]["toolName"], &updates[1]["rules"][0]["toolName"]),
        (&json!("A"), &json!("B"))
    );
}

#[tokio::test]
async fn a_changed_input_keeps_its_text() {
    let changed = RawJson::parse(r#"{"n":12345678901234567890123,"x":1.0}"#).unwrap();
    let log = Log::default();
    let (seen, given) = (log.clone(), changed.clone());
    let chain = Handlers::of(PreToolUse)
        .then(move |_, _| std::future::ready(HookReply::allow_with_input(given.clone())))
        .then(move |input, _| {
            seen.note(&input.tool_input);
            async {}
        });
    answer(Hooks::new().on(PreToolUse, chain.in_order()), pre_tool_use("Bash")).await.unwrap();
    assert_eq!(log.taken(), [format!("{changed:?}")]);
}

/// Every pair of decisions, in both orders: the strictest must win.
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
            let reply =
                answer(Hooks::new().on(PreToolUse, both.in_order()), pre_tool_use("Bash")).await.unwrap();
            let decision = reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none");
            assert_eq!(decision, strictest, "{first} and {later}");
        }
    }
}

#[tokio::test]
async fn a_refusal_takes_precedence_over_a_failure() {
    let fails = async |_, _| Err::<(), _>("disk full");
    let panics = async |input: PreToolUseInput, _| assert!(input.tool_name.is_empty(), "oh");
    let allows = async |_, _| HookReply::<PreToolUse>::allow();
    let denies = async |_, _| HookReply::<PreToolUse>::deny("no");
    let lenient = || Matcher::any().on_failure(HookFailure::Continue);
    let bash = || pre_tool_use("Bash");

    let chain = Handlers::of(PreToolUse).then(fails).then(panics).then(allows);
    let refused = Ok(deny("the PreToolUse hook failed: disk full"));
    assert_eq!(answer(Hooks::new().on(PreToolUse, chain.in_order()), bash()).await, refused);

    // A refusal holds even if the failure of another handler would let the call pass.
    let chain = Handlers::of(PreToolUse).then(panics).then(denies);
    let hooks = Hooks::new().on_matching(PreToolUse, lenient(), chain.in_order());
    assert_eq!(answer(hooks, bash()).await, Ok(deny("no")));

    let chain = Handlers::of(PreToolUse).then(panics).then(allows);
    let hooks = Hooks::new().on_matching(PreToolUse, lenient(), chain.in_order());
    assert_eq!(answer(hooks, bash()).await, Err("the PreToolUse hook failed: panicked: oh".to_owned()));
}

#[tokio::test]
async fn changes_build_on_one_another() {
    let redact = |what: &'static str, by: &'static str| {
        move |input: PostToolUseInput, _| async move {
            let text = input.tool_response.to_string().replace(what, by);
            HookReply::<PostToolUse>::replace_output(RawJson::parse(&text).unwrap())
        }
    };
    let mut input = post_tool_use();
    input["tool_response"] = json!("key and token");
    let both = Handlers::of(PostToolUse).then(redact("key", "***")).then(redact("token", "***"));
    let reply = answer(Hooks::new().on(PostToolUse, both.in_order()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["updatedToolOutput"], "*** and ***");
}

/// The CLI ignores `updatedMCPToolOutput` beside `updatedToolOutput`, and for its own tools.
#[tokio::test]
async fn changed_output_of_an_mcp_tool_builds_on_the_one_before() {
    let redacts = async |input: PostToolUseInput, _| {
        let mut output = PostToolUseOutput::default();
        let text = input.tool_response.to_string().replace("token", "***");
        output.updated_mcp_tool_output = Some(RawJson::parse(&text).unwrap());
        HookReply::<PostToolUse>::output(output)
    };
    let first = async |_, _| HookReply::<PostToolUse>::replace_output(raw(&json!("*** and token")));
    let both = Handlers::of(PostToolUse).then(first).then(redacts);
    for (tool, expected) in [("mcp__srv__get", "*** and ***"), ("Read", "*** and token")] {
        let mut of_tool = post_tool_use();
        of_tool["tool_name"] = tool.into();
        let reply = answer(Hooks::new().on(PostToolUse, both.clone().in_order()), of_tool).await.unwrap();
        let output = json!({"hookEventName": "PostToolUse", "updatedToolOutput": expected});
        assert_eq!(reply["hookSpecificOutput"], output, "{tool}");
    }
    // A tool of the CLI keeps its output, and so does the input of the next handler.
    let ignored = async |_, _| {
        let mut output = PostToolUseOutput::default();
        output.updated_mcp_tool_output = Some(raw(&json!("other")));
        HookReply::<PostToolUse>::output(output)
    };
    let seen =
        async |input: PostToolUseInput, _| HookReply::<PostToolUse>::context(input.tool_response.to_string());
    let both = Handlers::of(PostToolUse).then(ignored).then(seen);
    let reply = answer(Hooks::new().on(PostToolUse, both.in_order()), post_tool_use()).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["additionalContext"], "[1]");
}

/// If the event can't refuse, neither a failure nor a block discards another handler's redaction.
#[tokio::test]
async fn a_changed_output_survives_a_failure_and_a_block_of_others() {
    let redacts = async |_, _| HookReply::<PostToolUse>::replace_output(raw(&json!("***")));
    let fails = async |_, _| Err::<(), _>("disk full");
    let objects = async |_, _| HookReply::<PostToolUse>::block("no");
    for chain in [
        Handlers::of(PostToolUse).then(redacts).then(fails),
        Handlers::of(PostToolUse).then(fails).then(redacts),
        Handlers::of(PostToolUse).then(objects).then(redacts),
    ] {
        let reply = answer(Hooks::new().on(PostToolUse, chain.in_order()), post_tool_use()).await.unwrap();
        assert_eq!(reply["hookSpecificOutput"]["updatedToolOutput"], "***");
    }
    // A failure with no other reply stays a failure.
    let reply = answer(
        Hooks::new().on(PostToolUse, Handlers::of(PostToolUse).then(fails).in_order()),
        post_tool_use(),
    );
    assert_eq!(reply.await, Err("the PostToolUse hook failed: disk full".to_owned()));
}

#[tokio::test]
async fn continued_failure_keeps_the_ask_of_another_handler() {
    let chain = Handlers::of(PreToolUse)
        .then(async |_, _| HookReply::ask("sure?"))
        .then(async |_, _| Err::<(), _>("disk full"));
    let lenient = Matcher::any().on_failure(HookFailure::Continue);
    let hooks = Hooks::new().on_matching(PreToolUse, lenient, chain.clone().in_order());
    let reply = answer(hooks, pre_tool_use("Bash")).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask");
    let reply = answer(Hooks::new().on(PreToolUse, chain.in_order()), pre_tool_use("Bash")).await;
    assert_eq!(reply, Ok(deny("the PreToolUse hook failed: disk full")));
}

/// The allow itself is discarded: the end of the turn does not stop the tool use that the event guards.
#[tokio::test]
async fn the_end_of_the_turn_survives_an_allow_and_a_failure_of_others() {
    let allows = async |_, _| HookReply::<PreToolUse>::allow().with_context("one");
    let ends = async |_, _| HookReply::<PreToolUse>::proceed().ending_the_turn("enough");
    let fails = async |_, _| Err::<(), _>("disk full");
    for chain in [
        Handlers::of(PreToolUse).then(allows).then(ends).then(fails),
        Handlers::of(PreToolUse).then(fails).then(ends).then(allows),
    ] {
        let lenient = Matcher::any().on_failure(HookFailure::Continue);
        let hooks = Hooks::new().on_matching(PreToolUse, lenient, chain.in_order());
        let ended = json!({"continue": false, "stopReason": "enough"});
        assert_eq!(answer(hooks, pre_tool_use("Bash")).await, Ok(ended));
    }
}

#[tokio::test]
async fn an_older_approval_does_not_survive_the_failure_of_another_handler() {
    let approve = async |_, _| {
        let mut reply = HookReply::proceed();
        reply.decision = Some(BlockDecision::Approve);
        reply
    };
    let fail = async |_, _| Err::<(), _>("disk full");
    let chains = [
        Handlers::of(PreToolUse).then(approve).then(fail),
        Handlers::of(PreToolUse).then(fail).then(approve),
    ];
    for chain in chains {
        let lenient = Matcher::any().on_failure(HookFailure::Continue);
        let hooks = Hooks::new().on_matching(PreToolUse, lenient, chain.in_order());
        assert!(answer(hooks, pre_tool_use("Bash")).await.is_err());
    }
}

/// For this event the CLI reads the event's own decision alone.
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

/// Without an output there is no decision to replace, but the CLI ignores the block all the same.
#[tokio::test]
async fn a_block_of_a_permission_request_without_an_output_is_its_denial() {
    let chain = Handlers::of(PermissionRequest).then(async |_, _| {
        let mut reply = HookReply::proceed();
        reply.decision = Some(BlockDecision::Block);
        reply
    });
    let input = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {}});
    let reply = answer(Hooks::new().on(PermissionRequest, chain.in_order()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["decision"], json!({"behavior": "deny"}));
}

/// The CLI honours a block of these events and ignores their `action`.
#[tokio::test]
async fn a_declined_or_cancelled_elicitation_is_blocked_also_after_a_failure() {
    for action in ["decline", "cancel"] {
        let output = || raw(&json!({"action": action})).decode().unwrap();
        let refused = HookReply::<Elicitation>::output(output());
        let chain = Handlers::of(Elicitation)
            .then(async |_, _| Err::<(), _>("disk full"))
            .then(move |_, _| std::future::ready(refused.clone()));
        let input = json!({"session_id": "s", "mcp_server_name": "forms"});
        let reply = answer(Hooks::new().on(Elicitation, chain.in_order()), input).await.unwrap();
        assert_eq!(reply["decision"], "block", "{reply}");

        let refused = HookReply::<ElicitationResult>::output(output());
        let chain = Handlers::of(ElicitationResult).then(move |_, _| std::future::ready(refused.clone()));
        let input = json!({"session_id": "s", "mcp_server_name": "forms", "action": "accept"});
        let reply = answer(Hooks::new().on(ElicitationResult, chain.in_order()), input).await.unwrap();
        assert_eq!(reply["decision"], "block", "{reply}");
    }
}

#[tokio::test]
async fn a_declined_elicitation_is_not_accepted_by_a_later_handler() {
    let reply = |action: &str| {
        let output = raw(&json!({"action": action})).decode().unwrap();
        HookReply::<Elicitation>::output(output)
    };
    let (declined, accepted) = (reply("decline"), reply("accept"));
    let handlers = Handlers::of(Elicitation)
        .then(move |_, _| std::future::ready(declined.clone()))
        .then(move |_, _| std::future::ready(accepted.clone()));
    let input = json!({"session_id": "s", "mcp_server_name": "forms"});
    let reply = answer(Hooks::new().on(Elicitation, handlers.in_order()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["action"], "decline", "{reply}");
}

#[tokio::test]
async fn a_block_ends_the_chain_of_every_event_that_can_block() {
    let never = async |_, _| -> HookReply<_> { panic!("it must not be asked") };
    let chain = Handlers::of(Stop).then(async |_, _| HookReply::go_on("not yet")).then(never);
    let reply = answer(Hooks::new().on(Stop, chain.in_order()), json!({"session_id": "s"})).await;
    assert_eq!(reply, Ok(json!({"decision": "block", "reason": "not yet"})));

    let never = async |_, _| -> HookReply<_> { panic!("it must not be asked") };
    let chain = Handlers::of(UserPromptSubmit)
        .then(async |_, _| HookReply::context("note"))
        .then(async |_, _| HookReply::block("no"))
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
async fn a_block_in_the_older_vocabulary_outweighs_an_allow() {
    let handlers = Handlers::of(PreToolUse)
        .then(async |_, _| HookReply::allow())
        .then(async |_, _| HookReply::block("old"));
    let reply = answer(Hooks::new().on(PreToolUse, handlers.in_order()), pre_tool_use("Bash")).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
    assert_eq!(reply["hookSpecificOutput"]["permissionDecisionReason"], "old", "{reply}");
    let handlers = Handlers::of(PreModelSwitch)
        .then(async |_, _| HookReply::allow_switch())
        .then(async |_, _| HookReply::block("old"));
    let input = json!({"session_id": "s", "from_model": "a", "to_model": "b", "source": "sdk"});
    let reply = answer(Hooks::new().on(PreModelSwitch, handlers.in_order()), input).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
}

#[tokio::test]
async fn no_handlers_give_an_empty_reply() {
    let hooks = Hooks::new().on(PreToolUse, Handlers::of(PreToolUse).in_order());
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, Ok(json!({})));
}
