//! In which order hooks, rules, the mode and the handler decide, and what keeps the handler from being asked.

use agentwire::{
    Decision, Options, PermissionMode, PermissionPrompts, Warning,
    hooks::{Hooks, PermissionHandler},
    protocol::{
        control::HookFailure,
        hook::{HookReply, PreToolUse},
    },
};
use serde_json::json;

use super::{Game, settings, shell, uses};

/// The outcome of one use of the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// The handler was asked, and allowed it.
    Asked,
    /// It ran without a question.
    Ran,
    /// It did not run, without a question.
    Refused,
}
use Came::{Asked, Ran, Refused};

/// Plays a use of the shell, and returns its outcome and the option that keeps the handler from being asked, if a
/// warning names it.
#[expect(clippy::panic, reason = "it is test code")]
async fn came(options: Options, hooks: Hooks) -> (Came, Option<&'static str>) {
    let handler = PermissionHandler::new(async |_, _| Decision::allow());
    // The CLI refuses to bypass permissions for root outside of a sandbox.
    let options = options.env("IS_SANDBOX", "1");
    let played = Game::new(handler).options(options).hooks(hooks).play(uses([shell("mkfifo p")])).await;
    let came = match (played.asked.len(), played.exists("project/p")) {
        (1, true) => Asked,
        (0, true) => Ran,
        (0, false) => Refused,
        other => panic!("{other:?}: {:?}", played.results),
    };
    let warned = played.warnings.iter().find(|warning| matches!(warning, Warning::NotAsked { .. }));
    (came, warned.and_then(Warning::option))
}

fn hook(reply: fn() -> HookReply<PreToolUse>) -> Hooks {
    Hooks::new().on(PreToolUse, move |_, _| std::future::ready(reply()))
}

fn mode(mode: PermissionMode) -> Options {
    Options::new().permission_mode(mode)
}

fn rules(kind: &str) -> Options {
    Options::new().settings(settings(json!({"permissions": {kind: ["Bash"]}})))
}

/// The name of a case, its options, and the expected outcome.
type Rows<'a> = &'a [(&'a str, Options, (Came, Option<&'static str>))];

async fn check(rows: Rows<'_>) {
    for (what, options, expected) in rows {
        assert_eq!(came(options.clone(), Hooks::new()).await, *expected, "{what}");
    }
}

fn denied() -> Options {
    Options::new().disallowed_tools(["Bash(mkfifo:*)"])
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn rules_decide_before_the_handler() {
    let some = || Options::new().allowed_tools(["Bash(mkfifo:*)"]);
    check(&[
        ("nothing", Options::new(), (Asked, None)),
        ("a rule allows", some(), (Ran, None)),
        ("a rule allows the tool", Options::new().allowed_tools(["Bash"]), (Ran, Some("allowedTools"))),
        ("a star allows nothing", Options::new().allowed_tools(["*"]), (Asked, None)),
        ("the settings allow the tool", rules("allow"), (Ran, Some("settings"))),
        ("a rule denies", denied(), (Refused, None)),
        ("deny before allow", denied().allowed_tools(["Bash(mkfifo p)"]), (Refused, None)),
        ("ask before allow", rules("ask").allowed_tools(["Bash(mkfifo:*)"]), (Asked, None)),
    ])
    .await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn modes_decide_before_the_handler_and_after_rules() {
    let (nobody, bypass) = (PermissionPrompts::None, PermissionMode::BypassPermissions);
    let by_mode = Some("permissionMode");
    check(&[
        ("edits pass, and this is none", mode(PermissionMode::AcceptEdits), (Asked, None)),
        ("the mode refuses", mode(PermissionMode::DontAsk), (Refused, by_mode)),
        ("nobody is asked", Options::new().permission_prompts(nobody), (Refused, Some("permissionPrompts"))),
        ("the mode lets everything pass", mode(bypass.clone()), (Ran, by_mode)),
        ("deny before the mode", denied().permission_mode(bypass.clone()), (Refused, by_mode)),
        ("ask before the mode", rules("ask").permission_mode(bypass), (Asked, by_mode)),
        ("a classifier is not to be had here", mode(PermissionMode::Auto), (Refused, by_mode)),
    ])
    .await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn hooks_decide_before_modes_and_not_before_rules() {
    let (allow, ask, deny) =
        (HookReply::<PreToolUse>::allow, || HookReply::ask("?"), || HookReply::deny("no"));
    for (what, options, hooks, expected) in [
        ("a hook allows", Options::new(), hook(allow), Ran),
        ("even where the mode refuses", mode(PermissionMode::DontAsk), hook(allow), Ran),
        ("but not where a rule denies", denied(), hook(allow), Refused),
        ("nor where a rule asks", rules("ask"), hook(allow), Asked),
        ("a hook asks", Options::new(), hook(ask), Asked),
        ("though a rule allows", Options::new().allowed_tools(["Bash"]), hook(ask), Asked),
        ("though the mode refuses", mode(PermissionMode::DontAsk), hook(ask), Asked),
        ("though the mode lets everything pass", mode(PermissionMode::BypassPermissions), hook(ask), Asked),
        ("a hook denies", Options::new().allowed_tools(["Bash"]), hook(deny), Refused),
    ] {
        assert_eq!(came(options, hooks).await.0, expected, "{what}");
    }
    // A hook that fails with `Continue` leaves the decision to the handler.
    let fails = agentwire::hooks::Matcher::any().on_failure(HookFailure::Continue);
    let fails = Hooks::new().on_matching(PreToolUse, fails, async |_, _| Err::<(), _>("broken"));
    assert_eq!(came(Options::new(), fails).await.0, Asked);
}
