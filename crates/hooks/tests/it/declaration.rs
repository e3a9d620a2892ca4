//! The declaration of hooks in the handshake.

use std::time::Duration;

use agentwire_hooks::{AnyHook, EVENTS, Hooks, Matcher};
use agentwire_protocol::{
    control::{HookFailure, Initialize},
    hook::{FileChanged, PostToolUse, PreToolUse, Stop},
};
use serde_json::{Value, json};

fn declared(hooks: &Hooks) -> Value {
    let mut initialize = Initialize::default();
    initialize.hooks = hooks.declaration();
    serde_json::to_value(initialize).unwrap()
}

#[test]
fn each_registration_has_its_own_id_in_order() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| ()).on(PostToolUse, async |_, _| ()).on_matching(
        PreToolUse,
        Matcher::tools(["Edit", "Write"]),
        async |_, _| (),
    );
    let expected = json!({"hooks": {
        "PostToolUse": [{"hookCallbackIds": ["hook_1"]}],
        "PreToolUse": [
            {"hookCallbackIds": ["hook_0"], "onFailure": "block"},
            {"matcher": "Edit|Write", "hookCallbackIds": ["hook_2"], "onFailure": "block"}
        ]
    }});
    assert_eq!(declared(&hooks), expected);
}

#[test]
fn joined_hooks_have_ids_in_order() {
    let first = Hooks::new().on(PreToolUse, async |_, _| ()).on(PostToolUse, async |_, _| ());
    let joined = first.and(Hooks::new().on(PreToolUse, async |_, _| ()));
    let expected = json!({"hooks": {
        "PostToolUse": [{"hookCallbackIds": ["hook_1"]}],
        "PreToolUse": [
            {"hookCallbackIds": ["hook_0"], "onFailure": "block"},
            {"hookCallbackIds": ["hook_2"], "onFailure": "block"}
        ]
    }});
    assert_eq!(declared(&joined), expected);
}

#[test]
fn a_matcher_declares_pattern_limit_and_failure_choice() {
    let matcher =
        Matcher::pattern("mcp__.*").timeout(Duration::from_millis(1500)).on_failure(HookFailure::Continue);
    let hooks = Hooks::new().on_matching(Stop, matcher, async |_, _| ());
    let expected = json!({"hooks": {"Stop": [
        {"matcher": "mcp__.*", "hookCallbackIds": ["hook_0"], "timeout": 1.5, "onFailure": "continue"}
    ]}});
    assert_eq!(declared(&hooks), expected);
}

/// Our limit is relative to the CLI's, so the handshake must set the CLI's.
#[test]
fn the_limit_is_declared_if_the_cli_lets_late_events_pass() {
    let continues = Matcher::any().on_failure(HookFailure::Continue);
    let zero = Matcher::any().timeout(Duration::ZERO);
    let hooks = Hooks::new()
        .on(Stop, async |_, _| ())
        .on_matching(Stop, continues, async |_, _| ())
        .on_matching(PreToolUse, zero, async |_, _| ());
    let expected = json!({"hooks": {
        "PreToolUse": [{"hookCallbackIds": ["hook_2"], "onFailure": "block"}],
        "Stop": [
            {"hookCallbackIds": ["hook_0"], "timeout": 600.0, "onFailure": "block"},
            {"hookCallbackIds": ["hook_1"], "onFailure": "continue"}
        ]
    }});
    assert_eq!(declared(&hooks), expected);
}

/// A fifth of a short limit is too little time for the refusal to reach the CLI.
#[test]
fn the_cli_waits_a_second_longer_than_the_handler_may_take() {
    let limited = |millis| Matcher::any().timeout(Duration::from_millis(millis));
    let hooks = Hooks::new()
        .on_matching(Stop, limited(10), async |_, _| ())
        .on_matching(Stop, limited(5000), async |_, _| ())
        .on_matching(PreToolUse, limited(10), async |_, _| ());
    let declared = declared(&hooks);
    assert_eq!(declared["hooks"]["Stop"][0]["timeout"], 1.008);
    assert_eq!(declared["hooks"]["Stop"][1]["timeout"], 5.0);
    // The CLI refuses this event when it is late.
    assert_eq!(declared["hooks"]["PreToolUse"][0]["timeout"], 0.01);
}

#[test]
fn a_limit_above_the_timer_maximum_is_the_maximum() {
    let hooks = Hooks::new().on_matching(Stop, Matcher::any().timeout(Duration::MAX), async |_, _| ());
    assert_eq!(declared(&hooks)["hooks"]["Stop"][0]["timeout"], 2_147_483.647);
}

#[test]
fn names_of_mcp_tools_are_normalized_as_by_the_cli() {
    let matcher = Matcher::tools(["mcp__my srv__do.it", "mcp__a__\u{1f600}", "Bash"]);
    let hooks = Hooks::new().on_matching(PreToolUse, matcher, async |_, _| ());
    assert_eq!(declared(&hooks)["hooks"]["PreToolUse"][0]["matcher"], "mcp__my_srv__do_it|mcp__a____|Bash");
    hooks.check().unwrap();
}

/// The matchers of these events match other names than tool names.
#[test]
fn names_with_special_characters_stay_names() {
    let matcher = Matcher::tools([".env", "a|b"]);
    let hooks = Hooks::new().on_matching(FileChanged, matcher, async |_, _| ());
    assert_eq!(declared(&hooks)["hooks"]["FileChanged"][0]["matcher"], r"^(?:\.env|a\|b)$");
    hooks.check().unwrap();
}

/// An empty pattern would match everything.
#[test]
fn an_empty_list_of_names_is_not_declared() {
    let none: [&str; 0] = [];
    let hooks = Hooks::new()
        .on_matching(PreToolUse, Matcher::tools(none), async |_, _| ())
        .on(PostToolUse, async |_, _| ());
    let expected = json!({"hooks": {"PostToolUse": [{"hookCallbackIds": ["hook_1"]}]}});
    assert_eq!(declared(&hooks), expected);
}

#[test]
fn on_any_registers_for_every_known_event_except_worktree_create() {
    let hooks = Hooks::new().on_any(async |_: AnyHook, _| ());
    let declared = hooks.declaration();
    // A handler of `WorktreeCreate` must create the worktree.
    let mut known: Vec<_> = EVENTS.iter().copied().filter(|name| *name != "WorktreeCreate").collect();
    known.sort_unstable();
    assert_eq!(declared.keys().map(|name| &**name).collect::<Vec<_>>(), known);
    assert_eq!(declared["PreToolUse"][0].on_failure, Some(HookFailure::Block));
    assert_eq!(declared["PostToolUse"][0].on_failure, None);
}

#[test]
fn an_unknown_event_blocks_on_failure() {
    let hooks = Hooks::new().on_named("FutureEvent", Matcher::any(), async |_, _| ()).on_named(
        "FutureEvent",
        Matcher::any().on_failure(HookFailure::Continue),
        async |_, _| (),
    );
    let expected = json!({"hooks": {"FutureEvent": [
        {"hookCallbackIds": ["hook_0"], "onFailure": "block"},
        {"hookCallbackIds": ["hook_1"], "onFailure": "continue"}
    ]}});
    assert_eq!(declared(&hooks), expected);
}

#[test]
fn empty_hooks_declare_nothing() {
    assert!(Hooks::new().is_empty());
    assert_eq!(declared(&Hooks::new()), json!({}));
}

#[test]
fn debug_names_the_events() {
    let hooks = Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |_, _| ());
    let text = format!("{hooks:?}");
    assert!(text.contains("PreToolUse") && text.contains("Bash"), "{text}");
}
