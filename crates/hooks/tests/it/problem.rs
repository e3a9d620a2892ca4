//! What is wrong with registrations, and what is only worth knowing.

use agentwire_hooks::{AnyHook, HookWarning, Hooks, HooksError, Matcher};
use agentwire_protocol::{
    control::{HookFailure, InitializeReply},
    hook::{
        CwdChanged, Notification, PreToolUse, SessionStart, Setup, Stop, SubagentStart, UserPromptSubmit,
    },
};

fn pre_tool_use(matcher: Matcher) -> Hooks {
    Hooks::new().on_matching(PreToolUse, matcher, async |_, _| ())
}

#[test]
fn a_matcher_that_would_match_nothing_is_an_error() {
    for pattern in ["Ba(", "(?i)bash", "Bash(rm:*)", "mcp__srv", "|"] {
        let Err(HooksError::Matcher { event, pattern: found, why }) =
            pre_tool_use(Matcher::pattern(pattern)).check()
        else {
            panic!("{pattern} passes");
        };
        assert_eq!((&*event, &*found), ("PreToolUse", pattern));
        assert!(!why.is_empty());
    }
    for pattern in ["", "*", "Bash", "Ba.*", "mcp__.*", "^(Edit|Write)$"] {
        assert_eq!(pre_tool_use(Matcher::pattern(pattern)).check(), Ok(()), "{pattern}");
    }
    let error = pre_tool_use(Matcher::pattern("Ba(")).check().unwrap_err().to_string();
    assert_eq!(
        error,
        "the matcher `Ba(` of the PreToolUse hook does not match what it is meant to: a `(` is not closed"
    );
}

#[test]
fn names_of_other_events_are_no_tools() {
    let hooks = Hooks::new()
        .on_matching(SubagentStart, Matcher::pattern("mcp__x"), async |_, _| ())
        .on_named("FutureEvent", Matcher::pattern("Bash(rm:*)"), async |_: AnyHook, _| ());
    assert_eq!(hooks.check(), Ok(()));
    // A mistake is one anywhere, but where the CLI does not look at it at all.
    let broken = || Matcher::pattern("(");
    Hooks::new().on_matching(Notification, broken(), async |_, _| ()).check().unwrap_err();
    Hooks::new().on_named("FutureEvent", broken(), async |_: AnyHook, _| ()).check().unwrap_err();
    assert_eq!(Hooks::new().on_matching(Stop, broken(), async |_, _| ()).check(), Ok(()));
}

#[test]
fn what_is_seldom_called_or_called_too_often_is_told() {
    let hooks = Hooks::new()
        .on(PreToolUse, async |_, _| ())
        .on_matching(Stop, Matcher::pattern("Bash"), async |_, _| ())
        .on_matching(UserPromptSubmit, Matcher::pattern(""), async |_, _| ())
        .on_matching(SessionStart, Matcher::pattern("clear|compact"), async |_, _| ())
        .on_matching(SessionStart, Matcher::pattern("startup"), async |_, _| ())
        .on(SessionStart, async |_, _| ())
        .on(Setup, async |_, _| ())
        .on(CwdChanged, async |_, _| ())
        .on_named("PretoolUse", Matcher::any(), async |_: AnyHook, _| ())
        .on_any(async |_: AnyHook, _| ());
    let texts: Vec<String> = hooks.warnings().iter().map(ToString::to_string).collect();
    let expected = [
        "the CLI ignores the matcher `Bash`: it calls the Stop hook each time",
        "the SessionStart hook is seldom or never called: callbacks are called after `/clear` and after a compaction, not when a session starts or is resumed",
        "the SessionStart hook is seldom or never called: callbacks are called after `/clear` and after a compaction, not when a session starts or is resumed",
        "the Setup hook is seldom or never called: no callback was ever called for this event",
        "the CwdChanged hook is seldom or never called: callbacks are called only where a hook in the settings is registered for this event too",
        "the event PretoolUse is not known to this version: if the CLI does not know it, the hook is never called",
    ];
    assert_eq!(texts, expected);
    let ignored = HookWarning::MatcherIgnored { event: "Stop".into(), pattern: "Bash".into() };
    assert_eq!(hooks.warnings()[0], ignored);
}

#[test]
fn a_block_by_name_needs_a_cli_that_can() {
    let mut can = InitializeReply::default();
    can.hook_on_failure_supported = Some(true);
    let cannot = InitializeReply::default();
    let by_name = pre_tool_use(Matcher::any().on_failure(HookFailure::Block));
    assert_eq!(by_name.check_supported(&can), Ok(()));
    let refused = HooksError::BlockUnsupported { event: "PreToolUse".into() };
    assert_eq!(by_name.check_supported(&cannot), Err(refused));
    // The default, and the other choice, are no wishes for it.
    assert_eq!(pre_tool_use(Matcher::any()).check_supported(&cannot), Ok(()));
    let continues = pre_tool_use(Matcher::any().on_failure(HookFailure::Continue));
    assert_eq!(continues.check_supported(&cannot), Ok(()));
}
