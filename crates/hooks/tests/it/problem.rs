//! Errors and warnings about registrations.

use agentwire_hooks::{AnyHook, HookWarning, Hooks, HooksError, Matcher};
use agentwire_protocol::{
    control::{HookFailure, InitializeReply},
    hook::{
        CwdChanged, Notification, PostToolUse, PreToolUse, SessionStart, Setup, Stop, SubagentStart,
        UserPromptSubmit,
    },
};

fn pre_tool_use(matcher: Matcher) -> Hooks {
    Hooks::new().on_matching(PreToolUse, matcher, async |_, _| ())
}

#[test]
fn a_matcher_that_would_match_nothing_is_an_error() {
    for pattern in ["Ba(", "(?i)bash", "Bash(rm:*)", "mcp__srv", "|", "^mcp__srv$", "Edit | Ba.*"] {
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
        "the matcher `Ba(` of the PreToolUse hook does not match what it is meant to: it is not a regular expression: Unbalanced parenthesis"
    );
}

#[test]
fn a_list_with_a_name_that_no_tool_has_is_an_error() {
    let names: [&[&str]; 31] = [
        &[],
        &[""],
        &["Bash", ""],
        &["Bash(touch:*)"],
        &["Bash(touch)"],
        &["Bash", "Edit(src)"],
        &["Bash*"],
        &["*"],
        &[".*"],
        &["Bash\n"],
        &[" Bash"],
        &["Bash "],
        &["Bash\u{a0}"],
        &["Bash\u{200b}"],
        &["Bash|Edit"],
        &["Bash,Edit"],
        &["Edit Bash"],
        &["^Bash$"],
        &["Ba.h"],
        &["Ваsh"],
        &["mcp__srv"],
        &["mcp__srv__"],
        &["mcp__srv__*"],
        &["mcp__srv__.*"],
        &["mcp__srv", "mcp__x__a.b"],
        &["mcp__my.srv"],
        &["mcp__srv__wipe(x)"],
        &["mcp__srv__wipe "],
        &["mcp__srv__wipe\n"],
        &["mcp__srv__a|mcp__srv__b"],
        &["MCP__srv__wipe"],
    ];
    let mut passed = names.iter().filter(|names| pre_tool_use(Matcher::tools(**names)).check().is_ok());
    assert_eq!(passed.next(), None);
    // Such a hook would not be declared for an event without matchers either.
    let none: [&str; 0] = [];
    Hooks::new().on_matching(Stop, Matcher::tools(none), async |_, _| ()).check().unwrap_err();
}

#[test]
fn a_matcher_that_fits_no_tool_of_the_session_is_a_warning() {
    let hooks = pre_tool_use(Matcher::tools(["bash"]))
        .on_matching(PreToolUse, Matcher::tools(["Agent"]), async |_, _| ())
        .on_matching(PreToolUse, Matcher::tools(["KillShell"]), async |_, _| ())
        .on_matching(PostToolUse, Matcher::pattern("mcp__srv__.*"), async |_, _| ())
        .on_matching(SubagentStart, Matcher::pattern("reviewer"), async |_, _| ())
        .on_any(async |_: AnyHook, _| ());
    let texts: Vec<String> =
        hooks.misfits(["Task", "Bash", "TaskStop"]).iter().map(ToString::to_string).collect();
    let expected = [
        "the PreToolUse hook with the matcher `bash` may guard nothing: `bash` differs from the tool's name in its case",
        "the PostToolUse hook with the matcher `mcp__srv__.*` may guard nothing: it matches none of the session's tools",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_matcher_matches_tools_as_the_cli_does() {
    let none: [&str; 0] = [];
    let cases: [(Matcher, &[&str], &[&str]); 10] = [
        (Matcher::any(), &["Bash", "mcp__srv__wipe"], &[]),
        (Matcher::tools(["Bash", "bash"]), &["Bash"], &["BASH", "BashOutput"]),
        (Matcher::tools(["Task"]), &["Task", "Agent"], &["TaskStop"]),
        (Matcher::tools(["Agent"]), &["Task", "Agent"], &["ListAgents"]),
        (Matcher::tools(["KillShell"]), &["TaskStop", "KillShell", "KillBash"], &["taskstop", "killshell"]),
        (Matcher::tools(["TaskStop"]), &["TaskStop", "KillShell"], &["Task", "Bash"]),
        (Matcher::pattern("^ListPeers$"), &["ListAgents"], &["Agent"]),
        (Matcher::tools(["mcp__srv__do.it"]), &["mcp__srv__do_it"], &["mcp__srv__do"]),
        (Matcher::tools(none), &[], &["Bash"]),
        (Matcher::pattern("mcp__srv__.*"), &["mcp__srv__wipe"], &["mcp__other__wipe"]),
    ];
    for (matcher, matching, other) in cases {
        assert!(matching.iter().all(|tool| matcher.matches(tool)), "{matcher:?}");
        assert!(!other.iter().any(|tool| matcher.matches(tool)), "{matcher:?}");
    }
}

#[test]
fn matchers_of_other_events_are_not_checked_as_tools() {
    let hooks = Hooks::new()
        .on_matching(SubagentStart, Matcher::pattern("mcp__x"), async |_, _| ())
        .on_named("FutureEvent", Matcher::pattern("Bash(rm:.*)"), async |_: AnyHook, _| ());
    assert_eq!(hooks.check(), Ok(()));
    // An invalid pattern is an error for every event, unless the CLI ignores matchers of the event.
    let broken = || Matcher::pattern("(");
    Hooks::new().on_matching(Notification, broken(), async |_, _| ()).check().unwrap_err();
    Hooks::new().on_named("FutureEvent", broken(), async |_: AnyHook, _| ()).check().unwrap_err();
    assert_eq!(Hooks::new().on_matching(Stop, broken(), async |_, _| ()).check(), Ok(()));
}

#[test]
fn seldom_and_always_called_hooks_are_warned_about() {
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

/// The CLI would call none of them.
#[test]
fn hooks_that_the_cli_did_not_register_are_refused() {
    let mut reply = InitializeReply::default();
    reply.hook_on_failure_supported = Some(true);
    for (applied, checked) in
        [(None, Ok(None)), (Some(true), Ok(None)), (Some(false), Err(HooksError::NotRegistered))]
    {
        reply.hooks_applied = applied;
        assert_eq!(pre_tool_use(Matcher::any()).check_supported(&reply), checked, "{applied:?}");
    }
}

#[test]
fn an_explicit_block_needs_a_cli_that_supports_it() {
    let mut can = InitializeReply::default();
    can.hook_on_failure_supported = Some(true);
    let cannot = InitializeReply::default();
    let by_name = pre_tool_use(Matcher::any().on_failure(HookFailure::Block));
    assert_eq!(by_name.check_supported(&can), Ok(None));
    let refused = HooksError::BlockUnsupported { event: "PreToolUse".into() };
    assert_eq!(by_name.check_supported(&cannot), Err(refused));
    // The default is not an explicit choice, but it guards; `Continue` does not.
    let warning = HookWarning::BlockUnsupported { events: vec!["PreToolUse".into()] };
    let twice =
        pre_tool_use(Matcher::any()).on(Notification, async |_, _| ()).on(PreToolUse, async |_, _| ());
    assert_eq!(twice.check_supported(&cannot), Ok(Some(warning)));
    assert_eq!(twice.check_supported(&can), Ok(None));
    let continues = pre_tool_use(Matcher::any().on_failure(HookFailure::Continue));
    assert_eq!(continues.check_supported(&cannot), Ok(None));
}
